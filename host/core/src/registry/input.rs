//! Checks inputs against an operation's JSON Schema, compiled once.

use forge_contract::name::Name;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// A compiled input schema.
#[derive(Debug)]
pub(super) struct InputCheck {
    validator: Validator,
}

/// An input that breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct InvalidInput {
    /// Which field is at fault, as a JSON pointer; empty for the input as a whole.
    pub field: String,
    /// What is wrong, with the field's name. Holds no value of the input.
    pub problem: String,
}

impl InputCheck {
    /// Compiles `schema`.
    ///
    /// # Errors
    /// When it is no schema, or leads to another document. The text says what is wrong.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        if let Some(reference) = remote_reference(schema) {
            return Err(format!(
                "`$ref` leads to `{reference}`: write what it means under `$defs`"
            ));
        }
        // A tool's pattern must not be able to cost more than linear time.
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::regex())
            .build(schema)
            .map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    pub(super) fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        const MAX_PROBLEMS: usize = 3;
        let errors: Vec<ValidationError<'_>> = self
            .validator
            .iter_errors(input)
            .take(MAX_PROBLEMS)
            .collect();
        let Some(first) = errors.first() else {
            return Ok(());
        };
        let problems: Vec<String> = errors.iter().map(shown).collect();
        Err(InvalidInput {
            field: first.instance_path().to_string(),
            problem: problems.join("; "),
        })
    }
}

impl InvalidInput {
    pub(super) fn no_operation<'a>(names: impl Iterator<Item = &'a Name>, operation: &str) -> Self {
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let asked: String = operation.chars().take(64).collect();
        Self {
            field: String::new(),
            problem: format!(
                "there is no operation `{}`: there is {}",
                asked.escape_debug(),
                names.join(", ")
            ),
        }
    }
}

fn shown(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let problem = error.masked();
    if path.is_empty() {
        format!("the input is not valid: {problem}")
    } else {
        format!("`{}` is not valid: {problem}", path.trim_start_matches('/'))
    }
}

/// Whether an input schema declares a property `action`.
pub(super) fn declares_action(schema: &Value) -> bool {
    schema
        .get("properties")
        .is_some_and(|properties| properties.get("action").is_some())
}

/// A reference in `schema` that leads out of it.
fn remote_reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(fields) => fields.iter().find_map(|(key, value)| match value {
            Value::String(target) if matches!(key.as_str(), "$ref" | "$dynamicRef") => {
                (!target.starts_with('#')).then_some(target.as_str())
            }
            other => remote_reference(other),
        }),
        Value::Array(items) => items.iter().find_map(remote_reference),
        _ => None,
    }
}
