//! From a JSON Schema to GBNF rules.
//!
//! A grammar is never stricter than needed to write something valid and often looser than the schema:
//! what it can't say (patterns, ranges, sums of members) becomes any value of the kind, and the validator
//! has the last word. It is always a valid grammar.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::gbnf::{Grammar, json_literal, member};
use super::range;

/// Writes rules for the parts of one schema.
pub(super) struct SchemaRules<'a> {
    grammar: &'a mut Grammar,
    root: &'a Value,
    hint: String,
    /// The rule of each reference; `None` while it is being written.
    references: BTreeMap<&'a str, Option<String>>,
    depth: usize,
}

/// Deeper parts are any JSON value.
const MAX_DEPTH: usize = 24;
/// The longest string and the most items that are counted out.
const MAX_LENGTH: u64 = 1000;
const MAX_ITEMS: u64 = 64;
/// The most values of an `enum` that are spelled out.
const MAX_VALUES: usize = 500;

impl<'a> SchemaRules<'a> {
    /// Rules whose names begin with `hint`.
    pub(super) fn new(grammar: &'a mut Grammar, root: &'a Value, hint: &str) -> Self {
        Self {
            grammar,
            root,
            hint: hint.to_owned(),
            references: BTreeMap::new(),
            depth: 0,
        }
    }

    /// The rule of an input, which is an object, with the member `first` before its own.
    pub(super) fn input(&mut self, first: Option<(&str, &str)>) -> String {
        let mut schema = self.root;
        while let Some(target) = self.target(schema) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                break;
            }
            schema = target.1;
        }
        self.depth = 0;
        let first = first.map(|(key, value)| member(key, &json_literal(&Value::from(value))));
        self.object(schema, first)
    }

    /// An expression for `schema`: one rule's name, or something that can stand like one.
    fn expression(&mut self, schema: &'a Value) -> String {
        if self.depth >= MAX_DEPTH || self.grammar.is_full() {
            return "value".to_owned();
        }
        self.depth += 1;
        let expression = self.of(schema);
        self.depth -= 1;
        expression
    }

    fn of(&mut self, schema: &'a Value) -> String {
        if schema.get("$ref").is_some() {
            return self.reference(schema);
        }
        if let Some(value) = schema.get("const") {
            return json_literal(value);
        }
        match schema.get("enum").and_then(Value::as_array) {
            Some(values) if (1..=MAX_VALUES).contains(&values.len()) => {
                let values: Vec<String> = values.iter().map(json_literal).collect();
                return format!("({})", values.join(" | "));
            }
            _ => {}
        }
        if schema.get("properties").is_none() {
            let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf"));
            if let Some(members) = alternatives
                .and_then(Value::as_array)
                .filter(|m| !m.is_empty())
            {
                return self.any_of(members.iter());
            }
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.typed(name, schema),
            Some(Value::Array(names)) if names.iter().any(Value::is_string) => {
                let names = names.iter().filter_map(Value::as_str);
                let kinds: Vec<String> = names.map(|name| self.typed(name, schema)).collect();
                format!("({})", kinds.join(" | "))
            }
            _ if schema.get("properties").is_some() => self.object(schema, None),
            _ => "value".to_owned(),
        }
    }

    fn any_of(&mut self, members: impl Iterator<Item = &'a Value>) -> String {
        let members: Vec<String> = members.map(|schema| self.expression(schema)).collect();
        format!("({})", members.join(" | "))
    }

    /// A reference that is met inside itself is any JSON value there.
    fn reference(&mut self, schema: &'a Value) -> String {
        let Some((pointer, target)) = self.target(schema) else {
            return "value".to_owned();
        };
        match self.references.get(pointer) {
            Some(Some(rule)) => return rule.clone(),
            Some(None) => return "value".to_owned(),
            None => {}
        }
        self.references.insert(pointer, None);
        let body = self.expression(target);
        let rule = self.grammar.add(&format!("{}-ref", self.hint), body);
        self.references.insert(pointer, Some(rule.clone()));
        rule
    }

    fn target(&self, schema: &'a Value) -> Option<(&'a str, &'a Value)> {
        let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        Some((pointer, self.root.pointer(pointer)?))
    }

    fn typed(&mut self, name: &str, schema: &'a Value) -> String {
        match name {
            "string" => match string(schema) {
                Some(body) => self.rule("string", body),
                None => "string".to_owned(),
            },
            "integer" => match range::integer(schema) {
                Some(body) => self.rule("integer", body),
                None => "integer".to_owned(),
            },
            "number" | "boolean" | "null" => name.to_owned(),
            "array" => self.array(schema),
            "object" => self.object(schema, None),
            _ => "value".to_owned(),
        }
    }

    fn array(&mut self, schema: &'a Value) -> String {
        let is_tuple = schema.get("prefixItems").is_some();
        let Some(items) = schema.get("items").filter(|_| !is_tuple) else {
            return "array".to_owned();
        };
        let item = self.expression(items);
        let (min, max) = bounds(schema, "minItems", "maxItems", MAX_ITEMS);
        let more = |times: String| format!("{item} (ws \",\" ws {item}){times}");
        let items = match (min, max) {
            (_, Some(0)) => String::new(),
            (0, None) => format!("({})? ws ", more("*".to_owned())),
            (0, Some(max)) => format!("({})? ws ", more(format!("{{0,{}}}", max - 1))),
            (min, None) => format!("{} ws ", more(format!("{{{},}}", min - 1))),
            (min, Some(max)) => format!("{} ws ", more(format!("{{{},{}}}", min - 1, max - 1))),
        };
        self.rule("list", format!("\"[\" ws {items}\"]\""))
    }

    fn object(&mut self, schema: &'a Value, first: Option<String>) -> String {
        let others = self.other_members(schema);
        let members = self.declared_members(schema);
        // From the last member to the first: what may follow once one is written.
        let mut tails = vec![
            others
                .as_ref()
                .map_or_else(String::new, |other| format!("(ws \",\" ws {other})*")),
        ];
        for member in members.iter().rev() {
            let sign = if member.is_required { "" } else { "?" };
            let next = tails.last().cloned().unwrap_or_default();
            let tail = format!("(ws \",\" ws {}){sign} {next}", member.rule);
            tails.push(self.rule("rest", tail));
        }
        tails.reverse();
        let body = match first {
            Some(first) => format!("{first} {}", tails[0]),
            None => beginnings(&members, &tails, others.as_deref()),
        };
        self.rule("object", format!("\"{{\" ws {body} ws \"}}\""))
    }

    fn declared_members(&mut self, schema: &'a Value) -> Vec<Member> {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut members = Vec::new();
        if let Some(properties) = properties {
            for (key, of) in properties {
                let value = self.expression(of);
                members.push(Member {
                    rule: self.rule(&format!("member-{key}"), member(key, &value)),
                    is_required: required.contains(&key.as_str()),
                });
            }
        }
        for key in required {
            if !properties.unwrap_or(&none).contains_key(key) {
                members.push(Member {
                    rule: member(key, "value"),
                    is_required: true,
                });
            }
        }
        members
    }

    /// A member that is not declared, where such are let in.
    fn other_members(&mut self, schema: &'a Value) -> Option<String> {
        let has_declared = schema
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|p| !p.is_empty());
        let value = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => return None,
            None if has_declared => return None,
            Some(of @ Value::Object(_)) => self.expression(of),
            _ => "value".to_owned(),
        };
        Some(format!("string ws \":\" ws {value}"))
    }

    fn rule(&mut self, hint: &str, body: String) -> String {
        let hint: String = hint.chars().take(40).collect();
        self.grammar.add(&format!("{}-{hint}", self.hint), body)
    }
}

struct Member {
    rule: String,
    is_required: bool,
}

/// The members of an object from the first that is written: any optional one, or the first required.
fn beginnings(members: &[Member], tails: &[String], others: Option<&str>) -> String {
    let mut ways = Vec::new();
    let mut can_be_empty = true;
    for (member, tail) in members.iter().zip(&tails[1..]) {
        ways.push(format!("{} {tail}", member.rule));
        if member.is_required {
            can_be_empty = false;
            break;
        }
    }
    if can_be_empty && let Some(other) = others {
        ways.push(format!("{other} (ws \",\" ws {other})*"));
    }
    let sign = if can_be_empty { "?" } else { "" };
    match ways.is_empty() {
        true => String::new(),
        false => format!("({}){sign}", ways.join(" | ")),
    }
}

/// The body of a string whose length is bounded.
fn string(schema: &Value) -> Option<String> {
    let times = match bounds(schema, "minLength", "maxLength", MAX_LENGTH) {
        (0, None) => return None,
        (min, None) => format!("{min},"),
        (min, Some(max)) => format!("{min},{max}"),
    };
    Some(format!("\"\\\"\" char{{{times}}} \"\\\"\""))
}

/// Bounds that can be counted out; others are left to the validator.
fn bounds(schema: &Value, min: &str, max: &str, limit: u64) -> (u64, Option<u64>) {
    let bound = |key| {
        schema
            .get(key)
            .and_then(Value::as_u64)
            .filter(|n| *n <= limit)
    };
    let (min, max) = (bound(min).unwrap_or(0), bound(max));
    match max {
        Some(max) if max < min => (0, None),
        max => (min, max),
    }
}

#[cfg(test)]
mod tests;
