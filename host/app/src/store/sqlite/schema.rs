//! The tables, and how a store of an older version gets them.

use forge_core::store::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::failure::Place;

/// `Forg` in ASCII: how a store is told from other databases.
const APPLICATION_ID: i64 = 0x466f_7267;

/// What makes a store of each version out of one of the version before; the first begins with nothing.
/// A step that was released is never changed.
const MIGRATIONS: [&str; 1] = ["
CREATE TABLE stream (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 0x7fffffff),
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The upper half of an event's place is its stream and the lower half its position. So a stream lies together,
-- its head is the last place of its range, and an append changes one page.
CREATE TABLE event (
    place INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE job (
    number INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    id TEXT NOT NULL,
    payload BLOB NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'done', 'given-up')),
    -- Claimed, it is due again when the lease ends.
    due_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    UNIQUE (queue, id)
) STRICT;
CREATE INDEX job_open ON job (queue, due_ms, number) WHERE state IN ('waiting', 'claimed');
CREATE INDEX job_given_up ON job (queue) WHERE state = 'given-up';

CREATE TABLE blob (
    digest TEXT PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"];

/// The version that this Forge writes.
const VERSION: i64 = MIGRATIONS.len() as i64;

/// Lets a store that this Forge knows pass, and an empty file, of which one can be made.
pub(super) fn recognise(connection: &Connection, place: &Place) -> Result<(), StoreError> {
    let found = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            version(connection)?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    match found().map_err(|error| place.failure(error))? {
        (APPLICATION_ID, version, _) if version > VERSION => Err(place.newer(version, VERSION)),
        (APPLICATION_ID, _, _) | (0, 0, 0) => Ok(()),
        _ => Err(place.foreign()),
    }
}

/// Brings the store to this Forge's version, in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let done = usize::try_from(version(&transaction)?).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
