//! The parser's cases, and what they leave out.

use serde_json::json;

use super::super::prompt::LEAKS;
use super::super::tests::case_offers;
use super::*;

#[test]
fn parser_cases() {
    let cases = include_str!("../../../../../tests/cases/parser.jsonl");
    let count = cases.lines().map(check_case).count();
    assert_eq!(count, 72, "every case was looked at");
}

fn check_case(line: &str) {
    let line = (1..=4).fold(line.to_owned(), |line, n| {
        line.replace(&format!("@@LEAK{n}@@"), LEAKS[n - 1])
    });
    let case: Value = serde_json::from_str(&line).unwrap();
    let expect = case.get("better").unwrap_or(&case["expect"]);
    match parse(case["raw"].as_str().unwrap(), &case_offers()) {
        Parsed::Placeholder(problem) => {
            assert_eq!(expect["placeholder"], json!(true), "{problem:?} for {case}");
            // The cases know two classes; a decision that breaks off is in one or the other.
            let classes: &[&str] = match problem {
                Placeholder::Repeated => &["repetition"],
                Placeholder::Empty | Placeholder::Leaked => &["leak_or_empty"],
                Placeholder::Unfinished => &["repetition", "leak_or_empty"],
            };
            assert!(
                classes.contains(&expect["placeholder_kind"].as_str().unwrap()),
                "{problem:?} for {case}"
            );
        }
        Parsed::Decision(decision) => {
            assert_eq!(
                expect["placeholder"],
                json!(false),
                "{decision:?} for {case}"
            );
            assert_eq!(expect["tool"], json!(decision.tool), "{case}");
            assert_eq!(expect["done"], json!(decision.done), "{case}");
            let expected = expect["content"].as_str().unwrap();
            match decision.content {
                Content::Text(text) => assert_eq!(text, expected, "{case}"),
                Content::Payload(payload) => {
                    assert_eq!(
                        payload,
                        serde_json::from_str::<Value>(expected).unwrap(),
                        "{case}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_envelope_in_an_answer_is_text() {
    let nested = |levels: usize, inner: &str| {
        (0..levels).fold(inner.to_owned(), |text, _| {
            json!({"tool": "chat", "content": text}).to_string()
        })
    };
    let check = |raw: &str, expected: &str| {
        let Parsed::Decision(decision) = parse(raw, &case_offers()) else {
            panic!("no decision: {raw}");
        };
        assert_eq!(decision.tool, CHAT, "{raw}");
        assert_eq!(
            decision.content,
            Content::Text(expected.to_owned()),
            "{raw}"
        );
    };
    check(&nested(1, "hello"), "hello");
    check(&nested(4, "hello"), "hello");
    check(&nested(5, "hello"), r#"{"tool":"chat","content":"hello"}"#);
    check(&nested(1, r#"{"tool":"git","content":"push"}"#), "push");
    let write = r#"{"tool":"files","content":{"action":"write","path":"a"}}"#;
    check(&nested(1, write), write);
}

#[test]
fn a_tool_that_is_not_offered_is_remembered() {
    let check = |raw: &str, expected: Option<&str>| {
        let Parsed::Decision(decision) = parse(raw, &case_offers()) else {
            panic!("no decision: {raw}");
        };
        assert_eq!(decision.not_offered.as_deref(), expected, "{raw}");
    };
    check(r#"{"tool":"email","content":"a"}"#, Some("email"));
    check(r#"{"tool":"chat","content":"a"}"#, None);
    check("a", None);
    assert!(matches!(
        parse(r#"{"tool":"chat","content":"a"}"#, &[]),
        Parsed::Decision(Decision {
            not_offered: None,
            ..
        })
    ));
}

#[test]
fn odd_texts_are_read_without_harm() {
    for raw in [
        "{",
        "}",
        "\"",
        "\\",
        "{\"tool\"",
        "<think>",
        "```",
        "```\n",
        ":",
        "é{\u{1f600}",
        "{\"tool\":{}}",
    ] {
        let _ = parse(raw, &case_offers());
        let _ = parse(&raw.repeat(500), &case_offers());
    }
}
