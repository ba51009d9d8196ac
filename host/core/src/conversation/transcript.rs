//! What was said, message by message, for people to read. Not here: what a prompt sees of it.

use super::event::{Body, Event, NewExchange, Skipped};
use crate::store::Recorded;

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

/// A reading of a conversation's messages, from anywhere in it: each event tells how many there are from then on.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    messages: u64,
}

impl Transcript {
    /// A reading that begins after the event from which on there are `messages`; 0 for the whole conversation.
    #[must_use]
    pub fn after(messages: u64) -> Self {
        Self { messages }
    }

    /// The messages that the next event holds, if any.
    ///
    /// # Errors
    /// When the event was passed over, because this Forge can't read it.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<Option<[Message; 2]>, Skipped> {
        let event = Event::after(self.messages, recorded)?;
        self.messages = event.summary.messages;
        match event.body {
            Body::Exchange(body) => Ok(Some(self.last_two(body.exchange))),
            Body::Notes(_) => Ok(None),
            Body::Unknown(unknown) => Err(unknown.skipped(recorded)),
        }
    }

    fn last_two(&self, exchange: NewExchange) -> [Message; 2] {
        let user = Message {
            id: self.messages - 1,
            role: Role::User,
            content: exchange.user,
            at: exchange.asked_at,
            run_id: exchange.run_id.clone(),
            tool: exchange.tool.clone(),
        };
        let assistant = Message {
            id: self.messages,
            role: Role::Assistant,
            content: exchange.answer,
            at: exchange.answered_at,
            run_id: exchange.run_id,
            tool: exchange.tool,
        };
        [user, assistant]
    }
}
