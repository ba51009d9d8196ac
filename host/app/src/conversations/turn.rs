//! One turn's place in a conversation: what it finds, and what it adds.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use forge_contract::label::Label;
use forge_core::conversation::{
    Conversation, ConversationId, NewExchange, Notes, Stored, TurnNotes,
};
use forge_core::store::{Appended, EventLog, Recorded};
use tokio::sync::OwnedMutexGuard;

use super::memory::Seat;
use super::{ConversationError, refresh};

/// How often others may be faster before it is given up.
const TRIES: usize = 16;

/// A turn that has its place in a conversation. Nobody else in this process has, until it is dropped.
pub struct Turn {
    log: Arc<dyn EventLog>,
    /// Given up before the seat is left.
    _place: OwnedMutexGuard<()>,
    seat: Seat,
    history: String,
    labels: BTreeSet<Label>,
    notes: Arc<TurnNotes>,
}

impl Turn {
    pub(super) fn new(
        log: Arc<dyn EventLog>,
        place: OwnedMutexGuard<()>,
        seat: Seat,
        (history, labels): (String, BTreeSet<Label>),
        notes: Arc<Notes>,
    ) -> Self {
        Self {
            log,
            _place: place,
            seat,
            history,
            labels,
            notes: Arc::new(TurnNotes::new(notes)),
        }
    }

    /// The conversation.
    #[must_use]
    pub fn id(&self) -> &ConversationId {
        self.seat.id()
    }

    /// What was said before, as the prompt has it.
    #[must_use]
    pub fn history(&self) -> &str {
        &self.history
    }

    /// Where what was said before came from.
    #[must_use]
    pub fn labels(&self) -> &BTreeSet<Label> {
        &self.labels
    }

    /// What tools keep in this conversation, for them to read and to change. What has changed is stored by
    /// [`Turn::commit`] or [`Turn::commit_notes`].
    #[must_use]
    pub fn notes(&self) -> &Arc<TurnNotes> {
        &self.notes
    }

    /// Adds what was said, and the notes that were changed. Once this returns, it outlives a crash.
    ///
    /// # Errors
    /// When nothing was added.
    pub async fn commit(self, exchange: &NewExchange) -> Result<Stored, ConversationError> {
        let notes = self.notes.changes();
        self.add(|conversation| conversation.exchange_event(exchange, &notes))
            .await
    }

    /// Adds the notes that were changed, if any, for a turn whose answer does not belong into the
    /// conversation. `at` is RFC 3339.
    ///
    /// # Errors
    /// When nothing was added.
    pub async fn commit_notes(self, at: &str) -> Result<(), ConversationError> {
        let notes = self.notes.changes();
        if notes.is_empty() {
            return Ok(());
        }
        self.add(|conversation| (conversation.notes_event(at, &notes), ()))
            .await
    }

    /// Adds the event that `make` makes for the conversation as it is then.
    async fn add<T>(
        &self,
        make: impl Fn(&Conversation) -> (Vec<u8>, T) + Send,
    ) -> Result<T, ConversationError> {
        let stream = self.id().stream();
        let mut conversation = self.seat.room().conversation.lock().await;
        for _ in 0..TRIES {
            let (event, made) = make(&conversation);
            let head = conversation.head();
            let appended = self
                .log
                .append(&stream, head, vec![event.clone()])
                .await
                .map_err(|source| ConversationError::Unstored {
                    id: self.id().clone(),
                    source,
                })?;
            if let Appended::At { head } = appended {
                let recorded = Recorded {
                    position: head,
                    event,
                };
                // What was just made for this conversation can be read by it.
                let _ = conversation.apply(&recorded);
                self.seat.measure(&conversation);
                return Ok(made);
            }
            refresh(self.log.as_ref(), &self.seat, &mut conversation).await?;
        }
        Err(ConversationError::Contended {
            id: self.id().clone(),
        })
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("id", self.id())
            .finish_non_exhaustive()
    }
}
