//! Forge's long-term memory. Declared by [`Requires::memory`](crate::Requires::memory). Not here:
//! forgetting, which is the operator's.

use serde::{Deserialize, Serialize};

use crate::bindings::forge::tool::memory as host;
use crate::component::on_host;
use crate::error::Result;

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Query {
    /// Words near in meaning to what is looked for.
    pub text: String,
    /// How many entries at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Only entries of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only entries of this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its kind, such as `fact`.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// How near it is; more is nearer.
    pub score: f64,
}

/// An entry to keep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewEntry {
    /// Its text.
    pub text: String,
    /// Its kind, such as `decision`, `todo` or `fact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Finds entries, nearest first.
///
/// # Errors
/// `denied` without the declaration, `unavailable` when memory does not answer.
pub fn recall(query: &Query) -> Result<Vec<Entry>> {
    #[derive(Deserialize)]
    struct Found {
        entries: Vec<Entry>,
    }
    let query = serde_json::to_string(query)?;
    let found = on_host("memory", || host::recall(&query))?;
    Ok(serde_json::from_str::<Found>(&found)?.entries)
}

/// Keeps an entry and returns its id.
///
/// # Errors
/// `denied` unless [`Access::Write`](crate::Access::Write) was declared, `unavailable` when memory does
/// not answer.
pub fn remember(entry: &NewEntry) -> Result<String> {
    let entry = serde_json::to_string(entry)?;
    on_host("memory", || host::remember(&entry))
}
