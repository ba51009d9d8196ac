//! What can be offered, what is refused and why, and how inputs are checked.

use serde_json::json;

use super::*;

fn entry(source: &str, name: &str, operations: &Value) -> Entry {
    let document = json!({"manifest_version": 1, "name": name, "version": "1", "summary": "s", "operations": operations});
    Entry {
        source: source.to_owned(),
        manifest: Manifest::parse(&document.to_string()).unwrap(),
    }
}

fn one(name: &str, input: Value) -> Value {
    json!({"name": name, "summary": "s", "input": input, "requires": {}})
}

#[test]
fn what_cannot_be_offered_is_refused_by_name() {
    let check = |entries: Vec<Entry>, expected: &str| {
        let error = Registry::new(entries).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let text = json!({"type": "string"});
    let object = json!({"type": "object"});
    check(
        vec![
            entry("a.wasm", "git", &json!([one("run", object.clone())])),
            entry("b.wasm", "git", &json!([one("run", object.clone())])),
        ],
        "`a.wasm` and `b.wasm` both provide `git`: remove one of them",
    );
    check(
        vec![entry("a.wasm", "chat", &json!([one("say", text.clone())]))],
        "`chat.say` of `a.wasm` takes text",
    );
    check(
        vec![entry(
            "a.wasm",
            "chat",
            &json!([one("run", text), one("two", object.clone())]),
        )],
        "`chat.run` of `a.wasm` takes text",
    );
    let action = json!({"type": "object", "properties": {"action": {}}});
    check(
        vec![entry(
            "a.wasm",
            "files",
            &json!([one("read", object.clone()), one("act", action.clone())]),
        )],
        "`files.act` of `a.wasm` has a property `action`",
    );
    assert!(Registry::new(vec![entry("a.wasm", "one", &json!([one("run", action)]))]).is_ok());
    let schema = |properties: Value| json!({"type": "object", "properties": properties});
    check(
        vec![entry(
            "a.wasm",
            "x",
            &json!([one("run", schema(json!({"a": {"type": "texts"}})))]),
        )],
        "the input schema of `x.run` of `a.wasm` can't be used: ",
    );
    check(
        vec![entry(
            "a.wasm",
            "x",
            &json!([one(
                "run",
                schema(json!({"a": {"$ref": "https://x.org/s.json"}}))
            )]),
        )],
        "`$ref` leads to `https://x.org/s.json`",
    );
    check(
        vec![entry(
            "a.wasm",
            "x",
            &json!([one("run", schema(json!({"a": {"$ref": "#/$defs/none"}})))]),
        )],
        "can't be used: ",
    );
    check(
        vec![entry(
            "a.wasm",
            "x",
            &json!([one("run", schema(json!({"a": {"pattern": "(?=a)b"}})))]),
        )],
        "can't be used: ",
    );
}

#[test]
fn an_invalid_input_names_field_and_problem() {
    let input = json!({
        "type": "object", "required": ["path"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "lines": {"type": "object", "properties": {"from": {"type": "integer", "minimum": 1}}}},
    });
    let files = json!([one("read", input), one("list", json!({"type": "object"}))]);
    let registry = Registry::new(vec![entry("a.wasm", "files", &files)]).unwrap();
    let check = |operation: &str, input: Value, expected: &str| {
        let checked = registry
            .get("files")
            .unwrap()
            .check_input(operation, &input);
        assert_eq!(
            checked.map_or_else(
                |invalid| format!("{}: {}", invalid.field, invalid.problem),
                |()| String::new()
            ),
            expected,
            "{input}"
        );
    };
    check("read", json!({"path": "a", "lines": {"from": 3}}), "");
    check(
        "read",
        json!({"path": 3}),
        "/path: `path` is not valid: value is not of type \"string\"",
    );
    check(
        "read",
        json!({"path": "a", "lines": {"from": 0}}),
        "/lines/from: `lines/from` is not valid: value is less than the minimum of 1",
    );
    check(
        "read",
        json!({}),
        ": the input is not valid: \"path\" is a required property",
    );
    check(
        "read",
        json!({"path": "a", "secret": "hunter2"}),
        ": the input is not valid: Additional properties are not allowed ('secret' was unexpected)",
    );
    check(
        "read",
        json!([]),
        ": the input is not valid: value is not of type \"object\"",
    );
    check(
        "wipe",
        json!({}),
        ": there is no operation `wipe`: there is `list`, `read`",
    );
}

#[test]
fn what_all_operations_declare_together() {
    let operations = json!([
        {"name": "read", "summary": "s", "input": {"type": "object"}, "requires": {"workspace": "read", "programs": ["git"]}},
        {"name": "write", "summary": "s", "input": {"type": "object"}, "requires": {"workspace": "write", "llm": true}},
        {"name": "other", "summary": "s", "input": {"type": "object"}},
    ]);
    let capability = Capability::new(entry("a.wasm", "files", &operations)).unwrap();
    let declared = serde_json::to_value(capability.declared()).unwrap();
    assert_eq!(
        declared,
        json!({"llm": true, "workspace": "write", "programs": ["git"]})
    );
}
