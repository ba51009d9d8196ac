//! Decisions that come in pieces, cut at every place.

use serde_json::json;

use super::super::tests::{case_offers, text_offer};
use super::*;

/// What is heard of `raw` in pieces of `size` bytes: the tool, and the text put together.
fn heard(raw: &str, size: usize) -> (Option<String>, String) {
    let offers = case_offers();
    let mut stream = DecisionStream::new(&offers);
    let (mut tool, mut text) = (None, String::new());
    let mut rest = raw;
    while !rest.is_empty() {
        let end = (size..=rest.len())
            .find(|at| rest.is_char_boundary(*at))
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        stream.push(piece, &mut |heard| match heard {
            Heard::Chosen(name) => {
                assert!(
                    tool.is_none() && text.is_empty(),
                    "chosen once, before the text: {raw}"
                );
                tool = Some(name.to_owned());
            }
            Heard::Text(piece) => text.push_str(piece),
        });
        rest = after;
    }
    assert_eq!(stream.has_told(), !text.is_empty());
    (tool, text)
}

fn check(raw: &str, tool: Option<&str>, text: &str) {
    for size in 1..=raw.len().max(1) {
        let (heard_tool, heard_text) = heard(raw, size);
        assert_eq!(
            (heard_tool.as_deref(), heard_text.as_str()),
            (tool, text),
            "{raw} in pieces of {size}"
        );
    }
}

#[test]
fn answers_are_heard_however_they_are_cut() {
    check(
        r#"{"tool":"chat","content":"Hello"}"#,
        Some("chat"),
        "Hello",
    );
    check(
        "{ \"tool\" :\n\"chat\" , \"content\" : \"Hi\" , \"done\":true}",
        Some("chat"),
        "Hi",
    );
    check(
        r#"{"tool":"chat","content":"a\n\t\"b\" \\ \/ é"}"#,
        Some("chat"),
        "a\n\t\"b\" \\ / é",
    );
    check(
        r#"{"tool":"chat","content":"\u00e9\ud83d\ude00!"}"#,
        Some("chat"),
        "é\u{1f600}!",
    );
    check(
        r#"{"tool":"chat","content":"\ud83dx\ude00\ud83d"}"#,
        Some("chat"),
        "\u{fffd}x\u{fffd}\u{fffd}",
    );
    check(
        r#"{"tool":"chat","content":"été 🎉"}"#,
        Some("chat"),
        "été 🎉",
    );
    check(
        r#"{"tool":"code","content":"{ x }"}"#,
        Some("code"),
        "{ x }",
    );
    check(
        r#"{"tool":"chat","content":"not clo"#,
        Some("chat"),
        "not clo",
    );
    check(
        r#"{"tool":"email","content":"to Paul"}"#,
        Some("chat"),
        "to Paul",
    );
    check(
        r#"{"tool":"chat","content":"a"} and more"#,
        Some("chat"),
        "a",
    );
}

#[test]
fn what_nobody_should_see_is_not_heard() {
    check(
        r#"{"tool":"files","content":{"action":"list"}}"#,
        Some("files"),
        "",
    );
    check(
        r#"{"tool":"files","content":"{\"action\":\"list\"}"}"#,
        Some("files"),
        "",
    );
    check(
        r#"{"tool":"chat","content":"{\"tool\":\"chat\",\"content\":\"a\"}"}"#,
        Some("chat"),
        "",
    );
    check(
        r#"{"tool":"chat","content":"  {\"a\":1}"}"#,
        Some("chat"),
        "",
    );
    check(r#"{"tool":"chat","content":42}"#, Some("chat"), "");
    check(r#"{"content":"a","tool":"chat"}"#, None, "");
    check(r#"{"tool":["chat"],"content":"a"}"#, None, "");
    check(r#"Sure! {"tool":"chat","content":"a"}"#, None, "");
    check("plain words", None, "");
    check("", None, "");
}

#[test]
fn a_loop_is_noticed_in_an_answer_only() {
    let check = |tool: &str, content: &str, expected: bool| {
        let offers = [text_offer("chat"), text_offer("code")];
        let raw = json!({"tool": tool, "content": content}).to_string();
        let mut stream = DecisionStream::new(&offers);
        for c in raw.chars() {
            stream.push(c.encode_utf8(&mut [0; 4]), &mut |_| {});
        }
        assert_eq!(stream.loops(), expected, "{tool}");
    };
    check("chat", &"ha ".repeat(300), true);
    check("chat", &"ha ".repeat(20), false);
    check("code", &"0, ".repeat(300), false);
}
