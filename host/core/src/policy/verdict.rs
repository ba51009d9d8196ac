//! Policy's answers: allow, ask with what is asked, or deny.

use std::fmt;

use forge_contract::outcome::Denial;
use serde::{Deserialize, Serialize};

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// It may be made.
    Allow,
    /// It may be made once a person has said yes to each of these; there is at least one.
    Ask(Vec<Ask>),
    /// It may not, whoever says yes.
    Deny(Denial),
}

/// One question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Who asks.
    pub gate: Gate,
    /// Why.
    pub reason: String,
}

/// What can ask about a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Gate {
    /// A rule of the operator's, by name.
    Rule(String),
    /// Where the data of the run came from.
    Label,
    /// The mode `ask`.
    Mode,
    /// The mode `auto`, about what could do harm.
    Risk,
    /// A path that nobody has named and nobody has read.
    Path,
}

impl Gate {
    /// Whether a rule can say yes for ever. Nobody can know in advance what data from outside will ask for.
    #[must_use]
    pub fn may_be_always(&self) -> bool {
        *self != Self::Label
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(name) => write!(f, "rule:{name}"),
            Self::Label => f.write_str("label"),
            Self::Mode => f.write_str("mode"),
            Self::Risk => f.write_str("risk"),
            Self::Path => f.write_str("path"),
        }
    }
}

impl TryFrom<String> for Gate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "label" => Ok(Self::Label),
            "mode" => Ok(Self::Mode),
            "risk" => Ok(Self::Risk),
            "path" => Ok(Self::Path),
            other => match other.strip_prefix("rule:") {
                Some(name) if !name.is_empty() => Ok(Self::Rule(name.to_owned())),
                _ => Err(format!(
                    "`{other}` is no gate: use `mode`, `risk`, `path` or `rule:NAME`"
                )),
            },
        }
    }
}

impl From<Gate> for String {
    fn from(gate: Gate) -> Self {
        gate.to_string()
    }
}
