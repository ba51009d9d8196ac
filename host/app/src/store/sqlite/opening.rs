//! How the file is opened: made for its owner only, known for what it is, checked if it was not closed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_core::store::StoreError;
use rusqlite::{Connection, OpenFlags};

use super::failure::Place;
use super::schema;
use crate::private;

/// How long one process waits for another that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// More than the number of statements here, so that each is prepared once.
const PREPARED_STATEMENTS: usize = 64;
/// To what size the write-ahead log is cut after a burst, in bytes.
const LOG_BYTES: i64 = 16 * 1024 * 1024;

/// Says that the store is open, in a file beside it that every process holds locked as long: whoever finds
/// nobody there knows that a write-ahead log was left behind by a crash. Opening is done by one at
/// a time.
pub(super) struct Presence {
    file: File,
    is_alone: bool,
}

impl Presence {
    /// Waits until nobody else is opening the store.
    pub(super) fn enter(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            private::create_folder(folder)?;
        }
        let file = private::file()
            .read(true)
            .write(true)
            .create(true)
            .open(beside(path, ".lock"))?;
        let is_alone = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                file.lock_shared()?;
                false
            }
            Err(TryLockError::Error(error)) => return Err(error),
        };
        Ok(Self { file, is_alone })
    }

    /// Lets others open the store too.
    pub(super) fn settle(self) -> io::Result<Self> {
        if self.is_alone {
            self.file.lock_shared()?;
        }
        Ok(self)
    }
}

/// Opens the store for writing.
pub(super) fn open(
    path: &Path,
    place: &Place,
    presence: &Presence,
) -> Result<Connection, StoreError> {
    let was_not_closed =
        presence.is_alone && fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    if presence.is_alone {
        make_private(path).map_err(|error| place.io(error))?;
    }
    let mut connection = connect(path).map_err(|error| place.failure(error))?;
    schema::recognise(&connection, place)?;
    if was_not_closed {
        tracing::info!(
            store.file = %place,
            "`{place}` was not closed the last time, so it is checked"
        );
        let found = quick_check(&connection).map_err(|error| place.failure(error))?;
        if let Some(detail) = found {
            return Err(place.damaged(detail));
        }
    }
    set_up(&mut connection).map_err(|error| place.failure(error))?;
    Ok(connection)
}

/// Opens the store for reading.
pub(super) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    Ok(connection)
}

fn set_up(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // A commit is on the disk before it is acknowledged.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
    schema::migrate(connection)
}

/// What is wrong with the file's structure, if anything is.
fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    findings(connection, "PRAGMA quick_check(1)")
}

/// What is wrong with the file, if anything is.
pub(super) fn integrity(connection: &Connection) -> rusqlite::Result<Option<String>> {
    findings(connection, "PRAGMA integrity_check(1)")
}

fn findings(connection: &Connection, check: &str) -> rusqlite::Result<Option<String>> {
    let found: String = connection.query_row(check, [], |row| row.get(0))?;
    Ok((found != "ok").then(|| found.replace('\n', " ")))
}

/// Sees to it that the file is there and its owner's only; SQLite would make one that others can read. The
/// log beside it gets the same permissions. An existing file must not be opened: closing it would
/// take away the locks that this process holds on it.
fn make_private(path: &Path) -> io::Result<()> {
    if path.try_exists()? {
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        return Ok(());
    }
    private::file()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)?;
    // The file's name must outlive a power cut like what is in it.
    match path.parent() {
        #[cfg(unix)]
        Some(folder) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
