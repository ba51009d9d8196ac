//! What is refused, with the file, the reason and the way out; and that nothing is overwritten.

use std::fs;
use std::time::Duration;

use rusqlite::Connection;

use super::*;

/// What opening the file says, without the path. The file stays as it is.
#[track_caller]
fn check_refused(place: &Place, expected: &str) {
    let before = fs::read(place.file()).unwrap();
    let error = SqliteStore::open(&place.file()).err().unwrap().to_string();
    assert_eq!(without_path(place, &error), expected);
    assert!(fs::read(place.file()).unwrap() == before, "it was changed");
}

fn without_path(place: &Place, error: &str) -> String {
    let path = place.file().display().to_string();
    assert!(error.contains(&path), "{error}");
    error.replace(&path, "FILE")
}

#[track_caller]
fn check_error(place: &Place, error: Option<StoreError>, expected: &str) {
    let error = error.unwrap().to_string();
    assert_eq!(without_path(place, &error), expected);
}

/// A place with a database that this makes.
fn with_database(sql: &str) -> Place {
    let place = Place::new();
    fs::create_dir(place.folder.path().join("data")).unwrap();
    let connection = Connection::open(place.file()).unwrap();
    connection.execute_batch(sql).unwrap();
    place
}

#[test]
fn a_file_that_is_no_database() {
    let place = with_database("");
    fs::write(place.file(), "dear diary, ".repeat(100)).unwrap();
    check_refused(
        &place,
        "the store `FILE` is damaged (file is not a database): put a backup in its place, or move it away to begin anew",
    );
}

#[test]
fn another_programs_database() {
    let expected = "`FILE` is not a store of Forge, and was left as it is: move it away, or choose another data folder";
    let place = with_database("CREATE TABLE bookmark (url TEXT)");
    check_refused(&place, expected);
    let place = with_database("PRAGMA application_id = 42");
    check_refused(&place, expected);
}

#[test]
fn a_newer_forges_store() {
    let place = Place::new();
    drop(place.open());
    let connection = Connection::open(place.file()).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    check_refused(
        &place,
        "the store `FILE` has version 7 and this Forge knows up to 1: use the newer Forge that wrote it",
    );
}

/// A copy of a store in use, as a crash would leave it: what was written last is only in the log.
async fn crashed() -> Place {
    let (place, copy) = (Place::new(), Place::new());
    let store = place.open();
    for number in 0..20 {
        append(&store, "a", &[number; 3000]).await.unwrap();
    }
    drop(store);
    let store = place.open();
    append(&store, "b", b"last").await.unwrap();
    fs::create_dir(copy.folder.path().join("data")).unwrap();
    for suffix in ["", "-wal"] {
        fs::copy(place.beside(suffix), copy.beside(suffix)).unwrap();
    }
    copy
}

#[tokio::test]
async fn one_that_was_not_closed_is_checked_and_goes_on() {
    let place = crashed().await;
    let store = place.open();
    assert_eq!(events(&store, "a").await.len(), 20);
    assert_eq!(events(&store, "b").await, [b"last"]);
    store.check().await.unwrap();
}

/// Damages what the pages in the middle hold.
fn scribble(place: &Place) {
    let mut bytes = fs::read(place.file()).unwrap();
    let (from, to) = (8 * 4096, bytes.len() - 2 * 4096);
    bytes[from..to].fill(0xA5);
    fs::write(place.file(), bytes).unwrap();
}

#[tokio::test]
async fn one_that_was_not_closed_and_is_damaged() {
    let place = crashed().await;
    scribble(&place);
    let error = SqliteStore::open(&place.file()).unwrap_err();
    let StoreError::Damaged { detail, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(detail.contains("Tree"), "{detail}");
}

#[tokio::test]
async fn damage_that_is_found_later() {
    let place = Place::new();
    let store = place.open();
    for number in 0..40 {
        append(&store, "a", &[number; 3000]).await.unwrap();
    }
    drop(store);
    scribble(&place);
    let store = place.open();
    let everything = ReadBound {
        events: usize::MAX,
        bytes: usize::MAX,
    };
    let read = store.read(&stream("a"), 0, everything).await;
    check_error(
        &place,
        read.err(),
        "the store `FILE` is damaged (database disk image is malformed): put a backup in its place, or move it away to begin anew",
    );
    assert!(matches!(
        store.check().await,
        Err(StoreError::Damaged { .. })
    ));
}

#[test]
fn a_place_where_nothing_can_be_made() {
    let place = Place::new();
    fs::write(place.folder.path().join("data"), "a file").unwrap();
    let error = SqliteStore::open(&place.file()).unwrap_err();
    assert!(std::error::Error::source(&error).is_some());
    check_error(&place, Some(error), "the store `FILE` can't be used");
}

#[tokio::test]
async fn one_that_can_only_be_read() {
    let place = Place::new();
    let store = place.open();
    append(&store, "a", b"one").await.unwrap();
    // What SQLite says of a file or a disk that is read-only.
    let read_only = |it: &Connection| it.pragma_update(None, "query_only", true);
    store.writer.write(read_only).await.unwrap();
    check_error(
        &place,
        append(&store, "a", b"two").await.err(),
        "the store `FILE` can't be written: let this user write it and its folder",
    );
    assert_eq!(events(&store, "a").await, [b"one"]);
}

#[tokio::test]
async fn a_full_disk_ends_nothing_but_the_writing() {
    let place = Place::new();
    let store = place.open();
    let allow = async |pages: i64| {
        let limit = move |it: &Connection| {
            it.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
        };
        store.writer.write(limit).await.unwrap();
    };
    append(&store, "a", &[1; 2000]).await.unwrap();
    allow(1).await;
    check_error(
        &place,
        append(&store, "a", &[2; 200_000]).await.err(),
        "the store `FILE` is full: make room on its disk",
    );
    assert_eq!(events(&store, "a").await, [[1; 2000]]);
    allow(1000).await;
    assert_eq!(append(&store, "a", &[2; 200_000]).await.unwrap(), 2);
}

#[tokio::test]
async fn one_that_another_process_holds() {
    let place = Place::new();
    let store = place.open();
    let impatient = |it: &Connection| it.busy_timeout(Duration::from_millis(1));
    store.writer.write(impatient).await.unwrap();
    let other = Connection::open(place.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (first, second) = tokio::join!(append(&store, "a", b"1"), append(&store, "b", b"2"));
    for outcome in [first, second] {
        check_error(
            &place,
            outcome.err(),
            "the store `FILE` is busy: another process has been writing to it; try again",
        );
    }
    assert!(events(&store, "a").await.is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(append(&store, "a", b"1").await.unwrap(), 1);
}

#[tokio::test]
async fn a_blob_that_is_damaged_until_it_is_put_again() {
    let place = Place::new();
    let store = place.open();
    let digest = store.put(b"abc".to_vec()).await.unwrap();
    let damage = |it: &Connection| it.execute("UPDATE blob SET body = x'616264'", []);
    store.writer.write(damage).await.unwrap();
    check_error(
        &place,
        store.get(&digest).await.err(),
        "the blob `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad` in the store `FILE` is damaged: put it again",
    );
    store.put(b"abc".to_vec()).await.unwrap();
    let found = store.get(&digest).await.unwrap();
    assert_eq!(found.as_deref(), Some(b"abc".as_slice()));
}
