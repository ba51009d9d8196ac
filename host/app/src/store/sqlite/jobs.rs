//! The queue in SQL. A claim stands as long as nobody has claimed the job since: its attempt tells.

use std::time::Duration;

use forge_core::store::{Claim, Depth, Enqueued, Moment, NewJob, Retry, Standing};
use rusqlite::{Connection, Params, params};

use super::events::{integer, natural};

/// Which claim of which job.
pub(super) struct Key {
    queue: String,
    id: String,
    attempt: u32,
}

impl Key {
    pub(super) fn of(claim: &Claim) -> Self {
        Self {
            queue: claim.queue.clone(),
            id: claim.id.clone(),
            attempt: claim.attempt,
        }
    }
}

pub(super) fn enqueue(connection: &Connection, job: &NewJob) -> rusqlite::Result<Enqueued> {
    let added = connection
        .prepare_cached(
            "INSERT INTO job (queue, id, payload, state, due_ms) VALUES (?1, ?2, ?3, 'waiting', ?4)
             ON CONFLICT (queue, id) DO NOTHING",
        )?
        .execute(params![
            job.queue,
            job.id,
            job.payload,
            integer(job.due.ms())
        ])?;
    Ok(if added == 1 {
        Enqueued::Added
    } else {
        Enqueued::Known
    })
}

pub(super) fn claim(
    connection: &Connection,
    queue: &str,
    now: Moment,
    lease: Duration,
    limit: usize,
) -> rusqlite::Result<Vec<Claim>> {
    let mut due = connection.prepare_cached(
        "SELECT number, id, payload, attempts FROM job
         WHERE queue = ?1 AND state IN ('waiting', 'claimed') AND due_ms <= ?2
         ORDER BY due_ms, number LIMIT ?3",
    )?;
    let due = due.query_map(
        params![queue, integer(now.ms()), integer(limit as u64)],
        |row| {
            let claim = Claim {
                queue: queue.to_owned(),
                id: row.get(1)?,
                payload: row.get(2)?,
                attempt: row.get::<_, u32>(3)?.saturating_add(1),
            };
            Ok((row.get::<_, i64>(0)?, claim))
        },
    )?;
    let due: Vec<(i64, Claim)> = due.collect::<Result<_, _>>()?;
    let mut take = connection.prepare_cached(
        "UPDATE job SET state = 'claimed', due_ms = ?2, attempts = ?3 WHERE number = ?1",
    )?;
    let until = integer(now.after(lease).ms());
    for (number, claim) in &due {
        take.execute(params![number, until, claim.attempt])?;
    }
    Ok(due.into_iter().map(|(_, claim)| claim).collect())
}

pub(super) fn extend(
    connection: &Connection,
    key: &Key,
    until: Moment,
) -> rusqlite::Result<Standing> {
    change(
        connection,
        "UPDATE job SET due_ms = ?4
         WHERE queue = ?1 AND id = ?2 AND attempts = ?3 AND state = 'claimed'",
        params![key.queue, key.id, key.attempt, integer(until.ms())],
    )
}

pub(super) fn done(connection: &Connection, key: &Key) -> rusqlite::Result<Standing> {
    change(
        connection,
        "UPDATE job SET state = 'done', payload = x''
         WHERE queue = ?1 AND id = ?2 AND attempts = ?3 AND state = 'claimed'",
        params![key.queue, key.id, key.attempt],
    )
}

pub(super) fn failed(
    connection: &Connection,
    key: &Key,
    retry: Retry,
) -> rusqlite::Result<Standing> {
    match retry {
        Retry::At(due) => change(
            connection,
            "UPDATE job SET state = 'waiting', due_ms = ?4
             WHERE queue = ?1 AND id = ?2 AND attempts = ?3 AND state = 'claimed'",
            params![key.queue, key.id, key.attempt, integer(due.ms())],
        ),
        Retry::Never => change(
            connection,
            "UPDATE job SET state = 'given-up'
             WHERE queue = ?1 AND id = ?2 AND attempts = ?3 AND state = 'claimed'",
            params![key.queue, key.id, key.attempt],
        ),
    }
}

pub(super) fn depth(connection: &Connection, queue: &str, now: Moment) -> rusqlite::Result<Depth> {
    let mut open = connection.prepare_cached(
        "SELECT count(*) FILTER (WHERE due_ms <= ?2),
                count(*) FILTER (WHERE due_ms > ?2 AND state = 'waiting'),
                count(*) FILTER (WHERE due_ms > ?2 AND state = 'claimed')
         FROM job WHERE queue = ?1 AND state IN ('waiting', 'claimed')",
    )?;
    let open = open.query_row(params![queue, integer(now.ms())], |row| {
        Ok(Depth {
            ready: natural(row, 0)?,
            waiting: natural(row, 1)?,
            claimed: natural(row, 2)?,
            given_up: 0,
        })
    })?;
    let given_up = connection
        .prepare_cached("SELECT count(*) FROM job WHERE queue = ?1 AND state = 'given-up'")?
        .query_row([queue], |row| natural(row, 0))?;
    Ok(Depth { given_up, ..open })
}

fn change(
    connection: &Connection,
    update: &str,
    params: impl Params,
) -> rusqlite::Result<Standing> {
    let changed = connection.prepare_cached(update)?.execute(params)?;
    Ok(if changed == 1 {
        Standing::Held
    } else {
        Standing::Lost
    })
}
