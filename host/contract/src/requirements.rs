//! What an operation needs, as its manifest declares it. Not here: what the operator lets it have
//! ([`crate::grant`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::header;
use crate::name::{Name, ProgramName, shown};
use crate::origin::OriginPattern;
use crate::power::Power;

/// What one operation needs. An unknown field is an error: nothing could enforce it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Requirements {
    /// Origins it sends requests to.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub network: BTreeSet<OriginPattern>,
    /// Whether it asks the language model.
    #[serde(skip_serializing_if = "is_false")]
    pub llm: bool,
    /// How it uses the files of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Access>,
    /// Programs it runs, by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub programs: BTreeSet<ProgramName>,
    /// How it uses Forge's long-term memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Access>,
    /// Other capabilities it calls.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub calls: BTreeSet<Name>,
    /// Views of the host it reads.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub observes: BTreeSet<View>,
    /// Secrets that the host adds to its requests.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub secrets: BTreeSet<Secret>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// How far a store of the operator's is opened. `Write` includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Look, change nothing.
    Read,
    /// Look and change.
    Write,
}

/// A read-only view of the host that Forge computes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Load, cores, the processes that use most.
    Cpu,
    /// Service units and their states.
    Units,
    /// Containers and their states.
    Containers,
    /// Lines of the system's journal.
    Journal,
}

/// A secret that the host adds as `header` to requests to `origin`. The tool never sees its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// The name under which the operator stores it.
    pub name: Name,
    /// Where it may be sent.
    pub origin: OriginPattern,
    /// The header that carries it.
    pub header: String,
    /// What stands before it in the header, such as `Bearer ` with its space.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

impl Secret {
    /// Whether a request to one place would need both in one header.
    fn collides_with(&self, other: &Self) -> bool {
        self.header.eq_ignore_ascii_case(&other.header)
            && self.origin.intersection(&other.origin).is_some()
    }
}

/// Whether a secret can be in the header `name`. Whoever adds one also says how the answer is encoded.
fn can_carry(name: &str) -> bool {
    header::is_name(name)
        && !header::is_of_connection(name)
        && !name.eq_ignore_ascii_case("accept-encoding")
}

/// The longest text before a secret in its header.
const MOST_PREFIX_CHARS: usize = 64;

impl Requirements {
    /// The host interfaces that act on these requirements.
    #[must_use]
    pub fn powers(&self) -> BTreeSet<Power> {
        Power::ALL
            .into_iter()
            .filter(|power| self.opens(*power))
            .collect()
    }

    /// Whether `power` acts on these requirements.
    #[must_use]
    pub fn opens(&self, power: Power) -> bool {
        match power {
            Power::Llm => self.llm,
            Power::Process => !self.programs.is_empty(),
            Power::Memory => self.memory.is_some(),
            Power::Capabilities => !self.calls.is_empty(),
            Power::Observe => !self.observes.is_empty(),
            Power::Http | Power::WasiHttp => !self.network.is_empty(),
            Power::Files => self.workspace.is_some(),
        }
    }

    /// Whether nothing at all is needed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks what the shape of the document can't say.
    ///
    /// # Errors
    /// When a secret is bound for an origin that `network` does not declare, when its header can't carry it, or when
    /// two would share a header.
    pub fn check(&self) -> Result<(), BadRequirement> {
        for secret in &self.secrets {
            let name = secret.name.to_string();
            if !self
                .network
                .iter()
                .any(|origin| origin.covers(&secret.origin))
            {
                return Err(BadRequirement::SecretWithoutOrigin {
                    name,
                    origin: secret.origin.to_string(),
                });
            }
            if !can_carry(&secret.header) {
                return Err(BadRequirement::SecretHeader {
                    name,
                    header: shown(&secret.header),
                });
            }
            let is_fit = |c: char| c == ' ' || c.is_ascii_graphic();
            if secret.prefix.len() > MOST_PREFIX_CHARS || !secret.prefix.chars().all(is_fit) {
                return Err(BadRequirement::SecretPrefix { name });
            }
            let mut others = self.secrets.iter().filter(|other| *other != secret);
            if let Some(other) = others.find(|other| secret.collides_with(other)) {
                return Err(BadRequirement::SecretsCollide {
                    name,
                    other: other.name.to_string(),
                    header: shown(&secret.header),
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// In one line, for people: `workspace: read; network: https://api.example.com`, or `nothing`.
impl fmt::Display for Requirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: BTreeMap<String, Value> = match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        if fields.is_empty() {
            return f.write_str("nothing");
        }
        let parts: Vec<String> = fields
            .iter()
            .map(|(name, value)| shown_field(name, value))
            .collect();
        f.write_str(&parts.join("; "))
    }
}

fn shown_field(name: &str, value: &Value) -> String {
    let one = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(secret) => secret
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        other => other.to_string(),
    };
    match value {
        Value::Bool(true) => name.to_owned(),
        Value::Array(items) => format!(
            "{name}: {}",
            items.iter().map(one).collect::<Vec<_>>().join(", ")
        ),
        other => format!("{name}: {}", one(other)),
    }
}

/// Requirements that contradict themselves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRequirement {
    /// A secret that could be sent nowhere.
    #[error(
        "secret `{name}` is for `{origin}`, which `network` does not declare: add the origin there"
    )]
    SecretWithoutOrigin {
        /// The secret.
        name: String,
        /// Where it was to be sent.
        origin: String,
    },
    /// A header that no tool may set.
    #[error(
        "secret `{name}` names the header `{header}`, which can't carry one: try `Authorization`"
    )]
    SecretHeader {
        /// The secret.
        name: String,
        /// What was given.
        header: String,
    },
    /// A text before a secret that no header can carry.
    #[error(
        "secret `{name}` has a `prefix` that is longer than {MOST_PREFIX_CHARS} characters or holds others than \
         visible ones of ASCII: write it as in `Bearer `"
    )]
    SecretPrefix {
        /// The secret.
        name: String,
    },
    /// One request would have to carry both.
    #[error(
        "the secrets `{name}` and `{other}` would share the header `{header}`: name origins that differ"
    )]
    SecretsCollide {
        /// The one.
        name: String,
        /// The other.
        other: String,
        /// The header.
        header: String,
    },
}
