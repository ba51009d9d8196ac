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
    let known = find(connection, stream)?;
    let head = known.map_or(Ok(0), |range| range.head(connection))?;
    if head != expected {
        return Ok(Appended::Conflict { head });
    }
    if events.is_empty() {
        return Ok(Appended::At { head });
    }
    let range = match known {
        Some(range) => range,
        None => Range(
            connection
                .prepare_cached("INSERT INTO stream (name) VALUES (?1)")?
                .insert([stream.as_str()])?,
        ),
    };
    let mut insert =
        connection.prepare_cached("INSERT INTO event (place, body) VALUES (?1, ?2)")?;
    for (position, event) in (head + 1..).zip(events) {
        insert.execute(params![range.place(position)?, event])?;
    }
    Ok(Appended::At {
        head: head + events.len() as u64,
    })
}

pub(super) fn read(
    connection: &Connection,
    stream: &StreamName,
    after: u64,
    bound: ReadBound,
) -> rusqlite::Result<Page> {
    let mut page = Page {
        events: Vec::new(),
        head: 0,
    };
    let Some(range) = find(connection, stream)? else {
        return Ok(page);
    };
    page.head = range.head(connection)?;
    if after >= page.head {
        return Ok(page);
    }
    let mut query = connection.prepare_cached(
        "SELECT place, body FROM event WHERE place BETWEEN ?1 AND ?2 ORDER BY place",
    )?;
    let mut rows = query.query([range.place(after + 1)?, range.place(page.head)?])?;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_blob()?;
        bytes += body.len();
        if !page.events.is_empty() && (page.events.len() >= bound.events || bytes > bound.bytes) {
            break;
        }
        page.events.push(Recorded {
            position: position(row.get(0)?),
            event: body.to_vec(),
        });
    }
    Ok(page)
}

pub(super) fn head(connection: &Connection, stream: &StreamName) -> rusqlite::Result<u64> {
    find(connection, stream)?.map_or(Ok(0), |range| range.head(connection))
}

pub(super) fn streams(
    connection: &Connection,
    prefix: &str,
    after: Option<&StreamName>,
    limit: usize,
) -> rusqlite::Result<Vec<StreamHead>> {
    // `{` comes after every character of a name.
    let mut query = connection.prepare_cached(
        "SELECT name, place, body
         FROM stream JOIN event ON place = (
             SELECT place FROM event
             WHERE place BETWEEN id << 32 AND id << 32 | 0xffffffff
             ORDER BY place DESC LIMIT 1
         )
         WHERE name >= ?1 AND name < ?1 || '{' AND name > ?2
         ORDER BY name LIMIT ?3",
    )?;
    let after = after.map_or("", StreamName::as_str);
    let found = query.query_map(params![prefix, after, integer(limit as u64)], |row| {
        Ok(StreamHead {
            name: name(row, 0)?,
            last: Recorded {
                position: position(row.get(1)?),
                event: row.get(2)?,
            },
        })
    })?;
    found.collect()
}

/// Where the events of one stream are, by its id.
#[derive(Clone, Copy)]
struct Range(i64);

impl Range {
    /// The most events of a stream.
    const LAST: u64 = 0xffff_ffff;

    fn place(self, position: u64) -> rusqlite::Result<i64> {
        if position > Self::LAST {
            return Err(Error::ToSqlConversionFailure(
                format!("a stream has at most {} events", Self::LAST).into(),
            ));
        }
        Ok(self.0 << 32 | integer(position))
    }

    fn head(self, connection: &Connection) -> rusqlite::Result<u64> {
        let last = connection
            .prepare_cached(
                "SELECT place FROM event WHERE place BETWEEN ?1 AND ?2
                 ORDER BY place DESC LIMIT 1",
            )?
            .query_row([self.place(0)?, self.place(Self::LAST)?], |row| row.get(0))
            .optional()?;
        Ok(last.map_or(0, position))
    }
}

fn position(place: i64) -> u64 {
    place.cast_unsigned() & Range::LAST
}

fn find(connection: &Connection, stream: &StreamName) -> rusqlite::Result<Option<Range>> {
    connection
        .prepare_cached("SELECT id FROM stream WHERE name = ?1")?
        .query_row([stream.as_str()], |row| row.get(0).map(Range))
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
