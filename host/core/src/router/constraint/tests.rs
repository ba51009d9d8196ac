//! The grammar's cases, and the schema that says the same.

use serde_json::{Value, json};

use super::super::parser::{Parsed, parse};
use super::super::tests::{case_offers, object_offer, text_offer};
use super::gbnf_recogniser::Recogniser;
use super::*;

#[test]
fn router_grammar_cases() {
    let cases = include_str!("../../../../../tests/cases/router_grammar.jsonl");
    let mut count = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let enabled: Vec<&str> = case["enabled"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let mut offers = case_offers();
        offers.retain(|offer| enabled.contains(&offer.capability.as_str()));
        assert_eq!(offers.len(), enabled.len(), "{case}");
        let grammar = constraint(&offers, Steps::Many).gbnf;
        let text = case["text"].as_str().unwrap();
        let accepts = Recogniser::new(&grammar).accepts(text);
        assert_eq!(json!(accepts), case["expect"]["grammar_accepts"], "{case}");
        if accepts {
            assert!(
                matches!(parse(text, &offers), Parsed::Decision(_)),
                "{case}"
            );
        }
        count += 1;
    }
    assert_eq!(count, 31, "every case was looked at");
}

/// What grammar, schema and parser say of `text`, which must be one thing.
fn check(offers: &[Offer], steps: Steps, text: &str, expected: bool) {
    let constraint = constraint(offers, steps);
    let accepts = Recogniser::new(&constraint.gbnf).accepts(text);
    assert_eq!(accepts, expected, "grammar: {text}");
    if let Ok(decision) = serde_json::from_str::<Value>(text) {
        let schema = jsonschema::validator_for(&constraint.json_schema).unwrap();
        assert_eq!(
            schema.is_valid(&decision),
            expected,
            "schema: {text}\n{:#}",
            constraint.json_schema
        );
    }
    if accepts {
        assert!(
            matches!(parse(text, offers), Parsed::Decision(_)),
            "parser: {text}"
        );
    }
}

#[test]
fn grammar_and_schema_agree() {
    let read = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false});
    let tree = json!({
        "type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "required": ["node"], "additionalProperties": false,
        "$defs": {"node": {"type": "object", "properties": {"name": {"type": "string"}, "in": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["name"], "additionalProperties": false}},
    });
    let nothing = json!({"type": "object", "additionalProperties": false});
    let offers = [
        text_offer("chat"),
        object_offer(
            "files",
            vec![
                ("read", read.clone()),
                ("tree", tree),
                ("list", nothing.clone()),
            ],
        ),
        object_offer("web_fetch", vec![("run", read)]),
        object_offer("now", vec![("run", nothing)]),
    ];
    let one = |text, expected| check(&offers, Steps::One, text, expected);
    one(r#"{"tool":"chat","content":"a"}"#, true);
    one(r#"{"tool":"chat","content":""}"#, false);
    one(r#"{"tool":"chat","content":"a","done":true}"#, false);
    one(
        r#"{"tool":"files","content":{"action":"read","path":"a"}}"#,
        true,
    );
    one(r#"{"tool":"files","content":{"action":"read"}}"#, false);
    one(r#"{"tool":"files","content":{"path":"a"}}"#, false);
    one(
        r#"{"tool":"files","content":{"action":"write","path":"a"}}"#,
        false,
    );
    one(r#"{"tool":"files","content":{"action":"list"}}"#, true);
    one(
        r#"{"tool":"files","content":{"action":"list","path":"a"}}"#,
        false,
    );
    one(
        r#"{"tool":"files","content":{"action":"tree","node":{"name":"a","in":[{"name":"b"}]}}}"#,
        true,
    );
    one(
        r#"{"tool":"files","content":{"action":"tree","node":{"in":[]}}}"#,
        false,
    );
    one(r#"{"tool":"web_fetch","content":{"path":"a"}}"#, true);
    one(
        r#"{"tool":"web_fetch","content":{"action":"run","path":"a"}}"#,
        false,
    );
    one(r#"{"tool":"now","content":{}}"#, true);
    one(r#"{"tool":"now","content":{"a":1}}"#, false);
    let many = |text, expected| check(&offers, Steps::Many, text, expected);
    many(r#"{"tool":"now","content":{},"done":false}"#, true);
    many(r#"{"tool":"now","content":{}}"#, true);
    many(r#"{"tool":"now","content":{},"done":"false"}"#, false);
}

#[test]
fn a_blank_answer_and_endless_space_are_no_decisions() {
    let grammar = Recogniser::new(&constraint(&[text_offer("chat")], Steps::One).gbnf);
    assert!(!grammar.accepts(r#"{"tool":"chat","content":"   "}"#));
    assert!(!grammar.accepts(r#"{"tool":"chat","content":"\n\t"}"#));
    assert!(grammar.accepts(r#"{"tool":"chat","content":"\n\ta"}"#));
    assert!(grammar.accepts("{\n  \"tool\": \"chat\",\n  \"content\": \"a\"\n}"));
    assert!(!grammar.accepts(r#"{"tool":      "chat","content":"a"}"#));
}

#[test]
fn a_single_operation_left_of_several_keeps_its_action() {
    let mut offer = object_offer(
        "files",
        vec![
            ("read", json!({"type": "object"})),
            ("write", json!({"type": "object"})),
        ],
    );
    offer.operations.truncate(1);
    check(
        &[offer.clone()],
        Steps::One,
        r#"{"tool":"files","content":{"action":"read","path":"a"}}"#,
        true,
    );
    check(
        &[offer],
        Steps::One,
        r#"{"tool":"files","content":{"path":"a"}}"#,
        false,
    );
}
