//! A grammar in llama.cpp's GBNF: rules with unique names, and the rules of JSON.
//!
//! White space between tokens is bounded, so that a weak model can't pad for ever.

use std::collections::BTreeMap;

use serde_json::Value;

/// The rules of JSON. `text` is a string that says something.
const JSON_RULES: [(&str, &str); 13] = [
    ("ws", r"[ \t\n]{0,4}"),
    ("boolean", r#""true" | "false""#),
    ("null", r#""null""#),
    ("natural", r#""0" | [1-9] [0-9]{0,15}"#),
    ("integer", r#""-"? natural"#),
    (
        "number",
        r#"integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?"#,
    ),
    ("escape", r#""\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})"#),
    ("char", r#"[^"\\\x00-\x1F\x7F] | escape"#),
    ("string", r#""\"" char* "\"""#),
    (
        "text",
        r#""\"" (" " | "\\n" | "\\t"){0,4} ([^ "\\\x00-\x1F\x7F] | "\\" (["\\/] | "u" [0-9a-fA-F]{4})) char* "\"""#,
    ),
    ("array", r#""[" ws (value (ws "," ws value)*)? ws "]""#),
    (
        "object",
        r#""{" ws (string ws ":" ws value (ws "," ws string ws ":" ws value)*)? ws "}""#,
    ),
    ("value", "object | array | string | number | boolean | null"),
];

/// A grammar while it is written.
#[derive(Debug)]
pub(super) struct Grammar {
    rules: BTreeMap<String, String>,
}

impl Grammar {
    /// The most rules; a schema that needs more is not spelled out further.
    const MAX_RULES: usize = 2000;

    /// Only the rules of JSON.
    pub(super) fn new() -> Self {
        let rules = JSON_RULES.map(|(name, body)| (name.to_owned(), body.to_owned()));
        Self {
            rules: rules.into(),
        }
    }

    /// Adds a rule, under `hint` or a name made from it, and returns the name.
    pub(super) fn add(&mut self, hint: &str, body: String) -> String {
        let hint: String = hint
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let mut name = format!("r-{hint}");
        let mut number = 2;
        while self.rules.get(&name).is_some_and(|there| *there != body) {
            name = format!("r-{hint}-{number}");
            number += 1;
        }
        self.rules.insert(name.clone(), body);
        name
    }

    /// Whether no more rules should be added.
    pub(super) fn is_full(&self) -> bool {
        self.rules.len() >= Self::MAX_RULES
    }

    /// The grammar as text, with `root` as its beginning.
    pub(super) fn render(&self, root: &str) -> String {
        let mut text = format!("root ::= {root}\n");
        for (name, body) in &self.rules {
            text.push_str(&format!("{name} ::= {body}\n"));
        }
        text
    }
}

/// A GBNF literal that stands for exactly `text`.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A GBNF literal that stands for `value` as compact JSON.
pub(super) fn json_literal(value: &Value) -> String {
    literal(&value.to_string())
}

/// `"key": <value>` with room for white space around the colon.
pub(super) fn member(key: &str, value: &str) -> String {
    format!("{} ws \":\" ws {value}", json_literal(&Value::from(key)))
}
