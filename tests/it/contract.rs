//! The published form of a manifest against what the host reads, and against the tools that ship.

use forge_contract::manifest::Manifest;
use forge_tests::guest;
use forge_tests::place::Place;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../wit/manifest.schema.json");

fn sample() -> Value {
    json!({
        "manifest_version": 1, "name": "sample", "version": "0.1.0", "summary": "A sample.",
        "operations": [{
            "name": "run", "summary": "Does it.",
            "input": {"type": "object"},
            "examples": [{"user": "do it", "input": {}}],
            "hints": {"destructive": true, "idempotent": false},
            "requires": {
                "network": ["https://*.example.com", "http://127.0.0.1:8080"], "llm": true, "workspace": "write",
                "programs": ["git"], "memory": "read", "calls": ["chat"], "observes": ["cpu"],
                "secrets": [{"name": "key", "origin": "https://api.example.com", "header": "X-Key"}]
            }
        }]
    })
}

/// The sample with `value` at `pointer`: the schema and the host must agree whether it is a manifest.
fn check(pointer: &str, value: Value, is_manifest: bool) {
    let mut document = sample();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[key] = value;
    let schema = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let host = Manifest::parse(&document.to_string());
    assert_eq!(
        schema.is_valid(&document),
        is_manifest,
        "the schema at {pointer}: {document}"
    );
    assert_eq!(host.is_ok(), is_manifest, "the host at {pointer}: {host:?}");
}

#[test]
fn the_schema_says_what_the_host_reads() {
    check("/summary", json!("Another."), true);
    check("/homepage", json!("https://example.com"), true);
    check("/operations/0/requires", json!({}), true);
    check("/operations/0/requires", Value::Null, true);
    check("/operations/0/input", json!({"type": "string"}), true);
    check("/operations/0/input", json!({"type": "array"}), false);
    check("/operations/0/input", json!({}), false);
    check("/manifest_version", json!(2), false);
    check("/name", json!("Sample"), false);
    check("/name", json!(7), false);
    check("/summary", json!("  "), false);
    check("/summary", json!("two\nlines"), false);
    check("/summary", json!("\u{202e}reversed"), false);
    check("/operations", json!([]), false);
    check("/operations/0/hints", json!({"harmless": true}), false);
    check("/operations/0/examples", json!([{"user": "x"}]), false);
    check("/operations/0/requires/shell", json!(true), false);
    check("/operations/0/requires/workspace", json!("all"), false);
    check("/operations/0/requires/programs", json!(["/bin/sh"]), false);
    check(
        "/operations/0/requires/network",
        json!(["example.com"]),
        false,
    );
    check(
        "/operations/0/requires/observes",
        json!(["keyboard"]),
        false,
    );
    check(
        "/operations/0/requires/secrets/0/header",
        json!("two words"),
        false,
    );
}

#[tokio::test]
async fn the_tools_that_ship_say_what_the_schema_wants() {
    let schema = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let runtime = forge_runtime::Runtime::new(forge_runtime::Settings::default()).unwrap();
    for name in ["chat", "code", "files"] {
        let plugin = runtime.load(Place::Plugins.component(name)).await.unwrap();
        let manifest = serde_json::to_value(plugin.manifest()).unwrap();
        if let Err(error) = schema.validate(&manifest) {
            panic!("{name}: {error}");
        }
        assert_eq!(plugin.warnings(), [""; 0], "{name}");
    }
    assert_eq!(guest::load("noop").await.plugin().warnings(), [""; 0]);
}
