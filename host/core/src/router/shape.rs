//! The shape of an input in one line, for the prompt: `{"path":text,"limit"?:integer}`.
//!
//! A hint for the model; the grammar and the validator hold the schema itself.

use serde_json::Value;

use super::ACTION;

/// The shape of `schema`, with `action` first where the operation is named in the input.
pub(super) fn shape(schema: &Value, action: Option<&str>) -> String {
    let action = action.map(|name| format!("\"{ACTION}\":\"{name}\""));
    object(schema, action, schema, 0)
}

const MAX_DEPTH: usize = 3;
/// The most fields or values that are named; a prompt must stay short.
const MAX_NAMED: usize = 16;

fn object(schema: &Value, first: Option<String>, root: &Value, depth: usize) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties.into_iter().flatten().map(|(name, of)| {
        let optional = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        format!(
            "{}{optional}:{}",
            Value::from(name.as_str()),
            one(of, root, depth + 1)
        )
    });
    format!("{{{}}}", joined(first.into_iter().chain(fields), ","))
}

fn one(schema: &Value, root: &Value, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    if let Some(target) = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| r.strip_prefix('#'))
    {
        return root
            .pointer(target)
            .map_or_else(|| "any".to_owned(), |of| one(of, root, depth + 1));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for key in ["enum", "anyOf", "oneOf", "type"] {
        if let Some(items) = schema.get(key).and_then(Value::as_array) {
            let shown = items.iter().map(|item| match (key, item) {
                ("enum", value) => value.to_string(),
                ("type", Value::String(name)) => named(name, schema, root, depth),
                (_, of) => one(of, root, depth + 1),
            });
            return joined(shown, "|");
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some(name) => named(name, schema, root, depth),
        None if schema.get("properties").is_some() => object(schema, None, root, depth),
        None => "any".to_owned(),
    }
}

fn joined(mut parts: impl Iterator<Item = String>, by: &str) -> String {
    let mut shown: Vec<String> = parts.by_ref().take(MAX_NAMED).collect();
    if parts.next().is_some() {
        shown.push("…".to_owned());
    }
    shown.join(by)
}

fn named(name: &str, schema: &Value, root: &Value, depth: usize) -> String {
    match name {
        "string" => "text".to_owned(),
        "object" => object(schema, None, root, depth),
        "array" => {
            let items = schema.get("items").unwrap_or(&Value::Bool(true));
            format!("[{}]", one(items, root, depth + 1))
        }
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes() {
        let check =
            |schema: Value, action, expected: &str| assert_eq!(shape(&schema, action), expected);
        check(json!({"type": "object"}), None, "{}");
        check(
            json!({"type": "object"}),
            Some("list"),
            r#"{"action":"list"}"#,
        );
        check(
            json!({"properties": {"path": {"type": "string"}, "n": {"type": ["integer", "null"]}}, "required": ["path"]}),
            Some("read"),
            r#"{"action":"read","path":text,"n"?:integer|null}"#,
        );
        check(
            json!({"properties": {"kind": {"enum": ["a", 1]}, "of": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
                   "$defs": {"x": {"type": "object", "properties": {"y": {"$ref": "#/$defs/x"}}}}}),
            None,
            r#"{"kind"?:"a"|1,"of"?:[{"y"?:…}]}"#,
        );
    }

    #[test]
    fn a_shape_stays_short() {
        let many: serde_json::Map<_, _> =
            (0..300).map(|n| (format!("p{n}"), json!(true))).collect();
        let values: Vec<u32> = (0..300).collect();
        for schema in [
            json!({"properties": many}),
            json!({"properties": {"a": {"enum": values}}}),
        ] {
            let shape = shape(&schema, None);
            assert!(shape.len() < 200 && shape.contains('…'), "{shape}");
        }
    }
}
