//! What an operation takes: its JSON Schema for the manifest, and reading it. Not here: the derives,
//! which `#[forge_sdk::input]` puts on an author's type.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result};

/// The input of an operation that takes nothing: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoInput {}

/// Reads an input, a serialised JSON value.
pub(crate) fn parse<I: DeserializeOwned>(json: &str) -> Result<I> {
    serde_json::from_str(json)
        .map_err(|error| Error::invalid_input(format!("the input can't be read: {error}")))
}

/// The schema of `I`: draft 2020-12 without `$schema` and title, and without references, which not
/// every model server follows.
pub(crate) fn schema<I: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<I>();
    schema.remove("title");
    WithoutNumberFormats.transform(&mut schema);
    schema.to_value()
}

/// Drops `"format": "uint32"` and the like: they say nothing that JSON knows, and some model servers
/// refuse a format that they have never heard of.
struct WithoutNumberFormats;

impl Transform for WithoutNumberFormats {
    fn transform(&mut self, schema: &mut Schema) {
        let is_of_number = schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|format| {
                ["uint", "int", "float", "double"]
                    .iter()
                    .any(|number| format.starts_with(number))
            });
        if is_of_number {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests;
