//! Conversations on a real file: turns one after the other in each, at the same time in all.

use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Waker};

use forge_core::conversation::{NewExchange, Role, Stored};
use forge_core::store::{Appended, Page, StreamName};
use futures_util::future::join_all;

use super::*;
use crate::store::SqliteStore;

const MEMORY_BYTES: usize = 1024 * 1024;

fn open(folder: &Path) -> Conversations {
    let store = SqliteStore::open(&folder.join("forge.db")).unwrap();
    Conversations::new(Arc::new(store), Window::default(), MEMORY_BYTES)
}

fn id(text: &str) -> ConversationId {
    ConversationId::parse(text).unwrap()
}

/// `at` is RFC 3339.
fn said(text: &str, at: &str) -> NewExchange {
    NewExchange {
        user: format!("{text}?"),
        answer: format!("{text}!"),
        asked_at: at.to_owned(),
        answered_at: at.to_owned(),
        run_id: format!("run {text}"),
        tool: "chat".to_owned(),
        labels: std::collections::BTreeSet::new(),
    }
}

fn is_waiting(future: Pin<&mut impl Future>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    future.poll(&mut context).is_pending()
}

const AT: &str = "2026-11-30T20:58:08+01:00";

async fn say(conversations: &Conversations, id: &ConversationId, text: &str) -> Stored {
    let turn = conversations.begin(id).await.unwrap();
    turn.commit(&said(text, AT)).await.unwrap()
}

async fn contents(conversations: &Conversations, id: &ConversationId) -> Vec<String> {
    let messages = conversations.messages(id, 0, usize::MAX).await.unwrap();
    let ids: Vec<u64> = messages.iter().map(|message| message.id).collect();
    let expected: Vec<u64> = (1..=messages.len() as u64).collect();
    assert_eq!(ids, expected);
    messages
        .into_iter()
        .map(|message| message.content)
        .collect()
}

/// How many exchanges a prompt sees.
fn exchanges(turn: &Turn) -> usize {
    turn.history().matches("(Forge answered: ").count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_conversations_go_on_at_the_same_time_and_nothing_is_lost() {
    const TURNS: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    let conversations = open(folder.path());
    let all = (0..64).map(|number| {
        let conversations = conversations.clone();
        tokio::spawn(async move {
            let id = id(&format!("c{number}"));
            for turn in 0..TURNS {
                let place = conversations.begin(&id).await.unwrap();
                assert_eq!(exchanges(&place), turn);
                let text = format!("{number}/{turn}");
                let stored = place.commit(&said(&text, AT)).await.unwrap();
                assert_eq!(stored.assistant_id, 2 * turn as u64 + 2);
            }
        })
    });
    for conversation in join_all(all).await {
        conversation.unwrap();
    }
    drop(conversations);
    let conversations = open(folder.path());
    assert_eq!(conversations.list().await.unwrap().len(), 64);
    for number in 0..64 {
        let expected: Vec<String> = (0..TURNS)
            .flat_map(|turn| [format!("{number}/{turn}?"), format!("{number}/{turn}!")])
            .collect();
        let id = id(&format!("c{number}"));
        assert_eq!(contents(&conversations, &id).await, expected);
    }
}

#[tokio::test]
async fn turns_of_one_conversation_come_one_after_the_other_in_the_order_they_came() {
    let folder = tempfile::tempdir().unwrap();
    let conversations = open(folder.path());
    let main = ConversationId::default();
    let first = conversations.begin(&main).await.unwrap();
    let mut second = Box::pin(conversations.begin(&main));
    let mut third = Box::pin(conversations.begin(&main));
    let mut fourth = Box::pin(conversations.begin(&main));
    assert!(is_waiting(second.as_mut()));
    assert!(is_waiting(third.as_mut()));
    assert!(is_waiting(fourth.as_mut()));
    // Another conversation does not wait, and reading waits for nobody.
    say(&conversations, &id("other"), "x").await;
    assert!(contents(&conversations, &main).await.is_empty());
    // One leaves the queue, one gives up its turn.
    drop(second);
    drop(first);
    let third = third.await.unwrap();
    assert!(is_waiting(fourth.as_mut()));
    third.commit(&said("third", AT)).await.unwrap();
    let fourth = fourth.await.unwrap();
    assert_eq!(exchanges(&fourth), 1);
    assert!(fourth.history().contains("third?"));
    assert_eq!(fourth.id(), &main);
}

#[tokio::test]
async fn another_process_may_add_to_the_same_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (open(folder.path()), open(folder.path()));
    let main = ConversationId::default();
    say(&here, &main, "one").await;
    let turn = here.begin(&main).await.unwrap();
    let stored = say(&there, &main, "two").await;
    assert_eq!(stored.user_id, 3);
    // It has begun before and ends after.
    assert_eq!(exchanges(&turn), 1);
    let stored = turn.commit(&said("three", AT)).await.unwrap();
    assert_eq!((stored.user_id, stored.assistant_id), (5, 6));
    let turn = there.begin(&main).await.unwrap();
    assert_eq!(exchanges(&turn), 3);
    let expected = ["one?", "one!", "two?", "two!", "three?", "three!"];
    assert_eq!(contents(&here, &main).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_may_write_to_one_conversation_all_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let writers = (0..2).map(|number| {
        let conversations = open(folder.path());
        tokio::spawn(async move {
            for turn in 0..30 {
                let text = format!("{number}/{turn}");
                say(&conversations, &ConversationId::default(), &text).await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let conversations = open(folder.path());
    let found = contents(&conversations, &ConversationId::default()).await;
    assert_eq!(found.len(), 120);
    for number in 0..2 {
        let of_one = found
            .iter()
            .filter(|text| text.starts_with(&format!("{number}/")) && text.ends_with('?'));
        let expected: Vec<String> = (0..30).map(|turn| format!("{number}/{turn}?")).collect();
        assert!(of_one.eq(expected.iter()), "{found:?}");
    }
}

#[tokio::test]
async fn notes_are_kept_with_and_without_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let conversations = open(folder.path());
    let main = ConversationId::default();
    let turn = conversations.begin(&main).await.unwrap();
    turn.notes().set("files", "a", Some("1")).unwrap();
    turn.commit(&said("one", AT)).await.unwrap();
    let turn = conversations.begin(&main).await.unwrap();
    assert_eq!(turn.notes().get("files", "a").as_deref(), Some("1"));
    assert_eq!(turn.notes().get("git", "a"), None);
    turn.notes().set("files", "a", None).unwrap();
    turn.notes().set("files", "b", Some("2")).unwrap();
    turn.commit_notes(AT).await.unwrap();
    // What a turn that is given up has changed is gone.
    let turn = conversations.begin(&main).await.unwrap();
    turn.notes().set("files", "b", Some("3")).unwrap();
    drop(turn);
    let conversations = open(folder.path());
    let turn = conversations.begin(&main).await.unwrap();
    assert_eq!(turn.notes().get("files", "a"), None);
    assert_eq!(turn.notes().get("files", "b").as_deref(), Some("2"));
    assert_eq!(exchanges(&turn), 1);
    // Without a change nothing is written.
    turn.commit_notes(AT).await.unwrap();
    assert_eq!(contents(&conversations, &main).await.len(), 2);
    let other = conversations.begin(&id("other")).await.unwrap();
    assert_eq!(other.notes().get("files", "b"), None);
}

#[tokio::test]
async fn the_list_begins_with_what_was_added_to_last() {
    let folder = tempfile::tempdir().unwrap();
    let conversations = open(folder.path());
    assert_eq!(conversations.list().await.unwrap(), []);
    for (name, at) in [
        ("a", "2026-11-30T20:58:08+01:00"),
        ("b", "2026-11-30T19:58:09Z"),
        ("c", "2026-11-30T21:58:07+02:00"),
    ] {
        let turn = conversations.begin(&id(name)).await.unwrap();
        turn.commit(&said("x", at)).await.unwrap();
    }
    let list = conversations.list().await.unwrap();
    let names: Vec<&str> = list.iter().map(|listed| listed.id.as_str()).collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(list[0].messages, 2);
    assert_eq!(list[0].updated_at, "2026-11-30T19:58:09Z");
}

#[tokio::test]
async fn more_conversations_than_a_page_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let conversations = open(folder.path());
    let all = (0..PAGE_STREAMS * 2 + 1).map(|number| {
        let conversations = conversations.clone();
        async move { say(&conversations, &id(&format!("c{number}")), "x").await }
    });
    join_all(all).await;
    let list = conversations.list().await.unwrap();
    assert_eq!(list.len(), PAGE_STREAMS * 2 + 1);
}

#[tokio::test]
async fn what_a_newer_forge_has_written_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("forge.db")).unwrap());
    let conversations = Conversations::new(store.clone(), Window::default(), MEMORY_BYTES);
    let main = ConversationId::default();
    say(&conversations, &main, "one").await;
    let newer = format!(r#"{{"v":9,"kind":"branch","at":"{AT}","messages":3,"of":1}}"#);
    let events = vec![newer.into_bytes(), b"damaged".to_vec()];
    let stream = main.stream();
    let appended = store.append(&stream, 1, events);
    assert_eq!(appended.await.unwrap(), Appended::At { head: 3 });
    assert_eq!(conversations.list().await.unwrap()[0].messages, 3);
    assert_eq!(say(&conversations, &main, "two").await.user_id, 4);
    let messages = conversations.messages(&main, 2, 9).await.unwrap();
    assert_eq!(messages[0].id, 4);
    assert_eq!(messages[0].role, Role::User);
}

#[tokio::test]
async fn messages_are_paged_by_id_in_a_long_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("forge.db")).unwrap());
    let conversations = Conversations::new(store.clone(), Window::default(), MEMORY_BYTES);
    let main = ConversationId::default();
    for number in 0..700 {
        let turn = conversations.begin(&main).await.unwrap();
        // Now and then something else is between the exchanges.
        if number % 3 == 0 {
            turn.notes()
                .set("files", "a", Some(&number.to_string()))
                .unwrap();
            turn.commit_notes(AT).await.unwrap();
        } else {
            turn.commit(&said(&number.to_string(), AT)).await.unwrap();
        }
    }
    let head = store.head(&main.stream()).await.unwrap();
    let damaged = vec![b"damaged".to_vec(); 5];
    store.append(&main.stream(), head, damaged).await.unwrap();
    say(&conversations, &main, "last").await;
    const ALL: u64 = 934;
    let check = async |after: u64, limit: usize| {
        let messages = conversations.messages(&main, after, limit).await.unwrap();
        let ids: Vec<u64> = messages.iter().map(|message| message.id).collect();
        let expected: Vec<u64> = (1..=ALL).filter(|id| *id > after).take(limit).collect();
        assert_eq!(ids, expected, "after {after}, at most {limit}");
    };
    for after in [
        0,
        1,
        2,
        3,
        4,
        500,
        501,
        930,
        931,
        932,
        933,
        ALL,
        ALL + 1,
        u64::MAX,
    ] {
        for limit in [0, 1, 2, 50, usize::MAX] {
            check(after, limit).await;
        }
    }
}

#[tokio::test]
async fn what_is_forgotten_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("forge.db")).unwrap();
    let conversations = Conversations::new(Arc::new(store), Window::default(), 0);
    let main = ConversationId::default();
    say(&conversations, &main, "one").await;
    say(&conversations, &main, "two").await;
    let turn = conversations.begin(&main).await.unwrap();
    assert_eq!(exchanges(&turn), 2);
}

/// A log of which nothing works, or to which others are always faster.
struct Broken {
    conflicts: bool,
}

#[async_trait::async_trait]
impl EventLog for Broken {
    async fn append(
        &self,
        _stream: &StreamName,
        expected: u64,
        _events: Vec<Vec<u8>>,
    ) -> Result<Appended, StoreError> {
        match self.conflicts {
            true => Ok(Appended::Conflict { head: expected + 1 }),
            false => Err(full()),
        }
    }

    async fn read(
        &self,
        _stream: &StreamName,
        after: u64,
        bound: ReadBound,
    ) -> Result<Page, StoreError> {
        assert_eq!(bound, ReadBound::default());
        Ok(Page {
            events: Vec::new(),
            head: after,
        })
    }

    async fn head(&self, _stream: &StreamName) -> Result<u64, StoreError> {
        Err(full())
    }

    async fn streams(
        &self,
        _prefix: &str,
        _after: Option<&StreamName>,
        _limit: usize,
    ) -> Result<Vec<StreamHead>, StoreError> {
        Err(full())
    }
}

fn full() -> StoreError {
    StoreError::Full {
        place: "/data/forge.db".to_owned(),
    }
}

#[tokio::test]
async fn what_cannot_be_stored_is_said() {
    let check = async |conflicts, expected: &str, source: Option<&str>| {
        let log = Arc::new(Broken { conflicts });
        let conversations = Conversations::new(log, Window::default(), MEMORY_BYTES);
        let turn = conversations
            .begin(&ConversationId::default())
            .await
            .unwrap();
        let error = turn.commit(&said("one", AT)).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(cause.as_deref(), source);
        let listed = conversations.list().await.unwrap_err();
        assert_eq!(listed.to_string(), "the conversations can't be listed");
    };
    check(
        false,
        "nothing was added to the conversation `main`",
        Some("the store `/data/forge.db` is full: make room on its disk"),
    )
    .await;
    check(
        true,
        "nothing was added to the conversation `main`, because other processes write to it all the time: say it again",
        None,
    )
    .await;
}
