//! A conversation: what its events make of it, and what a prompt sees of it.
//!
//! [`Conversation`] is a fold of events and nothing else: whoever reads the same events has the same
//! conversation. Not here: where the events are, and who may speak next.

use std::mem;
use std::sync::Arc;

pub use crate::router::prompt::Exchange;
pub use event::{NewExchange, Skipped, Summary};
pub use id::{BadConversationId, ConversationId, STREAM_PREFIX};
pub use notes::{KEY_BYTES, KEYS, NoteChanges, NoteTooLong, Notes, TurnNotes, VALUE_BYTES};
pub use window::Window;

// In reading order: its name, what happens to it, what a prompt sees, and what tools keep in it.
mod id;
mod event;
mod window;
mod notes;

use crate::router::prompt::past_turn;
use crate::store::Recorded;
use event::{Body, Event};

/// A conversation as its events up to [`Conversation::head`] have made it.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    head: u64,
    messages: u64,
    updated_at: Option<String>,
    exchanges: Vec<Exchange>,
    /// Each of them as the prompt has it.
    rendered: Vec<String>,
    /// What else is known of each exchange, in the same order.
    circumstances: Vec<Circumstances>,
    notes: Arc<Notes>,
    text_bytes: usize,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Counted from 1 in its conversation; never given twice.
    pub id: u64,
    /// Who said it.
    pub role: Role,
    /// What was said, whole.
    pub content: String,
    /// When, as RFC 3339.
    pub at: String,
    /// The run that it belongs to.
    pub run_id: String,
    /// The tool whose output the answer is.
    pub tool: String,
}

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// Forge.
    Assistant,
}

impl Role {
    /// `user` or `assistant`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
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
    /// Takes in the event after [`Conversation::head`]. What this Forge can't read is passed over, and
    /// said.
    ///
    /// # Errors
    /// When the event was passed over.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<(), Skipped> {
        self.head = recorded.position;
        let skipped = |reason: String| Skipped {
            position: recorded.position,
            reason,
        };
        let event = Event::decode(&recorded.event).map_err(&skipped)?;
        let least = match &event.body {
            Body::Exchange(_) => self.messages.saturating_add(2),
            Body::Notes(_) | Body::Unknown { .. } => self.messages,
        };
        if event.summary.messages < least {
            let claimed = event.summary.messages;
            return Err(skipped(format!(
                "it counts {claimed} messages where there are at least {least}"
            )));
        }
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
            Body::Unknown { kind, version } => Err(skipped(format!(
                "`{kind}` of version {version} is not known to this Forge"
            ))),
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
    pub fn history(&self, window: Window) -> String {
        self.rendered[window.start(self.rendered.len())..].concat()
    }

    /// The messages whose id is above `after`, oldest first, at most `limit`.
    #[must_use]
    pub fn messages(&self, after: u64, limit: usize) -> Vec<Message> {
        let first = self
            .circumstances
            .partition_point(|it| it.ids.assistant_id <= after);
        let exchanges = self.exchanges[first..].iter();
        exchanges
            .zip(&self.circumstances[first..])
            .flat_map(|(exchange, circumstances)| circumstances.messages(exchange))
            .filter(|message| message.id > after)
            .take(limit)
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
        let fixed = mem::size_of::<Exchange>() + mem::size_of::<Circumstances>();
        self.text_bytes + self.exchanges.len() * fixed + self.notes.bytes()
    }

    fn take_in(&mut self, exchange: NewExchange) {
        let told = exchange.bytes();
        let past = Exchange {
            user: exchange.user,
            answer: exchange.answer,
        };
        let rendered = past_turn(&past);
        self.text_bytes += told + rendered.len();
        self.rendered.push(rendered);
        self.exchanges.push(past);
        self.circumstances.push(Circumstances {
            ids: Stored {
                user_id: self.messages - 1,
                assistant_id: self.messages,
            },
            asked_at: exchange.asked_at,
            answered_at: exchange.answered_at,
            run_id: exchange.run_id,
            tool: exchange.tool,
        });
    }

    fn keep(&mut self, notes: &NoteChanges) {
        if !notes.is_empty() {
            Arc::make_mut(&mut self.notes).apply(notes);
        }
    }
}

#[derive(Debug, Clone)]
struct Circumstances {
    ids: Stored,
    asked_at: String,
    answered_at: String,
    run_id: String,
    tool: String,
}

impl Circumstances {
    fn messages(&self, exchange: &Exchange) -> [Message; 2] {
        let message = |id, role, content: &str, at: &str| Message {
            id,
            role,
            content: content.to_owned(),
            at: at.to_owned(),
            run_id: self.run_id.clone(),
            tool: self.tool.clone(),
        };
        let Stored {
            user_id,
            assistant_id,
        } = self.ids;
        [
            message(user_id, Role::User, &exchange.user, &self.asked_at),
            message(
                assistant_id,
                Role::Assistant,
                &exchange.answer,
                &self.answered_at,
            ),
        ]
    }
}

#[cfg(test)]
mod tests;
