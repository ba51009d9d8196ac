//! A conversation: what its events make of it, and what a prompt sees of it.
//!
//! [`Conversation`] and [`Transcript`] are folds of events and nothing else: whoever reads the same events has the
//! same conversation. Not here: where the events are, and who may speak next.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use forge_contract::label::Label;

pub use crate::router::prompt::Exchange;
pub use event::{NewExchange, Skipped, Summary};
pub use id::{BadConversationId, ConversationId, STREAM_PREFIX};
pub use notes::{KEY_BYTES, KEYS, NoteChanges, NoteTooLong, Notes, TurnNotes, VALUE_BYTES};
pub use transcript::{Message, Role, Transcript};
pub use window::Window;

// In reading order: its name, what happens to it, what a person sees of it, what a prompt does, and what tools
// keep in it.
mod id;
mod event;
mod transcript;
mod window;
mod notes;

use crate::router::prompt::past_turn;
use crate::store::Recorded;
use event::{Body, Event};

/// A conversation as its events up to [`Conversation::head`] have made it: what a turn needs of it. What was said
/// is kept as far as a prompt sees it, and cut as a prompt has it, so that a long conversation takes no more room
/// than a window of it.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    window: Window,
    head: u64,
    messages: u64,
    updated_at: Option<String>,
    /// How many there were, whether they are seen or not.
    exchanges: usize,
    /// Those that are seen, each as the prompt has it.
    seen: VecDeque<Seen>,
    seen_bytes: usize,
    notes: Arc<Notes>,
}

/// An exchange that a prompt sees.
#[derive(Debug, Clone)]
struct Seen {
    text: String,
    labels: BTreeSet<Label>,
}

/// The ids of an exchange's two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// What the user said.
    pub user_id: u64,
    /// What was answered.
    pub assistant_id: u64,
}

impl Conversation {
    /// The conversation before its first event, of which prompts see `window`.
    #[must_use]
    pub fn new(window: Window) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// Takes in the event after [`Conversation::head`]. What this Forge can't read is passed over, and
    /// said.
    ///
    /// # Errors
    /// When the event was passed over.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<(), Skipped> {
        self.head = recorded.position;
        let event = Event::after(self.messages, recorded)?;
        self.messages = event.summary.messages;
        self.updated_at = Some(event.summary.at);
        match event.body {
            Body::Exchange(body) => {
                self.take_in(body.exchange);
                self.keep(&body.notes);
                Ok(())
            }
            Body::Notes(body) => {
                self.keep(&body.notes);
                Ok(())
            }
            Body::Unknown(unknown) => Err(unknown.skipped(recorded)),
        }
    }

    /// The event that adds `exchange` after [`Conversation::head`], and the ids that its messages have then.
    #[must_use]
    pub fn exchange_event(&self, exchange: &NewExchange, notes: &NoteChanges) -> (Vec<u8>, Stored) {
        let stored = Stored {
            user_id: self.messages.saturating_add(1),
            assistant_id: self.messages.saturating_add(2),
        };
        let event = event::exchange(exchange, notes, stored.assistant_id);
        (event, stored)
    }

    /// The event that keeps `notes` of a turn that is not stored. `at` is RFC 3339.
    #[must_use]
    pub fn notes_event(&self, at: &str, notes: &NoteChanges) -> Vec<u8> {
        event::notes(at, notes, self.messages)
    }

    /// The position of the last event that was taken in; 0 before the first.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.head
    }

    /// How many messages there are.
    #[must_use]
    pub fn message_count(&self) -> u64 {
        self.messages
    }

    /// When something was added last, as RFC 3339.
    #[must_use]
    pub fn updated_at(&self) -> Option<&str> {
        self.updated_at.as_deref()
    }

    /// What a prompt sees of the conversation: the last exchanges as it has them.
    #[must_use]
    pub fn history(&self) -> String {
        let mut history = String::with_capacity(self.seen_bytes);
        history.extend(self.seen.iter().map(|seen| seen.text.as_str()));
        history
    }

    /// Where what a prompt sees of it came from.
    #[must_use]
    pub fn labels(&self) -> BTreeSet<Label> {
        self.seen
            .iter()
            .flat_map(|seen| seen.labels.iter().copied())
            .collect()
    }

    /// What tools keep in this conversation.
    #[must_use]
    pub fn notes(&self) -> &Arc<Notes> {
        &self.notes
    }

    /// About how much memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.seen_bytes + self.seen.len() * size_of::<Seen>() + self.notes.bytes()
    }

    fn take_in(&mut self, exchange: NewExchange) {
        let text = past_turn(&Exchange {
            user: exchange.user,
            answer: exchange.answer,
        });
        let seen = Seen {
            text,
            labels: exchange.labels,
        };
        self.exchanges += 1;
        self.seen_bytes += seen.text.len();
        self.seen.push_back(seen);
        let first_seen = self.window.start(self.exchanges);
        while self.exchanges - self.seen.len() < first_seen {
            let left_out = self.seen.pop_front().map_or(0, |seen| seen.text.len());
            self.seen_bytes -= left_out;
        }
    }

    fn keep(&mut self, notes: &NoteChanges) {
        if !notes.is_empty() {
            Arc::make_mut(&mut self.notes).apply(notes);
        }
    }
}

#[cfg(test)]
mod tests;
