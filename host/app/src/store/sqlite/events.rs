//! The log in SQL.

use forge_core::store::{Appended, Page, ReadBound, Recorded, StreamHead, StreamName};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Row, params};

pub(super) fn append(
    connection: &Connection,
    stream: &StreamName,
    expected: u64,
    events: &[Vec<u8>],
) -> rusqlite::Result<Appended> {
    let found = find(connection, stream)?;
    let head = found.map_or(0, |found| found.head);
    if head != expected {
        return Ok(Appended::Conflict { head });
    }
    if events.is_empty() {
        return Ok(Appended::At { head });
    }
    let new_head = head + events.len() as u64;
    let id = match found {
        Some(Stream { id, .. }) => {
            connection
                .prepare_cached("UPDATE stream SET head = ?2 WHERE id = ?1")?
                .execute(params![id, integer(new_head)])?;
            id
        }
        None => connection
            .prepare_cached("INSERT INTO stream (name, head) VALUES (?1, ?2)")?
            .insert(params![stream.as_str(), integer(new_head)])?,
    };
    let mut insert = connection
        .prepare_cached("INSERT INTO event (stream, position, body) VALUES (?1, ?2, ?3)")?;
    for (position, event) in (head + 1..).zip(events) {
        insert.execute(params![id, integer(position), event])?;
    }
    Ok(Appended::At { head: new_head })
}

pub(super) fn read(
    connection: &Connection,
    stream: &StreamName,
    after: u64,
    bound: ReadBound,
) -> rusqlite::Result<Page> {
    let Some(Stream { id, head }) = find(connection, stream)? else {
        return Ok(Page {
            events: Vec::new(),
            head: 0,
        });
    };
    let mut page = Page {
        events: Vec::new(),
        head,
    };
    if after >= head {
        return Ok(page);
    }
    let mut query = connection.prepare_cached(
        "SELECT position, body FROM event WHERE stream = ?1 AND position > ?2 ORDER BY position",
    )?;
    let mut rows = query.query(params![id, integer(after)])?;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_blob()?;
        bytes += body.len();
        if !page.events.is_empty() && (page.events.len() >= bound.events || bytes > bound.bytes) {
            break;
        }
        page.events.push(Recorded {
            position: natural(row, 0)?,
            event: body.to_vec(),
        });
    }
    Ok(page)
}

pub(super) fn head(connection: &Connection, stream: &StreamName) -> rusqlite::Result<u64> {
    Ok(find(connection, stream)?.map_or(0, |found| found.head))
}

pub(super) fn streams(
    connection: &Connection,
    prefix: &str,
    after: Option<&StreamName>,
    limit: usize,
) -> rusqlite::Result<Vec<StreamHead>> {
    // `{` comes after every character of a name.
    let mut query = connection.prepare_cached(
        "SELECT name, head, body
         FROM stream JOIN event ON event.stream = stream.id AND event.position = stream.head
         WHERE name >= ?1 AND name < ?1 || '{' AND name > ?2
         ORDER BY name LIMIT ?3",
    )?;
    let after = after.map_or("", StreamName::as_str);
    let found = query.query_map(params![prefix, after, integer(limit as u64)], |row| {
        Ok(StreamHead {
            name: name(row, 0)?,
            last: Recorded {
                position: natural(row, 1)?,
                event: row.get(2)?,
            },
        })
    })?;
    found.collect()
}

#[derive(Clone, Copy)]
struct Stream {
    id: i64,
    head: u64,
}

fn find(connection: &Connection, stream: &StreamName) -> rusqlite::Result<Option<Stream>> {
    connection
        .prepare_cached("SELECT id, head FROM stream WHERE name = ?1")?
        .query_row([stream.as_str()], |row| {
            Ok(Stream {
                id: row.get(0)?,
                head: natural(row, 1)?,
            })
        })
        .optional()
}

fn name(row: &Row<'_>, column: usize) -> rusqlite::Result<StreamName> {
    StreamName::parse(row.get_ref(column)?.as_str()?)
        .map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// A count that was stored with [`integer`].
pub(super) fn natural(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| Error::IntegralValueOutOfRange(column, value))
}

/// SQLite's integers have 63 bits for what is not negative: more than anything here counts to.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
