//! The one thread that writes. What has queued up while it waited for the disk becomes one transaction, so
//! that many writers share one wait.

use std::slice;
use std::thread::{self, JoinHandle};

use forge_core::store::StoreError;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::failure::Place;

/// How much may wait to be written; whoever comes then waits to queue.
const QUEUED: usize = 1024;
/// The most that is committed at once.
const TOGETHER: usize = 256;

pub(super) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Work>>>,
    thread: Option<JoinHandle<()>>,
    place: Place,
}

impl Writer {
    pub(super) fn start(connection: Connection, place: Place) -> std::io::Result<Self> {
        let (queue, queued) = mpsc::channel(QUEUED);
        let at = place.clone();
        let thread = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || write_all(&connection, queued, &at))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            place,
        })
    }

    /// Does `work` in a transaction, and returns once that is on the disk. `work` may be done again, if the
    /// first time was rolled back.
    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let waiting = Box::new(Waiting {
            work,
            outcome: None,
            answer,
        });
        let closed = || self.place.closed();
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(waiting).await.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(store.file = %self.place, "the writer of `{}` had crashed", self.place);
        }
    }
}

/// Something to be written, and who waits for it.
trait Work: Send {
    fn run(&mut self, connection: &Connection) -> rusqlite::Result<()>;

    /// Tells how it ended, after the commit.
    fn answer(self: Box<Self>, result: Result<(), StoreError>);
}

struct Waiting<T, F> {
    work: F,
    outcome: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Work for Waiting<T, F>
where
    T: Send,
    F: FnMut(&Connection) -> rusqlite::Result<T> + Send,
{
    fn run(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.outcome = Some((self.work)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, result: Result<(), StoreError>) {
        let Self {
            outcome, answer, ..
        } = *self;
        let outcome = match (result, outcome) {
            (Ok(()), Some(outcome)) => Ok(outcome),
            (Err(error), _) => Err(error),
            (Ok(()), None) => return,
        };
        // Whoever no longer waits does not need to hear it.
        drop(answer.send(outcome));
    }
}

fn write_all(connection: &Connection, mut queued: mpsc::Receiver<Box<dyn Work>>, place: &Place) {
    while let Some(first) = queued.blocking_recv() {
        let mut works = vec![first];
        while works.len() < TOGETHER
            && let Ok(next) = queued.try_recv()
        {
            works.push(next);
        }
        commit(connection, works, place);
    }
}

fn commit(connection: &Connection, mut works: Vec<Box<dyn Work>>, place: &Place) {
    match transact(connection, &mut works) {
        Ok(()) => {
            for work in works {
                work.answer(Ok(()));
            }
        }
        // What fails must not take the others with it. Busy is busy for all, and took long enough.
        Err(error) if works.len() > 1 && !is_busy(&error) => {
            for mut work in works {
                let result = transact(connection, slice::from_mut(&mut work));
                work.answer(result.map_err(|error| place.failure(error)));
            }
        }
        Err(error) => {
            let error = place.failure(error);
            for work in works {
                work.answer(Err(error.clone()));
            }
        }
    }
}

fn transact(connection: &Connection, works: &mut [Box<dyn Work>]) -> rusqlite::Result<()> {
    // Dropped before its commit, it is rolled back.
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    for work in works {
        work.run(&transaction)?;
    }
    transaction.commit()
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
