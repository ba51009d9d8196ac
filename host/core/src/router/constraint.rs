//! The form that a decision must have, as a grammar and as a JSON Schema.
//!
//! A model that is bound by it can't name a tool that is not offered, nor write an input of another shape.

use serde_json::{Map, Value, json};

use super::gbnf::{Grammar, json_literal, literal, member};
use super::prompt::Steps;
use super::schema::SchemaRules;
use super::{ACTION, Offer, OfferedOperation};
use crate::provider::Constraint;

/// The form of a decision among `offers`.
#[must_use]
pub fn constraint(offers: &[Offer], steps: Steps) -> Constraint {
    Constraint {
        gbnf: gbnf(offers, steps),
        json_schema: json_schema(offers, steps),
    }
}

fn gbnf(offers: &[Offer], steps: Steps) -> String {
    let mut grammar = Grammar::new();
    let calls: Vec<String> = offers
        .iter()
        .map(|offer| {
            let content = content_rule(&mut grammar, offer);
            let tool = member(
                "tool",
                &json_literal(&Value::from(offer.capability.as_str())),
            );
            let done = match steps {
                Steps::One => String::new(),
                Steps::Many => format!(" (ws \",\" ws {})?", member("done", "boolean")),
            };
            let content = member("content", &content);
            let call = format!(
                "{} ws {tool} ws \",\" ws {content}{done} ws {}",
                literal("{"),
                literal("}")
            );
            grammar.add(&format!("call-{}", offer.capability), call)
        })
        .collect();
    grammar.render(&calls.join(" | "))
}

fn content_rule(grammar: &mut Grammar, offer: &Offer) -> String {
    if offer.takes_text() {
        return "text".to_owned();
    }
    let inputs: Vec<String> = offer
        .operations
        .iter()
        .map(|operation| {
            let hint = format!("{}-{}", offer.capability, operation.name);
            let action = offer
                .names_operation
                .then_some((ACTION, operation.name.as_str()));
            SchemaRules::new(grammar, &operation.input, &hint).input(action)
        })
        .collect();
    format!("({})", inputs.join(" | "))
}

fn json_schema(offers: &[Offer], steps: Steps) -> Value {
    let mut definitions = Map::new();
    let mut calls = Vec::new();
    for offer in offers {
        let content: Vec<Value> = offer
            .operations
            .iter()
            .map(|operation| content_schema(offer, operation, &mut definitions))
            .collect();
        let mut properties = Map::new();
        properties.insert("tool".to_owned(), json!({"const": offer.capability}));
        properties.insert("content".to_owned(), one_of(content));
        if steps == Steps::Many {
            properties.insert("done".to_owned(), json!({"type": "boolean"}));
        }
        calls.push(json!({
            "type": "object",
            "properties": properties,
            "required": ["tool", "content"],
            "additionalProperties": false,
        }));
    }
    let mut schema = one_of(calls);
    if let Value::Object(fields) = &mut schema
        && !definitions.is_empty()
    {
        fields.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

fn one_of(mut schemas: Vec<Value>) -> Value {
    if schemas.len() == 1 {
        schemas.remove(0)
    } else {
        json!({"anyOf": schemas})
    }
}

/// An operation's input schema with `action` as its first property. References lead to the schema as
/// the tool wrote it, which moves under `$defs`.
fn content_schema(
    offer: &Offer,
    operation: &OfferedOperation,
    definitions: &mut Map<String, Value>,
) -> Value {
    if offer.takes_text() {
        return json!({"type": "string", "minLength": 1});
    }
    let place = format!("{}.{}", offer.capability, operation.name);
    let mut original = operation.input.clone();
    if redirect(&mut original, &format!("#/$defs/{place}")) {
        definitions.insert(place, original.clone());
    }
    let Value::Object(mut fields) = original else {
        return json!({"type": "object"});
    };
    fields.shift_remove("$defs");
    fields.shift_remove("$schema");
    fields.shift_remove("$id");
    if offer.names_operation {
        let mut properties = Map::new();
        properties.insert(ACTION.to_owned(), json!({"const": operation.name}));
        if let Some(Value::Object(own)) = fields.shift_remove("properties") {
            properties.extend(own);
        }
        fields.insert("properties".to_owned(), Value::Object(properties));
        let mut required = vec![Value::from(ACTION)];
        if let Some(Value::Array(own)) = fields.shift_remove("required") {
            required.extend(own);
        }
        fields.insert("required".to_owned(), Value::Array(required));
    }
    Value::Object(fields)
}

/// Prefixes every local reference with `place`. Returns whether there was one.
fn redirect(schema: &mut Value, place: &str) -> bool {
    match schema {
        Value::Object(fields) => {
            let mut found = false;
            for (key, value) in fields.iter_mut() {
                let pointer = value
                    .as_str()
                    .filter(|_| key == "$ref")
                    .and_then(|r| r.strip_prefix('#'));
                if let Some(pointer) = pointer {
                    *value = Value::from(format!("{place}{pointer}"));
                    found = true;
                } else {
                    found |= redirect(value, place);
                }
            }
            found
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |found, item| redirect(item, place) | found),
        _ => false,
    }
}

#[cfg(test)]
pub(super) mod gbnf_recogniser;
#[cfg(test)]
mod tests;
