//! Conversations over the event log: one turn at a time in each, and what was said before.
//!
//! What a conversation is made of is decided in [`forge_core::conversation`]; here it is read, kept in memory
//! as long as there is room, and added to. Other processes may add to the same ones.

use std::fmt;
use std::sync::Arc;

use forge_core::conversation::{
    Conversation, ConversationId, Message, STREAM_PREFIX, Skipped, Summary, Window,
};
use forge_core::store::{EventLog, ReadBound, StoreError, StreamHead};
use jiff::Timestamp;

pub use turn::Turn;

use memory::{Memory, Seat};

// In reading order: one turn, the conversations that are in memory, and what was said in one.
mod turn;
mod memory;
mod transcript;

/// All conversations of one store.
#[derive(Clone)]
pub struct Conversations {
    log: Arc<dyn EventLog>,
    memory: Arc<Memory>,
}

/// One conversation among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub id: ConversationId,
    /// How many messages there are.
    pub messages: u64,
    /// When something was added last, as RFC 3339.
    pub updated_at: String,
}

/// Why a conversation can't be read or added to. The turn goes on without it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ConversationError {
    /// What was said before is not known.
    #[error("the conversation `{id}` can't be read")]
    Unread {
        /// Which one.
        id: ConversationId,
        /// Why.
        source: StoreError,
    },
    /// The turn is not in the conversation.
    #[error("nothing was added to the conversation `{id}`")]
    Unstored {
        /// Which one.
        id: ConversationId,
        /// Why.
        source: StoreError,
    },
    /// Others were faster each time.
    #[error(
        "nothing was added to the conversation `{id}`, because other processes write to it all the time: say it again"
    )]
    Contended {
        /// Which one.
        id: ConversationId,
    },
    /// Which conversations there are is not known.
    #[error("the conversations can't be listed")]
    Unlisted {
        /// Why.
        source: StoreError,
    },
}

impl Conversations {
    /// The conversations in `log`. A prompt sees `window` of them. About `memory_bytes` of what is idle
    /// stays in memory.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>, window: Window, memory_bytes: usize) -> Self {
        Self {
            log,
            memory: Memory::new(window, memory_bytes),
        }
    }

    /// Waits for a turn's place in the conversation, first come, first served. Dropping the turn, or no
    /// longer waiting, gives the place up.
    ///
    /// # Errors
    /// When what was said before can't be read.
    pub async fn begin(&self, id: &ConversationId) -> Result<Turn, ConversationError> {
        let seat = self.memory.seat(id);
        let place = Arc::clone(&seat.room().turn).lock_owned().await;
        let mut conversation = seat.room().conversation.lock().await;
        refresh(self.log.as_ref(), &seat, &mut conversation).await?;
        let history = conversation.history();
        let labels = conversation.labels();
        let notes = Arc::clone(conversation.notes());
        drop(conversation);
        Ok(Turn::new(
            Arc::clone(&self.log),
            place,
            seat,
            (history, labels),
            notes,
        ))
    }

    /// The messages whose id is above `after`, oldest first, at most `limit`. Does not wait for a turn. A
    /// conversation in which nobody has spoken has none.
    ///
    /// # Errors
    /// When they can't be read.
    pub async fn messages(
        &self,
        id: &ConversationId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Message>, ConversationError> {
        let reading = transcript::read(self.log.as_ref(), id, after, limit).await;
        reading.map_err(|source| ConversationError::Unread {
            id: id.clone(),
            source,
        })
    }

    /// All conversations, the one that was added to last first.
    ///
    /// # Errors
    /// When they can't be read.
    pub async fn list(&self) -> Result<Vec<Listed>, ConversationError> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = self
                .log
                .streams(STREAM_PREFIX, after.as_ref(), PAGE_STREAMS)
                .await
                .map_err(|source| ConversationError::Unlisted { source })?;
            for stream in &page {
                all.extend(self.listed(stream).await?);
            }
            match page.into_iter().next_back() {
                Some(last) => after = Some(last.name),
                None => break,
            }
        }
        all.sort_by_cached_key(|listed| {
            let updated_at: Option<Timestamp> = listed.updated_at.parse().ok();
            (std::cmp::Reverse(updated_at), listed.id.clone())
        });
        Ok(all)
    }

    async fn listed(&self, stream: &StreamHead) -> Result<Option<Listed>, ConversationError> {
        let Some(id) = ConversationId::of_stream(&stream.name) else {
            return Ok(None);
        };
        if let Some(summary) = Summary::of_last(&stream.last) {
            return Ok(Some(Listed {
                id,
                messages: summary.messages,
                updated_at: summary.at,
            }));
        }
        // The last event is damaged, so the ones before it must tell.
        let seat = self.memory.seat(&id);
        let mut conversation = seat.room().conversation.lock().await;
        refresh(self.log.as_ref(), &seat, &mut conversation).await?;
        Ok(Some(Listed {
            id,
            messages: conversation.message_count(),
            updated_at: conversation.updated_at().unwrap_or_default().to_owned(),
        }))
    }
}

/// How many conversations are listed with one reading.
const PAGE_STREAMS: usize = 256;

impl fmt::Debug for Conversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversations").finish_non_exhaustive()
    }
}

/// Takes in what was added since, by whomever.
async fn refresh(
    log: &dyn EventLog,
    seat: &Seat,
    conversation: &mut Conversation,
) -> Result<(), ConversationError> {
    let stream = seat.id().stream();
    loop {
        let page = log
            .read(&stream, conversation.head(), ReadBound::default())
            .await
            .map_err(|source| ConversationError::Unread {
                id: seat.id().clone(),
                source,
            })?;
        if page.head < conversation.head() {
            // Another store lies there now.
            *conversation = seat.empty();
            continue;
        }
        for recorded in &page.events {
            if let Err(skipped) = conversation.apply(recorded) {
                tell(seat.id(), &skipped);
            }
        }
        seat.measure(conversation);
        if page.events.is_empty() || conversation.head() >= page.head {
            return Ok(());
        }
    }
}

fn tell(id: &ConversationId, skipped: &Skipped) {
    tracing::warn!(
        conversation.id = %id,
        event.position = skipped.position,
        "in the conversation `{id}`, {skipped}"
    );
}

#[cfg(test)]
mod tests;
