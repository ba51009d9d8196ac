//! The events of a conversation, as JSON.
//!
//! Every event, of whatever kind and version, begins with the same four fields: `v`, `kind`, `at` (RFC 3339)
//! and `messages`, how many messages the conversation has from then on. So an older Forge can tell what
//! it does not know, and whoever reads only the last event knows how long the conversation is.

use std::collections::BTreeSet;

use forge_contract::label::Label;
use serde::{Deserialize, Serialize};

use super::notes::NoteChanges;
use crate::store::Recorded;

/// The newest version of the kinds below.
const VERSION: u32 = 1;
const EXCHANGE: &str = "exchange";
const NOTES: &str = "notes";

/// An exchange that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewExchange {
    /// What the user said, whole.
    pub user: String,
    /// What was answered, whole.
    pub answer: String,
    /// When it was said, as RFC 3339.
    pub asked_at: String,
    /// When it was answered, as RFC 3339.
    pub answered_at: String,
    /// The run.
    pub run_id: String,
    /// The tool whose output the answer is.
    pub tool: String,
    /// Where what is in it came from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<Label>,
}

/// How long a conversation is, from its last event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Summary {
    /// How many messages there are.
    pub messages: u64,
    /// When something was added last, as RFC 3339.
    pub at: String,
}

impl Summary {
    /// The summary in a conversation's last event, of whatever kind it is; `None` if it can't be read.
    #[must_use]
    pub fn of_last(last: &Recorded) -> Option<Self> {
        serde_json::from_slice(&last.event).ok()
    }
}

/// An event that this Forge can't read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {position} was passed over: {reason}")]
pub struct Skipped {
    /// Its position in the conversation.
    pub position: u64,
    /// Why.
    pub reason: String,
}

/// An event as it was read.
pub(super) struct Event {
    pub(super) summary: Summary,
    pub(super) body: Body,
}

pub(super) enum Body {
    Exchange(ExchangeBody),
    Notes(NotesBody),
    Unknown(Unknown),
}

pub(super) struct Unknown {
    kind: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ExchangeBody {
    pub(super) exchange: NewExchange,
    #[serde(default, skip_serializing_if = "NoteChanges::is_empty")]
    pub(super) notes: NoteChanges,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NotesBody {
    pub(super) notes: NoteChanges,
}

#[derive(Deserialize)]
struct Kind {
    v: u32,
    kind: String,
}

impl Event {
    /// The event, if it can be read and may follow where there are `messages`.
    pub(super) fn after(messages: u64, recorded: &Recorded) -> Result<Self, Skipped> {
        let skipped = |reason| Skipped {
            position: recorded.position,
            reason,
        };
        let event = Self::decode(&recorded.event).map_err(skipped)?;
        let least = match &event.body {
            Body::Exchange(_) => messages.saturating_add(2),
            Body::Notes(_) | Body::Unknown(_) => messages,
        };
        let claimed = event.summary.messages;
        if claimed < least {
            return Err(skipped(format!(
                "it counts {claimed} messages where there are at least {least}"
            )));
        }
        Ok(event)
    }

    fn decode(event: &[u8]) -> Result<Self, String> {
        let Kind { v, kind } = read(event)?;
        let body = match (kind.as_str(), v) {
            (EXCHANGE, VERSION) => Body::Exchange(read(event)?),
            (NOTES, VERSION) => Body::Notes(read(event)?),
            _ => Body::Unknown(Unknown { kind, version: v }),
        };
        let summary = read(event)?;
        Ok(Self { summary, body })
    }
}

impl Unknown {
    pub(super) fn skipped(&self, recorded: &Recorded) -> Skipped {
        let Self { kind, version } = self;
        Skipped {
            position: recorded.position,
            reason: format!("`{kind}` of version {version} is not known to this Forge"),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(event: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(event).map_err(|error| error.to_string())
}

/// The event of an exchange after which there are `messages`.
pub(super) fn exchange(exchange: &NewExchange, notes: &NoteChanges, messages: u64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Written<'a> {
        v: u32,
        kind: &'static str,
        at: &'a str,
        messages: u64,
        exchange: &'a NewExchange,
        #[serde(skip_serializing_if = "NoteChanges::is_empty")]
        notes: &'a NoteChanges,
    }
    written(&Written {
        v: VERSION,
        kind: EXCHANGE,
        at: &exchange.answered_at,
        messages,
        exchange,
        notes,
    })
}

/// The event of notes in a conversation that has `messages`.
pub(super) fn notes(at: &str, notes: &NoteChanges, messages: u64) -> Vec<u8> {
    #[derive(Serialize)]
    struct Written<'a> {
        v: u32,
        kind: &'static str,
        at: &'a str,
        messages: u64,
        notes: &'a NoteChanges,
    }
    written(&Written {
        v: VERSION,
        kind: NOTES,
        at,
        messages,
        notes,
    })
}

fn written<T: Serialize>(event: &T) -> Vec<u8> {
    serde_json::to_vec(event).expect("texts and numbers can always be written as JSON")
}
