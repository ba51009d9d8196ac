//! Long outputs: kept in the store by their digest, and laid out as files so that tools can page them.
//!
//! The blob is what is kept; the file is made from it, for its conversation alone. Not here: how long an output may
//! be, and how a tool reads it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_core::conversation::ConversationId;
use forge_core::store::{BlobDigest, BlobStore, StoreError};

use crate::private;

/// Keeps long outputs.
#[derive(Clone)]
pub struct Artifacts {
    blobs: Arc<dyn BlobStore>,
    folder: PathBuf,
}

/// A long output that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The digest of its content.
    pub digest: BlobDigest,
    /// The name by which tools know it.
    pub name: String,
}

/// Why an output was not kept.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The store did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file for the tools can't be written.
    #[error("`{path}` can't be written")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl Artifacts {
    /// Keeps blobs in `blobs`, and files in `folder`, which is made when it is needed.
    #[must_use]
    pub fn new(blobs: Arc<dyn BlobStore>, folder: PathBuf) -> Self {
        Self { blobs, folder }
    }

    /// Keeps `text` for `conversation`. The same text twice is kept once.
    ///
    /// # Errors
    /// When it was not kept.
    pub async fn keep(
        &self,
        conversation: &ConversationId,
        text: &str,
    ) -> Result<Artifact, ArtifactError> {
        let digest = self.blobs.put(text.as_bytes().to_vec()).await?;
        let name = digest.as_str()[..NAME_CHARS].to_owned();
        let folder = self.of(conversation);
        let path = folder.join(&name);
        if !path.exists() {
            write_private(&folder, &path, text).map_err(|source| ArtifactError::File {
                path: path.display().to_string(),
                source,
            })?;
        }
        Ok(Artifact { digest, name })
    }

    /// The folder of `conversation`'s artifacts, if it has any.
    #[must_use]
    pub fn folder(&self, conversation: &ConversationId) -> Option<PathBuf> {
        let folder = self.of(conversation);
        folder.is_dir().then_some(folder)
    }

    /// The content of an artifact, if there is such a one.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn read(&self, digest: &BlobDigest) -> Result<Option<Vec<u8>>, StoreError> {
        self.blobs.get(digest).await
    }

    fn of(&self, conversation: &ConversationId) -> PathBuf {
        self.folder.join(conversation.as_str())
    }
}

/// How much of the digest names the file: within one conversation no two will ever agree in 48 bits.
const NAME_CHARS: usize = 12;

fn write_private(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    private::create_folder(folder)?;
    // Whoever reads it sees the whole of it.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
