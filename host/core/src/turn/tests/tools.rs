//! Tools that turns are tried with.

use forge_contract::manifest::Manifest;
use serde_json::{Value, json};

use crate::registry::Entry;

fn entry(name: &str, operations: &Value) -> Entry {
    let document = json!({"manifest_version": 1, "name": name, "version": "1", "summary": format!("Does {name}."), "operations": operations});
    Entry {
        source: format!("{name}.wasm"),
        manifest: Manifest::parse(&document.to_string()).unwrap(),
    }
}

pub(super) fn files() -> Entry {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false});
    let write = json!({"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}, "required": ["path", "text"], "additionalProperties": false});
    entry(
        "files",
        &json!([
            {"name": "read", "summary": "Reads.", "input": path, "requires": {"workspace": "read"}},
            {"name": "list", "summary": "Lists.", "input": {"type": "object", "additionalProperties": false}, "requires": {"workspace": "read"}},
            {"name": "write", "summary": "Writes.", "input": write, "requires": {"workspace": "write"}},
        ]),
    )
}

pub(super) fn git() -> Entry {
    entry(
        "git",
        &json!([{"name": "run", "summary": "Runs git.", "input": {"type": "object"}, "requires": {"programs": ["git"]}}]),
    )
}

pub(super) fn shell() -> Entry {
    entry(
        "shell",
        &json!([{"name": "run", "summary": "Runs anything.", "input": {"type": "object"}}]),
    )
}

pub(super) fn text_tool(name: &str, requires: &Value) -> Entry {
    entry(
        name,
        &json!([{"name": "run", "summary": "Takes text.", "input": {"type": "string"}, "requires": requires}]),
    )
}
