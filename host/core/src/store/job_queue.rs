//! The port to the queue: jobs that are done at least once, by one worker at a time.

use std::time::Duration;

use async_trait::async_trait;

use super::{Moment, StoreError};

/// Keeps jobs until they are done.
///
/// A worker claims a job for some time. If it says nothing until then, it is taken for dead and another may
/// claim the job; what the first one says afterwards is [`Standing::Lost`].
#[async_trait]
pub trait JobQueue: Send + Sync {
    /// Adds a job, unless its queue knows the id already, done or not.
    ///
    /// # Errors
    /// When it was not added.
    async fn enqueue(&self, job: NewJob) -> Result<Enqueued, StoreError>;

    /// Claims at most `limit` jobs of `queue` that are due, the longest due first, for `lease`.
    ///
    /// # Errors
    /// When none was claimed.
    async fn claim(
        &self,
        queue: &str,
        now: Moment,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<Claim>, StoreError>;

    /// Holds a claimed job until `lease` from now.
    ///
    /// # Errors
    /// When the lease stays as it was.
    async fn extend(
        &self,
        claim: &Claim,
        now: Moment,
        lease: Duration,
    ) -> Result<Standing, StoreError>;

    /// The job is done: its payload is forgotten, its id is kept.
    ///
    /// # Errors
    /// When it stays claimed.
    async fn done(&self, claim: &Claim) -> Result<Standing, StoreError>;

    /// The job failed.
    ///
    /// # Errors
    /// When it stays claimed.
    async fn failed(&self, claim: &Claim, retry: Retry) -> Result<Standing, StoreError>;

    /// How many jobs of `queue` there are.
    ///
    /// # Errors
    /// When they can't be counted.
    async fn depth(&self, queue: &str, now: Moment) -> Result<Depth, StoreError>;
}

/// A job that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The queue.
    pub queue: String,
    /// The id, one of a kind in its queue.
    pub id: String,
    /// What is to be done, for the worker to read.
    pub payload: Vec<u8>,
    /// When it may be claimed first.
    pub due: Moment,
}

/// What became of a new job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// It waits to be claimed.
    Added,
    /// There was one of this id: nothing has changed.
    Known,
}

/// A job in the hands of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The queue.
    pub queue: String,
    /// The job's id.
    pub id: String,
    /// What is to be done.
    pub payload: Vec<u8>,
    /// How often it has been claimed, this time included. Tells this claim from later ones.
    pub attempt: u32,
}

/// Whether a claim still stood when the worker spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// What it said was done.
    Held,
    /// The job is no longer this worker's: nothing has changed.
    Lost,
}

/// What happens to a job that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It may be claimed again from then on.
    At(Moment),
    /// It is given up: its id and payload are kept.
    Never,
}

/// How many jobs there are, by what can be done with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depth {
    /// They can be claimed now.
    pub ready: u64,
    /// They can be claimed later.
    pub waiting: u64,
    /// A worker has them.
    pub claimed: u64,
    /// Nobody will do them.
    pub given_up: u64,
}
