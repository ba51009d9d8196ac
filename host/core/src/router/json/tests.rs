//! The payload cases, and what else the loader and the scanner must do.

use serde_json::{Value, json};

use super::*;

#[test]
fn payload_cases() {
    let cases = include_str!("../../../../../tests/cases/payload_loader.jsonl");
    let mut count = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let loaded = load(case["text"].as_str().unwrap());
        let expect = &case["expect"];
        assert_eq!(loaded.is_ok(), expect["ok"].as_bool().unwrap(), "{case}");
        if let Ok(value) = loaded {
            assert_eq!(value, expect["value"], "{case}");
        }
        count += 1;
    }
    assert_eq!(count, 13, "every case was looked at");
}

#[test]
fn slips_that_lose_nothing_are_repaired() {
    let check = |text: &str, expected: Value| assert_eq!(load(text).unwrap(), expected, "{text:?}");
    check(r#""a\ud800b""#, json!("a\u{fffd}b"));
    check(r#""a\udc00b""#, json!("a\u{fffd}b"));
    check(
        "\"\\ud83d\\ude00 \\ud83d\n\"",
        json!("\u{1f600} \u{fffd}\n"),
    );
    check(
        "[NaN, -Infinity, -1, \"NaN\"]",
        json!([null, null, -1, "NaN"]),
    );
    check("{\"a\":\"\\\\\"}", json!({"a": "\\"}));
}

#[test]
fn regions_are_balanced() {
    let check = |text: &str, expected: &[&str]| assert_eq!(regions(text), expected, "{text:?}");
    check("a {b} {c{d}} e", &["{b}", "{c{d}}"]);
    check("{ {\"}\": 1}", &["{\"}\": 1}"]);
    check("{\"a\\\"}\"}", &["{\"a\\\"}\"}"]);
    check("}{", &[]);
    check(&"{".repeat(100_000), &[]);
}

#[test]
fn equal_values_have_one_canonical_text() {
    let check = |a: Value, b: Value| assert_eq!(canonical(&a), canonical(&b));
    check(
        json!({"a": [1, {"c": 1, "b": 2}], "d": 0}),
        json!({"d": 0, "a": [1, {"b": 2, "c": 1}]}),
    );
    assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
}
