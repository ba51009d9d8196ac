//! Leases in SQL.

use std::time::Duration;

use forge_core::store::{Hold, Moment};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::events::{integer, natural};

pub(super) fn try_hold(
    connection: &Connection,
    name: &str,
    owner: &str,
    now: Moment,
    ttl: Duration,
) -> rusqlite::Result<Hold> {
    let held = connection
        .prepare_cached(
            "INSERT INTO lease (name, owner, until_ms) VALUES (?1, ?2, ?4)
             ON CONFLICT (name) DO UPDATE
                 SET owner = ?2, until_ms = iif(owner = ?2, max(until_ms, ?4), ?4)
                 WHERE owner = ?2 OR until_ms <= ?3
             RETURNING until_ms",
        )?
        .query_row(
            params![name, owner, integer(now.ms()), integer(now.after(ttl).ms())],
            |row| moment(row, 0),
        )
        .optional()?;
    match held {
        Some(until) => Ok(Hold::Held { until }),
        None => connection
            .prepare_cached("SELECT owner, until_ms FROM lease WHERE name = ?1")?
            .query_row([name], |row| {
                Ok(Hold::HeldBy {
                    owner: row.get(0)?,
                    until: moment(row, 1)?,
                })
            }),
    }
}

pub(super) fn release(connection: &Connection, name: &str, owner: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM lease WHERE name = ?1 AND owner = ?2")?
        .execute([name, owner])?;
    Ok(())
}

fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Moment> {
    natural(row, column).map(Moment::from_ms)
}
