//! The ports of the store: what outlives a turn, as values.
//!
//! [`EventLog`] keeps what happened, [`JobQueue`] what is to be done, [`BlobStore`] large content by its
//! digest, and [`Leases`] say who may do what only one may do at a time. Not here: an engine, and any
//! word of its language. Time comes in as a [`Moment`].

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

pub use blob_store::{BadDigest, BlobDigest, BlobStore};
pub use event_log::{
    Appended, BadStreamName, EventLog, Page, ReadBound, Recorded, StreamHead, StreamName,
};
pub use job_queue::{Claim, Depth, Enqueued, JobQueue, NewJob, Retry, Standing};
pub use leases::{Hold, Leases};

mod event_log;
mod job_queue;
mod blob_store;
mod leases;

/// A moment: milliseconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The moment `ms` milliseconds after the beginning of 1970, UTC.
    #[must_use]
    pub fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the beginning of 1970, UTC.
    #[must_use]
    pub fn ms(self) -> u64 {
        self.0
    }

    /// The moment `duration` later, to the millisecond.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(ms))
    }
}

/// The longest event, payload or blob, in bytes: what a store keeps stays small enough to be handled in
/// memory.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Why a store did not do what it was asked. `place` names it: a file, or an address.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Someone else held it for too long.
    #[error("the store `{place}` is busy: another process has been writing to it; try again")]
    Busy {
        /// Where the store is.
        place: String,
    },
    /// What it holds is not sound.
    #[error(
        "the store `{place}` is damaged ({detail}): put a backup in its place, or move it away to begin anew"
    )]
    Damaged {
        /// Where the store is.
        place: String,
        /// What is wrong with it.
        detail: String,
    },
    /// Something else lies where the store should be.
    #[error(
        "`{place}` is not a store of Forge, and was left as it is: move it away, or choose another data folder"
    )]
    Foreign {
        /// Where the store should be.
        place: String,
    },
    /// A newer Forge has written it.
    #[error(
        "the store `{place}` has version {found} and this Forge knows up to {known}: use the newer Forge that wrote it"
    )]
    Newer {
        /// Where the store is.
        place: String,
        /// The store's version.
        found: i64,
        /// The newest version that this Forge knows.
        known: i64,
    },
    /// There is no room left.
    #[error("the store `{place}` is full: make room on its disk")]
    Full {
        /// Where the store is.
        place: String,
    },
    /// It can be read but not changed.
    #[error("the store `{place}` can't be written: let this user write it and its folder")]
    ReadOnly {
        /// Where the store is.
        place: String,
    },
    /// One thing is too large to be kept.
    #[error("{what} of {bytes} bytes can't be kept: at most {MAX_BYTES} fit")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its size, in bytes.
        bytes: usize,
    },
    /// A blob is not what was put.
    #[error("the blob `{digest}` in the store `{place}` is damaged: put it again")]
    DamagedBlob {
        /// Where the store is.
        place: String,
        /// The digest that it should have.
        digest: BlobDigest,
    },
    /// It was closed, or its thread ended.
    #[error("the store `{place}` is closed")]
    Closed {
        /// Where the store was.
        place: String,
    },
    /// Reading or writing failed otherwise.
    #[error("the store `{place}` can't be used")]
    Failed {
        /// Where the store is.
        place: String,
        /// Why.
        source: Arc<dyn Error + Send + Sync>,
    },
}

/// Lets what has at most [`MAX_BYTES`] pass.
///
/// # Errors
/// When `bytes` is more.
pub fn check_size(what: &'static str, bytes: usize) -> Result<(), StoreError> {
    if bytes > MAX_BYTES {
        return Err(StoreError::TooLarge { what, bytes });
    }
    Ok(())
}
