//! Reading beside the writer: a few connections, each used by one reading at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use forge_core::store::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::Semaphore;
use tokio::task;

use super::failure::Place;
use super::opening;

/// How many readings go on at the same time.
const CONNECTIONS: usize = 4;

pub(super) struct Readers {
    path: PathBuf,
    place: Place,
    places: Arc<Semaphore>,
    free: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(super) fn new(path: &Path, place: Place) -> Self {
        Self {
            path: path.to_owned(),
            place,
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            free: Arc::default(),
        }
    }

    /// Does `work`, which must be short, on this very thread; `None` when no connection is free. Handing it to
    /// another thread would cost several times what it does.
    pub(super) fn at_once<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Option<Result<T, StoreError>> {
        let _permit = self.places.try_acquire().ok()?;
        let connection = locked(&self.free).pop()?;
        let result = at_one_moment(&connection, work);
        locked(&self.free).push(connection);
        Some(result.map_err(|error| self.place.failure(error)))
    }

    /// Does `work` on the store as it is at one moment.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let permit = Arc::clone(&self.places).acquire_owned().await;
        let permit = permit.map_err(|_| self.place.closed())?;
        let (path, free) = (self.path.clone(), Arc::clone(&self.free));
        let reading = task::spawn_blocking(move || {
            let connection = match locked(&free).pop() {
                Some(connection) => connection,
                None => opening::open_to_read(&path)?,
            };
            let result = at_one_moment(&connection, work);
            locked(&free).push(connection);
            drop(permit);
            result
        });
        let result = reading.await.map_err(|error| self.place.other(error))?;
        result.map_err(|error| self.place.failure(error))
    }
}

fn at_one_moment<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    let found = work(&transaction)?;
    transaction.commit()?;
    Ok(found)
}

fn locked(free: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    free.lock().unwrap_or_else(PoisonError::into_inner)
}
