//! What a tool says of itself: the JSON document that `describe` returns.
//!
//! Its published form is `wit/manifest.schema.json`. Not here: whether the component's imports agree
//! with it; the runtime proves that.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::name::Name;
use crate::requirements::{BadRequirement, Requirements};

/// What a tool says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this document's form: [`Manifest::VERSION`].
    pub manifest_version: u32,
    /// The capability that the tool offers.
    pub name: Name,
    /// The tool's own version.
    pub version: String,
    /// What it is for, in one sentence, for models and people.
    pub summary: String,
    /// What it can do; one at least.
    pub operations: Vec<Operation>,
    /// Fields that this host does not know.
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

/// One thing that a capability does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name; `run` where the capability has only one.
    pub name: Name,
    /// What it does, in one sentence.
    pub summary: String,
    /// The JSON Schema of its input, of type `object` or `string`.
    pub input: Value,
    /// What a person might ask, and the input that serves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// What its effects are like.
    #[serde(default)]
    pub hints: Hints,
    /// What it needs. Absent: policy assumes everything and the runtime grants nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Requirements>,
    /// Fields that this host does not know.
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

/// A request and the input that serves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What a person might say.
    pub user: String,
    /// The operation's input for it.
    pub input: Value,
}

/// What an operation's effects are like. Hints make policy stricter, never milder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hints {
    /// It may destroy what can't be made again.
    pub destructive: bool,
    /// Doing it twice is the same as doing it once.
    pub idempotent: bool,
}

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// One text: the model's words are the input, as for `chat` and `code`.
    Text,
    /// A JSON object.
    Object,
}

impl Manifest {
    /// The version of the document's form that this host reads.
    pub const VERSION: u32 = 1;
    /// The longest document, in bytes.
    pub const MAX_BYTES: usize = 256 * 1024;
    /// The most operations of one tool.
    pub const MAX_OPERATIONS: usize = 64;
    /// The longest summary or version, in characters.
    pub const MAX_TEXT_CHARS: usize = 1000;

    /// Reads a manifest. Unknown descriptive fields are no error; [`Manifest::warnings`] names them.
    ///
    /// # Errors
    /// When the document is too long, no such JSON, of another version, or breaks a rule of its own.
    /// The message names the place.
    pub fn parse(json: &str) -> Result<Self, BadManifest> {
        if json.len() > Self::MAX_BYTES {
            return Err(BadManifest::TooLong { bytes: json.len() });
        }
        let document: Value = serde_json::from_str(json).map_err(|error| BadManifest::Json {
            problem: error.to_string(),
        })?;
        let manifest: Self =
            serde_path_to_error::deserialize(document).map_err(|error| BadManifest::Shape {
                at: error.path().to_string(),
                problem: error.inner().to_string(),
            })?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The operation called `name`.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .find(|operation| operation.name.as_str() == name)
    }

    /// What is odd about the manifest without making it useless.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let of_tool = self
            .unknown
            .keys()
            .map(|key| format!("unknown field `{key}` is ignored"));
        let of_operations = self.operations.iter().flat_map(|operation| {
            let fields = operation.unknown.keys();
            let unknown = fields.map(|key| {
                format!(
                    "unknown field `{key}` of operation `{}` is ignored",
                    operation.name
                )
            });
            let undeclared = operation.requires.is_none().then(|| {
                format!(
                    "operation `{}` declares no `requires`: it is granted nothing",
                    operation.name
                )
            });
            unknown.chain(undeclared).collect::<Vec<_>>()
        });
        of_tool.chain(of_operations).collect()
    }

    fn check(&self) -> Result<(), BadManifest> {
        if self.manifest_version != Self::VERSION {
            return Err(BadManifest::Version {
                found: self.manifest_version,
            });
        }
        if self.operations.is_empty() || self.operations.len() > Self::MAX_OPERATIONS {
            return Err(BadManifest::OperationCount {
                count: self.operations.len(),
            });
        }
        check_text("version", &self.version)?;
        check_text("summary", &self.summary)?;
        let mut names = BTreeSet::new();
        for operation in &self.operations {
            if !names.insert(&operation.name) {
                return Err(BadManifest::TwoOperations {
                    operation: operation.name.to_string(),
                });
            }
            operation.check()?;
        }
        Ok(())
    }
}

impl Operation {
    /// The name of the only operation of a capability that has one.
    pub const ONLY: &str = "run";

    /// What the operation takes. A manifest that was read has no other kind.
    #[must_use]
    pub fn input_kind(&self) -> InputKind {
        if self.input.get("type").and_then(Value::as_str) == Some("string") {
            InputKind::Text
        } else {
            InputKind::Object
        }
    }

    fn check(&self) -> Result<(), BadManifest> {
        let at = |field: &str| format!("operations.{}.{field}", self.name);
        check_text(&at("summary"), &self.summary)?;
        for (index, example) in self.examples.iter().enumerate() {
            check_text(&at(&format!("examples[{index}].user")), &example.user)?;
        }
        if !matches!(
            self.input.get("type").and_then(Value::as_str),
            Some("object" | "string")
        ) {
            return Err(BadManifest::InputType {
                operation: self.name.to_string(),
            });
        }
        if let Some(requirements) = &self.requires {
            requirements
                .check()
                .map_err(|source| BadManifest::Requires {
                    operation: self.name.to_string(),
                    source,
                })?;
        }
        Ok(())
    }
}

fn check_text(field: &str, text: &str) -> Result<(), BadManifest> {
    let is_shown_safely = !text.chars().any(|c| c.is_control() || is_invisible(c));
    let has_length = !text.trim().is_empty() && text.chars().count() <= Manifest::MAX_TEXT_CHARS;
    if is_shown_safely && has_length {
        Ok(())
    } else {
        Err(BadManifest::Text {
            field: field.to_owned(),
        })
    }
}

/// Characters that could make a text read other than it is written: bidirectional controls and
/// zero-width characters (Unicode Technical Report 36, section 2).
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Why a document is no manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadManifest {
    /// Longer than any manifest needs to be.
    #[error(
        "the manifest has {bytes} bytes; at most {} are read",
        Manifest::MAX_BYTES
    )]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Not JSON at all.
    #[error("the manifest is no JSON: {problem}")]
    Json {
        /// What is wrong, and where.
        problem: String,
    },
    /// A missing or mistyped field, or an unknown field where none is allowed.
    #[error("the manifest can't be read at `{at}`: {problem}")]
    Shape {
        /// The path to the place.
        at: String,
        /// What is wrong there.
        problem: String,
    },
    /// A form of another time.
    #[error(
        "the manifest's form is version {found}; this host reads version {}",
        Manifest::VERSION
    )]
    Version {
        /// The version that the document gives.
        found: u32,
    },
    /// No operation, or too many.
    #[error(
        "the manifest has {count} operations; a tool has 1 to {}",
        Manifest::MAX_OPERATIONS
    )]
    OperationCount {
        /// How many there are.
        count: usize,
    },
    /// One name twice.
    #[error("the manifest has two operations called `{operation}`")]
    TwoOperations {
        /// The name.
        operation: String,
    },
    /// A text that can't be shown as it is.
    #[error(
        "the manifest's `{field}` is blank, longer than {} characters, or holds control or invisible characters",
        Manifest::MAX_TEXT_CHARS
    )]
    Text {
        /// Which field.
        field: String,
    },
    /// An input that is neither an object nor a text.
    #[error(
        "the input schema of operation `{operation}` must have \"type\": \"object\" or \"string\""
    )]
    InputType {
        /// Which operation.
        operation: String,
    },
    /// Requirements that contradict themselves.
    #[error("operation `{operation}`: {source}")]
    Requires {
        /// Which operation.
        operation: String,
        /// The contradiction.
        source: BadRequirement,
    },
}

#[cfg(test)]
mod tests;
