//! What tools keep in a conversation, each for itself: small texts by key.
//!
//! A turn works on [`TurnNotes`]: it sees what was kept before and what it has kept itself, and leaves
//! [`NoteChanges`] behind, which an event carries.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// The most keys of one tool; beyond it, the one that was set longest ago is forgotten.
pub const KEYS: usize = 1000;
/// The longest key, in bytes.
pub const KEY_BYTES: usize = 1024;
/// The longest value, in bytes.
pub const VALUE_BYTES: usize = 4096;

/// The notes of all tools in one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    by_tool: BTreeMap<String, ToolNotes>,
}

impl Notes {
    /// What `tool`, a capability, has kept under `key`.
    #[must_use]
    pub fn get(&self, tool: &str, key: &str) -> Option<&str> {
        self.by_tool.get(tool)?.get(key)
    }

    /// Takes in what a turn has changed.
    pub fn apply(&mut self, changes: &NoteChanges) {
        for (tool, changes) in &changes.by_tool {
            let notes = self.by_tool.entry(tool.clone()).or_default();
            for (key, value) in changes {
                notes.set(key, value.as_deref());
            }
        }
    }

    /// The texts' size, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.by_tool.values().map(|notes| notes.bytes).sum()
    }
}

/// What a turn has changed, in the order in which it was set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NoteChanges {
    by_tool: BTreeMap<String, Vec<(String, Option<String>)>>,
}

impl NoteChanges {
    /// Whether nothing was changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_tool.is_empty()
    }
}

/// The notes as one turn sees them.
#[derive(Debug, Default)]
pub struct TurnNotes {
    before: Arc<Notes>,
    /// The notes of the tools that have set something, as they are now.
    now: Mutex<BTreeMap<String, ToolNotes>>,
}

impl TurnNotes {
    /// For a turn that finds `before`.
    #[must_use]
    pub fn new(before: Arc<Notes>) -> Self {
        Self {
            before,
            now: Mutex::default(),
        }
    }

    /// What `tool`, a capability, has kept under `key`, in this turn or before.
    #[must_use]
    pub fn get(&self, tool: &str, key: &str) -> Option<String> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match now.get(tool) {
            Some(notes) => notes.get(key),
            None => self.before.get(tool, key),
        };
        found.map(str::to_owned)
    }

    /// Keeps `value` under `key` for `tool`, a capability, or forgets the key.
    ///
    /// # Errors
    /// When the key or the value is too long: nothing is changed.
    pub fn set(&self, tool: &str, key: &str, value: Option<&str>) -> Result<(), NoteTooLong> {
        let value_bytes = value.map_or(0, str::len);
        if key.len() > KEY_BYTES || value_bytes > VALUE_BYTES {
            return Err(NoteTooLong {
                key_bytes: key.len(),
                value_bytes,
            });
        }
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if !now.contains_key(tool) {
            let before = self.before.by_tool.get(tool).cloned();
            now.insert(tool.to_owned(), before.unwrap_or_default());
        }
        if let Some(notes) = now.get_mut(tool) {
            notes.set(key, value);
        }
        Ok(())
    }

    /// What has been changed since the turn began.
    #[must_use]
    pub fn changes(&self) -> NoteChanges {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing = ToolNotes::default();
        let by_tool = now
            .iter()
            .map(|(tool, notes)| {
                let before = self.before.by_tool.get(tool).unwrap_or(&nothing);
                (tool.clone(), notes.changes_since(before))
            })
            .filter(|(_, changes)| !changes.is_empty())
            .collect();
        NoteChanges { by_tool }
    }
}

/// A note that is too long to be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a key of {key_bytes} bytes with a value of {value_bytes} bytes can't be kept: at most {KEY_BYTES} and {VALUE_BYTES} fit"
)]
pub struct NoteTooLong {
    key_bytes: usize,
    value_bytes: usize,
}

/// The notes of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ToolNotes {
    notes: HashMap<String, Note>,
    /// How often something was set.
    count: u64,
    bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    value: String,
    /// [`ToolNotes::count`] when it was set: the smallest is the oldest.
    set_at: u64,
}

impl ToolNotes {
    fn get(&self, key: &str) -> Option<&str> {
        self.notes.get(key).map(|note| note.value.as_str())
    }

    fn set(&mut self, key: &str, value: Option<&str>) {
        self.forget(key);
        let Some(value) = value else { return };
        if self.notes.len() >= KEYS {
            let oldest = self.notes.iter().min_by_key(|(_, note)| note.set_at);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.forget(&oldest);
            }
        }
        self.count += 1;
        self.bytes += key.len() + value.len();
        let note = Note {
            value: value.to_owned(),
            set_at: self.count,
        };
        self.notes.insert(key.to_owned(), note);
    }

    fn forget(&mut self, key: &str) {
        if let Some(note) = self.notes.remove(key) {
            self.bytes -= key.len() + note.value.len();
        }
    }

    /// What makes these notes of `before`: first what was forgotten, then what was set, oldest first.
    fn changes_since(&self, before: &Self) -> Vec<(String, Option<String>)> {
        let mut gone: Vec<&String> = before
            .notes
            .keys()
            .filter(|key| !self.notes.contains_key(*key))
            .collect();
        gone.sort_unstable();
        let mut set: Vec<(&String, &Note)> = self
            .notes
            .iter()
            .filter(|(_, note)| note.set_at > before.count)
            .collect();
        set.sort_unstable_by_key(|(_, note)| note.set_at);
        let gone = gone.into_iter().map(|key| (key.clone(), None));
        let set = set
            .into_iter()
            .map(|(key, note)| (key.clone(), Some(note.value.clone())));
        gone.chain(set).collect()
    }
}

#[cfg(test)]
mod tests;
