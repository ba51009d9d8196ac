//! What outlives a turn: conversations, artifacts, approvals and labels of files, over one store that is opened when it is first needed.

use std::path::PathBuf;
use std::sync::Arc;

use forge_core::conversation::{ConversationId, Message, Window};
use forge_core::store::{BlobDigest, StoreError};
use tokio::sync::OnceCell;

use super::App;
use crate::approvals::Approvals;
use crate::artifacts::Artifacts;
use crate::causes::with_causes;
use crate::config::Config;
use crate::conversations::{ConversationError, Conversations, Listed, Turn};
use crate::file_labels::FileLabels;
use crate::store::SqliteStore;

/// How much of idle conversations stays in memory, in bytes.
const IDLE_BYTES: usize = 8 << 20;

/// Conversations and artifacts.
pub(super) struct Memory {
    is_on: bool,
    window: Window,
    file: PathBuf,
    artifacts_dir: PathBuf,
    opened: OnceCell<Result<Opened, StoreError>>,
}

struct Opened {
    approvals: Approvals,
    file_labels: FileLabels,
    conversations: Conversations,
    artifacts: Artifacts,
}

/// Why nothing can be remembered.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MemoryError {
    /// The store can't be opened.
    #[error(transparent)]
    Store(StoreError),
    /// The conversation can't be read or added to.
    #[error(transparent)]
    Conversation(ConversationError),
}

impl MemoryError {
    /// The error and its cause, in one line.
    #[must_use]
    pub fn with_cause(&self) -> String {
        with_causes(self)
    }
}

impl Memory {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            is_on: config.memory.enabled,
            window: Window {
                max_messages: config.memory.max_history as usize,
                slack: config.memory.slack as usize,
            },
            file: config.data_dir.join("forge.db"),
            artifacts_dir: config.data_dir.join("artifacts"),
            opened: OnceCell::new(),
        }
    }

    /// A place in the conversation; none where nothing is remembered.
    pub(super) async fn begin(&self, id: &ConversationId) -> Result<Option<Turn>, MemoryError> {
        if !self.is_on {
            return Ok(None);
        }
        let turn = self.opened().await?.conversations.begin(id).await;
        turn.map(Some).map_err(MemoryError::Conversation)
    }

    /// The artifacts, once a conversation has begun.
    pub(super) fn artifacts(&self) -> Option<&Artifacts> {
        let opened = self.opened.get()?.as_ref().ok()?;
        Some(&opened.artifacts)
    }

    /// The approvals, also where nothing else is remembered.
    pub(super) async fn approvals(&self) -> Result<&Approvals, MemoryError> {
        Ok(&self.opened().await?.approvals)
    }

    /// The labels of files, also where nothing else is remembered.
    pub(super) async fn file_labels(&self) -> Result<&FileLabels, MemoryError> {
        Ok(&self.opened().await?.file_labels)
    }

    async fn opened(&self) -> Result<&Opened, MemoryError> {
        let opened = self.opened.get_or_init(|| self.open()).await;
        opened
            .as_ref()
            .map_err(|error| MemoryError::Store(error.clone()))
    }

    async fn open(&self) -> Result<Opened, StoreError> {
        let file = self.file.clone();
        let opening = tokio::task::spawn_blocking(move || SqliteStore::open(&file));
        let store = opening.await.map_err(|_| StoreError::Closed {
            place: self.file.display().to_string(),
        })?;
        let store = Arc::new(store?);
        Ok(Opened {
            approvals: Approvals::new(store.clone()),
            file_labels: FileLabels::new(store.clone()),
            conversations: Conversations::new(store.clone(), self.window, IDLE_BYTES),
            artifacts: Artifacts::new(store, self.artifacts_dir.clone()),
        })
    }
}

impl App {
    /// Opens the store, so that the first turn does not wait for it.
    ///
    /// # Errors
    /// When it can't be opened. Turns are taken all the same, and are not stored.
    pub async fn open_store(&self) -> Result<(), MemoryError> {
        if self.memory.is_on {
            self.memory.opened().await?;
        }
        Ok(())
    }

    /// The messages of a conversation whose id is above `after`, oldest first, at most `limit`.
    ///
    /// # Errors
    /// When they can't be read.
    pub async fn messages(
        &self,
        id: &ConversationId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Message>, MemoryError> {
        let conversations = &self.memory.opened().await?.conversations;
        let messages = conversations.messages(id, after, limit).await;
        messages.map_err(MemoryError::Conversation)
    }

    /// All conversations, the one that was added to last first.
    ///
    /// # Errors
    /// When they can't be read.
    pub async fn conversations(&self) -> Result<Vec<Listed>, MemoryError> {
        let conversations = &self.memory.opened().await?.conversations;
        conversations
            .list()
            .await
            .map_err(MemoryError::Conversation)
    }

    /// The content of an artifact, if there is such a one.
    ///
    /// # Errors
    /// When it can't be read.
    pub async fn artifact(&self, digest: &BlobDigest) -> Result<Option<Vec<u8>>, MemoryError> {
        let artifacts = &self.memory.opened().await?.artifacts;
        artifacts.read(digest).await.map_err(MemoryError::Store)
    }
}
