//! What SQLite adds to what every engine promises: one file, several users, and what can go wrong with it.

use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Waker};

use futures_util::future::join_all;
use tempfile::TempDir;

use super::*;

mod refusals;

/// A store in a folder of its own.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("data/forge.db")
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        self.folder.path().join(format!("data/forge.db{suffix}"))
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.file()).unwrap()
    }
}

fn stream(text: &str) -> StreamName {
    StreamName::parse(text).unwrap()
}

/// Appends one event, wherever the head is.
async fn append(store: &SqliteStore, name: &str, event: &[u8]) -> Result<u64, StoreError> {
    let name = stream(name);
    loop {
        let head = store.head(&name).await?;
        if let Appended::At { head } = store.append(&name, head, vec![event.to_vec()]).await? {
            return Ok(head);
        }
    }
}

async fn events(store: &SqliteStore, name: &str) -> Vec<Vec<u8>> {
    let mut events = Vec::new();
    loop {
        let after = events.len() as u64;
        let page = store.read(&stream(name), after, ReadBound::default()).await;
        let page = page.unwrap();
        for recorded in page.events {
            events.push(recorded.event);
            assert_eq!(recorded.position, events.len() as u64);
        }
        if events.len() as u64 >= page.head {
            return events;
        }
    }
}

#[tokio::test]
async fn what_was_written_is_there_when_it_is_opened_again() {
    let place = Place::new();
    let store = place.open();
    append(&store, "a", b"one").await.unwrap();
    drop(store);
    assert!(!place.beside("-wal").exists(), "closing empties the log");
    let store = place.open();
    append(&store, "a", b"two").await.unwrap();
    assert_eq!(events(&store, "a").await, [b"one", b"two"]);
}

#[cfg(unix)]
#[tokio::test]
async fn the_files_are_their_owners_only() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let check = |store: SqliteStore| {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let mode = fs::metadata(place.beside(suffix)).unwrap().permissions();
            assert_eq!(mode.mode() & 0o777, 0o600, "{suffix}");
        }
        drop(store);
    };
    check(place.open());
    let folder = fs::metadata(place.folder.path().join("data")).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    // As someone may have copied it.
    fs::set_permissions(place.file(), Permissions::from_mode(0o644)).unwrap();
    check(place.open());
}

#[tokio::test]
async fn a_commit_is_on_the_disk_before_it_is_acknowledged() {
    let place = Place::new();
    let store = place.open();
    let settings = store.writer.write(|connection| {
        let journal: String =
            connection.pragma_query_value(None, "journal_mode", |it| it.get(0))?;
        let synchronous: i64 =
            connection.pragma_query_value(None, "synchronous", |it| it.get(0))?;
        Ok((journal, synchronous))
    });
    // 2 is FULL: the log is synced after each commit.
    assert_eq!(settings.await.unwrap(), ("wal".to_owned(), 2));
}

#[tokio::test]
async fn readers_can_change_nothing() {
    let place = Place::new();
    let store = place.open();
    let result = store
        .readers
        .read(|connection| blobs::put(connection, &blobs::digest(b"x"), b"x"));
    let error = result.await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_may_open_and_write_one_file_at_the_same_time() {
    let place = Arc::new(Place::new());
    let opened = (0..8).map(|number| {
        let place = Arc::clone(&place);
        tokio::spawn(async move {
            let open = tokio::task::spawn_blocking(move || place.open());
            let store = open.await.unwrap();
            for count in 0..20 {
                let event = format!("{number} {count}");
                append(&store, "a", event.as_bytes()).await.unwrap();
            }
        })
    });
    for writer in join_all(opened).await {
        writer.unwrap();
    }
    let store = place.open();
    let mut found = events(&store, "a").await;
    assert_eq!(found.len(), 160);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 160);
    store.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reading_sees_one_moment_while_others_write() {
    const PAIRS: u64 = 200;
    let place = Place::new();
    let (writing, reading) = (place.open(), place.open());
    let writer = tokio::spawn(async move {
        for pair in 0..PAIRS {
            let events = vec![vec![1; 300], vec![2; 300]];
            let appended = writing.append(&stream("a"), pair * 2, events).await;
            let head = pair * 2 + 2;
            assert_eq!(appended.unwrap(), Appended::At { head });
        }
    });
    let everything = ReadBound {
        events: usize::MAX,
        bytes: usize::MAX,
    };
    let mut seen = 0;
    while seen < PAIRS * 2 {
        let page = reading.read(&stream("a"), 0, everything).await.unwrap();
        assert_eq!(page.events.len() as u64, page.head);
        assert_eq!(page.head % 2, 0, "half of what was appended together");
        assert!(page.head >= seen, "what was there is gone");
        seen = page.head;
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn one_that_fails_does_not_take_the_others_with_it() {
    let place = Place::new();
    let store = place.open();
    let (store, names) = (&store, (0..50).map(|number| format!("a/{number}")));
    let appended = names.map(|name| async move { append(store, &name, b"x").await.map(|_| ()) });
    let failing = (0..50).map(|_| async {
        // The table refuses the id.
        let insert = "INSERT INTO stream (id, name) VALUES (0, 'bad')";
        let failed = store.writer.write(|it| it.execute(insert, []));
        assert!(failed.await.is_err());
    });
    let (appended, _) = tokio::join!(join_all(appended), join_all(failing));
    assert!(appended.iter().all(Result::is_ok));
    let found = store.streams("", None, 99).await.unwrap();
    assert_eq!(found.len(), 50);
}

#[tokio::test]
async fn what_was_handed_over_is_written_though_nobody_waits() {
    let place = Place::new();
    let store = place.open();
    let name = stream("a");
    let mut append = Box::pin(store.append(&name, 0, vec![b"x".to_vec()]));
    let mut context = Context::from_waker(Waker::noop());
    assert!(append.as_mut().poll(&mut context).is_pending());
    drop(append);
    drop(store);
    assert_eq!(events(&place.open(), "a").await, [b"x"]);
}

#[tokio::test]
async fn claims_are_found_by_an_index() {
    let place = Place::new();
    let store = place.open();
    let plan = store.readers.read(|connection| {
        let query = "EXPLAIN QUERY PLAN SELECT number, id, payload, attempts FROM job
             WHERE queue = ?1 AND state IN ('waiting', 'claimed') AND due_ms <= ?2
             ORDER BY due_ms, number LIMIT ?3";
        let mut query = connection.prepare(query)?;
        let rows = query.query_map(("a", 1, 1), |row| row.get::<_, String>(3))?;
        rows.collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(
        plan.await.unwrap(),
        ["SEARCH job USING INDEX job_open (queue=? AND due_ms<?)"]
    );
}
