//! Tests of schemas and of reading inputs.

use serde_json::json;

use super::*;

#[crate::input]
#[derive(Debug, PartialEq)]
struct Input {
    /// The file.
    #[schemars(length(max = 400))]
    path: String,
    /// The first line.
    #[schemars(range(min = 1))]
    from: Option<u32>,
    order: Option<Order>,
}

#[crate::input]
#[derive(Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Order {
    Name,
    Size,
}

#[test]
fn a_schema_is_plain_inlined_and_bounded() {
    assert_eq!(
        schema::<Input>(),
        json!({
            "type": "object",
            "properties": {
                "path": {"description": "The file.", "type": "string", "maxLength": 400},
                "from": {"description": "The first line.", "type": ["integer", "null"], "minimum": 1},
                "order": {"type": ["string", "null"], "enum": ["name", "size", null]},
            },
            "additionalProperties": false,
            "required": ["path"],
        })
    );
}

#[test]
fn a_text_and_nothing_have_schemas_too() {
    assert_eq!(schema::<String>(), json!({"type": "string"}));
    let nothing = schema::<NoInput>();
    assert_eq!(nothing["type"], "object");
    assert_eq!(nothing["additionalProperties"], false);
}

#[test]
fn an_input_is_read_or_its_fault_is_named() {
    let check = |json: &str, expected: Result<Input, &str>| {
        let read = parse::<Input>(json);
        match (&read, &expected) {
            (Err(error), Err(part)) => assert!(error.message().contains(part), "{error}"),
            _ => assert_eq!(
                read.map_err(|e| e.to_string()),
                expected.map_err(str::to_owned)
            ),
        }
    };
    let input = |order| Input {
        path: "a".to_owned(),
        from: None,
        order,
    };
    check(r#"{"path":"a"}"#, Ok(input(None)));
    check(r#"{"path":"a","from":null}"#, Ok(input(None)));
    check(
        r#"{"path":"a","order":"size"}"#,
        Ok(input(Some(Order::Size))),
    );
    check("{}", Err("missing field `path`"));
    check(r#"{"path":"a","mode":1}"#, Err("unknown field `mode`"));
    check("", Err("the input can't be read"));
}
