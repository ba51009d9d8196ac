//! Labels that follow data: where it came from. Not here: what follows from them; that is policy.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where data came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// From outside: others could have written it for the model to read.
    External,
    /// From the operator's own: the workspace, the memory, this machine.
    Private,
}

impl Label {
    /// `external` or `private`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Private => "private",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
