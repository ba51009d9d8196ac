//! The store in one SQLite file, which several processes may use at the same time.
//!
//! One thread writes, and commits what has queued up as one transaction; reading goes on beside it.
//! Whatever was acknowledged is on the disk.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use forge_core::store::{
    Appended, BlobDigest, BlobStore, Claim, Depth, Enqueued, EventLog, Hold, JobQueue, Leases,
    Moment, NewJob, Page, ReadBound, Retry, Standing, StoreError, StreamHead, StreamName,
    check_size,
};

use failure::Place;
use opening::Presence;
use readers::Readers;
use writer::Writer;

// In reading order: how the file is opened, who uses it, and the four ports in SQL.
mod opening;
mod schema;
mod writer;
mod readers;
mod events;
mod jobs;
mod blobs;
mod leases;
mod failure;

/// A store in one file. Dropping it waits for what is being written, which takes milliseconds.
pub struct SqliteStore {
    // Dropped in this order: the writer closes last, so that it can empty the write-ahead log, and the
    // presence tells that this was done.
    readers: Readers,
    writer: Writer,
    place: Place,
    _presence: Presence,
}

impl SqliteStore {
    /// Opens the store at `path`, an absolute path, and makes it and its folder if need be, for this user
    /// only. Blocks for some milliseconds, or longer when a store that was not closed is checked first.
    ///
    /// # Errors
    /// When what lies there is not a sound store that this Forge knows. It is left as it is.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let place = Place::of(path);
        let presence = Presence::enter(path).map_err(|error| place.io(error))?;
        let connection = opening::open(path, &place, &presence)?;
        let presence = presence.settle().map_err(|error| place.io(error))?;
        Ok(Self {
            readers: Readers::new(path, place.clone()),
            writer: Writer::start(connection, place.clone()).map_err(|error| place.io(error))?,
            place,
            _presence: presence,
        })
    }

    /// Checks the whole file. Takes as long as reading it.
    ///
    /// # Errors
    /// When it is not sound, or can't be read.
    pub async fn check(&self) -> Result<(), StoreError> {
        let found = self.readers.read(opening::integrity).await?;
        found.map_or(Ok(()), |detail| Err(self.place.damaged(detail)))
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SqliteStore").field(&self.place).finish()
    }
}

#[async_trait]
impl EventLog for SqliteStore {
    async fn append(
        &self,
        stream: &StreamName,
        expected: u64,
        events: Vec<Vec<u8>>,
    ) -> Result<Appended, StoreError> {
        for event in &events {
            check_size("an event", event.len())?;
        }
        let stream = stream.clone();
        self.writer
            .write(move |connection| events::append(connection, &stream, expected, &events))
            .await
    }

    async fn read(
        &self,
        stream: &StreamName,
        after: u64,
        bound: ReadBound,
    ) -> Result<Page, StoreError> {
        // Mostly there is nothing new, which is known after two look-ups.
        let head = self
            .readers
            .at_once(|connection| events::head(connection, stream));
        if let Some(Ok(head)) = head
            && head <= after
        {
            let events = Vec::new();
            return Ok(Page { events, head });
        }
        let stream = stream.clone();
        self.readers
            .read(move |connection| events::read(connection, &stream, after, bound))
            .await
    }

    async fn head(&self, stream: &StreamName) -> Result<u64, StoreError> {
        let stream = stream.clone();
        self.readers
            .read(move |connection| events::head(connection, &stream))
            .await
    }

    async fn streams(
        &self,
        prefix: &str,
        after: Option<&StreamName>,
        limit: usize,
    ) -> Result<Vec<StreamHead>, StoreError> {
        let (prefix, after) = (prefix.to_owned(), after.cloned());
        self.readers
            .read(move |connection| events::streams(connection, &prefix, after.as_ref(), limit))
            .await
    }
}

#[async_trait]
impl JobQueue for SqliteStore {
    async fn enqueue(&self, job: NewJob) -> Result<Enqueued, StoreError> {
        check_size("a job", job.payload.len())?;
        self.writer
            .write(move |connection| jobs::enqueue(connection, &job))
            .await
    }

    async fn claim(
        &self,
        queue: &str,
        now: Moment,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<Claim>, StoreError> {
        let queue = queue.to_owned();
        self.writer
            .write(move |connection| jobs::claim(connection, &queue, now, lease, limit))
            .await
    }

    async fn extend(
        &self,
        claim: &Claim,
        now: Moment,
        lease: Duration,
    ) -> Result<Standing, StoreError> {
        let (key, until) = (jobs::Key::of(claim), now.after(lease));
        self.writer
            .write(move |connection| jobs::extend(connection, &key, until))
            .await
    }

    async fn done(&self, claim: &Claim) -> Result<Standing, StoreError> {
        let key = jobs::Key::of(claim);
        self.writer
            .write(move |connection| jobs::done(connection, &key))
            .await
    }

    async fn failed(&self, claim: &Claim, retry: Retry) -> Result<Standing, StoreError> {
        let key = jobs::Key::of(claim);
        self.writer
            .write(move |connection| jobs::failed(connection, &key, retry))
            .await
    }

    async fn depth(&self, queue: &str, now: Moment) -> Result<Depth, StoreError> {
        let queue = queue.to_owned();
        self.readers
            .read(move |connection| jobs::depth(connection, &queue, now))
            .await
    }
}

#[async_trait]
impl BlobStore for SqliteStore {
    async fn put(&self, blob: Vec<u8>) -> Result<BlobDigest, StoreError> {
        check_size("a blob", blob.len())?;
        let digest = blobs::digest(&blob);
        let kept = digest.clone();
        self.writer
            .write(move |connection| blobs::put(connection, &kept, &blob))
            .await?;
        Ok(digest)
    }

    async fn get(&self, digest: &BlobDigest) -> Result<Option<Vec<u8>>, StoreError> {
        let wanted = digest.clone();
        let blob = self
            .readers
            .read(move |connection| blobs::get(connection, &wanted))
            .await?;
        match blob {
            Some(blob) if blobs::digest(&blob) != *digest => Err(StoreError::DamagedBlob {
                place: self.place.to_string(),
                digest: digest.clone(),
            }),
            found => Ok(found),
        }
    }

    async fn exists(&self, digest: &BlobDigest) -> Result<bool, StoreError> {
        let wanted = digest.clone();
        self.readers
            .read(move |connection| blobs::exists(connection, &wanted))
            .await
    }
}

#[async_trait]
impl Leases for SqliteStore {
    async fn try_hold(
        &self,
        name: &str,
        owner: &str,
        now: Moment,
        ttl: Duration,
    ) -> Result<Hold, StoreError> {
        let (name, owner) = (name.to_owned(), owner.to_owned());
        self.writer
            .write(move |connection| leases::try_hold(connection, &name, &owner, now, ttl))
            .await
    }

    async fn release(&self, name: &str, owner: &str) -> Result<(), StoreError> {
        let (name, owner) = (name.to_owned(), owner.to_owned());
        self.writer
            .write(move |connection| leases::release(connection, &name, &owner))
            .await
    }
}

#[cfg(test)]
mod tests;
