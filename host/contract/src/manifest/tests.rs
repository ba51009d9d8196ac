//! Manifests that are read, and those that are not.

use serde_json::json;

use super::*;

fn manifest() -> Value {
    json!({
        "manifest_version": 1, "name": "word_count", "version": "0.1.0", "summary": "Counts words.",
        "operations": [{
            "name": "run", "summary": "Counts the words of a file.",
            "input": {"type": "object", "properties": {"path": {"type": "string"}}},
            "requires": {"workspace": "read"}
        }]
    })
}

/// Reads the sample with the value at `pointer` replaced.
fn check(pointer: &str, value: Value, expected: Result<&[&str], &str>) {
    let mut document = manifest();
    match document.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[key] = value;
        }
    }
    let found = Manifest::parse(&document.to_string());
    match (found, expected) {
        (Ok(manifest), Ok(warnings)) => assert_eq!(manifest.warnings(), warnings, "{pointer}"),
        (Err(error), Err(message)) => assert_eq!(error.to_string(), message, "{pointer}"),
        (found, expected) => panic!("{pointer}: {found:?} instead of {expected:?}"),
    }
}

#[test]
fn a_manifest_is_read() {
    check("/summary", json!("Counts."), Ok(&[]));
    check(
        "/homepage",
        json!("x"),
        Ok(&["unknown field `homepage` is ignored"]),
    );
    check(
        "/operations/0/since",
        json!(1),
        Ok(&["unknown field `since` of operation `run` is ignored"]),
    );
    check(
        "/operations/0/requires",
        Value::Null,
        Ok(&["operation `run` declares no `requires`: it is granted nothing"]),
    );
}

#[test]
fn what_nothing_could_enforce_is_an_error() {
    check(
        "/operations/0/requires",
        json!({"netwrk": ["https://x.com"]}),
        Err(
            "the manifest can't be read at `operations[0].requires.netwrk`: unknown field `netwrk`, expected one of \
             `network`, `llm`, `workspace`, `programs`, `memory`, `calls`, `observes`, `secrets`",
        ),
    );
    check(
        "/operations/0/requires/workspace",
        json!("everything"),
        Err(
            "the manifest can't be read at `operations[0].requires.workspace`: unknown variant `everything`, \
             expected `read` or `write`",
        ),
    );
    check(
        "/operations/0/requires",
        json!({"secrets": [{"name": "key", "origin": "https://x.com", "header": "X-Key"}]}),
        Err(
            "operation `run`: secret `key` is for `https://x.com`, which `network` does not declare: add the origin \
             there",
        ),
    );
    let secrets = |secrets: Value, problem: &str| {
        check(
            "/operations/0/requires",
            json!({"network": ["https://*.x.com"], "secrets": secrets}),
            Err(&format!("operation `run`: {problem}")),
        );
    };
    for header in ["", "X Key", "Host", "accept-encoding"] {
        secrets(
            json!([{"name": "key", "origin": "https://a.x.com", "header": header}]),
            &format!(
                "secret `key` names the header `{header}`, which can't carry one: try `Authorization`"
            ),
        );
    }
    secrets(
        json!([{"name": "key", "origin": "https://a.x.com", "header": "X-Key", "prefix": "a\r\nb: "}]),
        "secret `key` has a `prefix` that is longer than 64 characters or holds others than visible ones of ASCII: \
         write it as in `Bearer `",
    );
    secrets(
        json!([
            {"name": "key", "origin": "https://*.x.com", "header": "X-Key"},
            {"name": "other", "origin": "https://a.x.com", "header": "x-key"},
        ]),
        "the secrets `key` and `other` would share the header `X-Key`: name origins that differ",
    );
}

#[test]
fn a_manifest_keeps_its_rules() {
    check(
        "/manifest_version",
        json!(2),
        Err("the manifest's form is version 2; this host reads version 1"),
    );
    check(
        "/operations",
        json!([]),
        Err("the manifest has 0 operations; a tool has 1 to 64"),
    );
    check(
        "/operations/0/input",
        json!({"type": "array"}),
        Err("the input schema of operation `run` must have \"type\": \"object\" or \"string\""),
    );
    let bad_text =
        "is blank, longer than 1000 characters, or holds control or invisible characters";
    for text in [
        "",
        "  ",
        "a\u{1b}[31m",
        "a\nb",
        "\u{202e}evil",
        "zero\u{200b}width",
        &"x".repeat(1001),
    ] {
        check(
            "/summary",
            json!(text),
            Err(&format!("the manifest's `summary` {bad_text}")),
        );
    }
    let mut twice = manifest();
    let operation = twice["operations"][0].clone();
    twice["operations"] = json!([operation, operation]);
    assert_eq!(
        Manifest::parse(&twice.to_string()).unwrap_err().to_string(),
        "the manifest has two operations called `run`"
    );
}
