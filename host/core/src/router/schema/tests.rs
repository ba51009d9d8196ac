//! Schemas, and what their grammars let through.

use serde_json::json;

use super::super::constraint::gbnf_recogniser::Recogniser;
use super::*;

/// The grammar of `schema` accepts each of `good` and none of `bad`.
fn check(schema: Value, good: &[Value], bad: &[Value]) {
    let mut grammar = Grammar::new();
    let rule = SchemaRules::new(&mut grammar, &schema, "t").input(None);
    let text = grammar.render(&rule);
    let recogniser = Recogniser::new(&text);
    let accepts = |value: &Value| recogniser.accepts(&value.to_string());
    for value in good {
        assert!(accepts(value), "{value} is good under {schema}\n{text}");
    }
    for value in bad {
        assert!(!accepts(value), "{value} is bad under {schema}\n{text}");
    }
}

/// The same for the schema of one member `a`, which must be there.
fn check_member(schema: Value, good: &[Value], bad: &[Value]) {
    let wrapped = |values: &[Value]| {
        values
            .iter()
            .map(|value| json!({"a": value}))
            .collect::<Vec<_>>()
    };
    let schema = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    check(schema, &wrapped(good), &wrapped(bad));
}

#[test]
fn scalars() {
    let everything = [
        json!("x"),
        json!(1),
        json!(1.5),
        json!(true),
        json!(null),
        json!([1]),
        json!({"b": 1}),
    ];
    let except = |places: &[usize]| {
        let kept = everything
            .iter()
            .enumerate()
            .filter(|(at, _)| !places.contains(at));
        kept.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    check_member(json!(true), &everything, &[]);
    check_member(json!({}), &everything, &[]);
    check_member(
        json!({"type": "string"}),
        &[json!(""), json!("é\n\"\\\u{1f600}")],
        &except(&[0]),
    );
    check_member(
        json!({"type": "integer"}),
        &[json!(0), json!(-12), json!(4_000_000_000_u64)],
        &except(&[1]),
    );
    check_member(
        json!({"type": "integer", "minimum": 0}),
        &[json!(7)],
        &[json!(-7)],
    );
    check_member(
        json!({"type": "number"}),
        &[json!(0.5), json!(-2e30), json!(3)],
        &except(&[1, 2]),
    );
    check_member(
        json!({"type": "boolean"}),
        &[json!(false), json!(true)],
        &except(&[3]),
    );
    check_member(json!({"type": "null"}), &[json!(null)], &except(&[4]));
    check_member(
        json!({"type": ["string", "null"]}),
        &[json!("x"), json!(null)],
        &except(&[0, 4]),
    );
    check_member(
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        &[json!("ab"), json!("abc")],
        &[json!("a"), json!("abcd")],
    );
    check_member(
        json!({"type": "string", "minLength": 1}),
        &[json!("ab")],
        &[json!("")],
    );
    check_member(
        json!({"type": "string", "maxLength": 1}),
        &[json!(""), json!("é")],
        &[json!("ab")],
    );
    check_member(
        json!({"enum": ["a", 1, null, {"b": [1, 2]}]}),
        &[json!("a"), json!(1), json!(null), json!({"b": [1, 2]})],
        &[json!("b"), json!(2)],
    );
    check_member(
        json!({"const": "a \"b\" \\ é \u{7f}"}),
        &[json!("a \"b\" \\ é \u{7f}")],
        &[json!("a")],
    );
}

#[test]
fn lists() {
    let text = json!({"type": "string"});
    check_member(
        json!({"type": "array"}),
        &[json!([]), json!([1, "a", [{}]])],
        &[json!({}), json!("a")],
    );
    check_member(
        json!({"type": "array", "items": text}),
        &[json!([]), json!(["a"]), json!(["a", "b"])],
        &[json!([1]), json!(["a", 1])],
    );
    check_member(
        json!({"type": "array", "items": text, "minItems": 1}),
        &[json!(["a"])],
        &[json!([])],
    );
    check_member(
        json!({"type": "array", "items": text, "maxItems": 2}),
        &[json!([]), json!(["a", "b"])],
        &[json!(["a", "b", "c"])],
    );
    check_member(
        json!({"type": "array", "items": text, "minItems": 2, "maxItems": 2}),
        &[json!(["a", "b"])],
        &[json!(["a"]), json!(["a", "b", "c"])],
    );
    check_member(
        json!({"type": "array", "items": text, "maxItems": 0}),
        &[json!([])],
        &[json!(["a"])],
    );
    check_member(
        json!({"type": "array", "prefixItems": [text], "items": false}),
        &[json!(["a"])],
        &[json!("a")],
    );
}

#[test]
fn objects() {
    let abc = json!({"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}});
    check(
        json!({"type": "object", "properties": abc, "required": ["b"]}),
        &[
            json!({"b": 1}),
            json!({"a": 1, "b": 1}),
            json!({"b": 1, "c": 1}),
            json!({"a": 1, "b": 1, "c": 1}),
        ],
        &[
            json!({}),
            json!({"a": 1}),
            json!({"a": 1, "c": 1}),
            json!({"b": 1, "d": 1}),
            json!({"b": "x"}),
        ],
    );
    check(
        json!({"type": "object", "properties": abc}),
        &[
            json!({}),
            json!({"a": 1}),
            json!({"c": 1}),
            json!({"a": 1, "c": 1}),
        ],
        &[json!({"d": 1}), json!([])],
    );
    check(
        json!({"type": "object"}),
        &[json!({}), json!({"x": [1]})],
        &[json!([]), json!("a")],
    );
    check(
        json!({"type": "object", "additionalProperties": false}),
        &[json!({})],
        &[json!({"x": 1})],
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        &[json!({}), json!({"x": 1, "y": 2})],
        &[json!({"x": "a"})],
    );
    check(
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": true}),
        &[
            json!({}),
            json!({"a": 1}),
            json!({"a": 1, "z": "x"}),
            json!({"z": 1, "y": null}),
        ],
        &[],
    );
    check(
        json!({"type": "object", "required": ["x"]}),
        &[json!({"x": 1}), json!({"x": {}, "y": 1})],
        &[json!({})],
    );
    check(
        json!({"type": "object", "properties": {"été \"x\"": true}}),
        &[json!({"été \"x\"": 1})],
        &[json!({"x": 1})],
    );
}

#[test]
fn combinations_and_references() {
    check_member(
        json!({"anyOf": [{"type": "string"}, {"const": 1}]}),
        &[json!("a"), json!(1)],
        &[json!(2), json!(null)],
    );
    check_member(
        json!({"oneOf": [{"type": "null"}, {"type": "array", "items": {"type": "integer"}}]}),
        &[json!(null), json!([1])],
        &[json!(["a"])],
    );
    check_member(
        json!({"allOf": [{"type": "string"}, {"pattern": "a"}]}),
        &[json!("a")],
        &[],
    );
    check(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"enum": ["x"]}}}),
        &[json!({"a": "x", "b": "x"})],
        &[json!({"a": "y"}), json!({"b": "y"})],
    );
    check(
        json!({"$ref": "#/$defs/top", "$defs": {"top": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}}),
        &[json!({"a": 1})],
        &[json!({}), json!({"a": "x"})],
    );
    check(
        json!({"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}}, "required": ["v"]}),
        &[
            json!({"v": 1}),
            json!({"v": 1, "next": {"v": 2, "next": {"v": 3}}}),
        ],
        &[json!({"next": {"v": 1}}), json!({"v": 1, "next": 5})],
    );
}

#[test]
fn every_schema_makes_a_grammar() {
    let mut deep = json!({"type": "string"});
    for _ in 0..200 {
        deep = json!({"type": "array", "items": deep});
    }
    let many = (0..600)
        .map(|n| (format!("p{n}"), json!({"enum": [n]})))
        .collect::<Map<_, _>>();
    let doubling = (0..40)
        .map(|n| (format!("d{n}"), json!({"type": "object", "properties": {"l": {"$ref": format!("#/$defs/d{}", n + 1)}, "r": {"$ref": format!("#/$defs/d{}", n + 1)}}})))
        .collect::<Map<_, _>>();
    let schemas = [
        json!({"type": "object", "properties": {"a": deep}}),
        json!({"type": "object", "properties": many}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": doubling}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}),
        json!({"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}, {"type": "null"}]}}}),
        json!({"type": "object", "properties": {"a": {"enum": []}, "b": {"anyOf": []}, "c": {"type": []}, "d": false, "e": {"type": [1]}}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 5, "maxLength": 2}, "b": {"type": "array", "items": {}, "minItems": 3, "maxItems": 1}}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1_000_000}, "b": {"type": "mystery"}, "c": {"$ref": "#/nowhere"}}}),
        json!({"type": "object", "properties": {"": {}, "_": {}, "-": {}, "é": {}, "]\"\\": {"const": "\n\r\t\0]\"\\"}}}),
        json!({"type": "object", "properties": 3, "required": "x", "additionalProperties": 7}),
        json!({}),
        json!(true),
    ];
    for schema in schemas {
        let mut grammar = Grammar::new();
        let rule = SchemaRules::new(&mut grammar, &schema, "t").input(None);
        let text = grammar.render(&rule);
        assert!(text.len() < 2_000_000, "{} bytes", text.len());
        let recogniser = Recogniser::new(&text);
        let accepted = [
            json!({}),
            json!({"a": null}),
            json!({"p0": 0}),
            json!({"x": 1}),
        ];
        assert!(
            accepted
                .iter()
                .any(|value| recogniser.accepts(&value.to_string())),
            "{schema}"
        );
    }
}
