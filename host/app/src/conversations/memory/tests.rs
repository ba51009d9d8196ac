//! What stays in memory, and what is forgotten first.

use forge_core::conversation::{NewExchange, NoteChanges};
use forge_core::store::Recorded;

use super::*;

fn id(text: &str) -> ConversationId {
    ConversationId::parse(text).unwrap()
}

/// A conversation with about so many bytes of content.
fn filled(bytes: usize) -> Conversation {
    let mut conversation = Conversation::default();
    let exchange = NewExchange {
        user: "x".repeat(bytes),
        answer: String::new(),
        asked_at: String::new(),
        answered_at: String::new(),
        run_id: String::new(),
        tool: String::new(),
        labels: std::collections::BTreeSet::new(),
    };
    let (event, _) = conversation.exchange_event(&exchange, &NoteChanges::default());
    let recorded = Recorded { position: 1, event };
    conversation.apply(&recorded).unwrap();
    conversation
}

fn names(memory: &Memory) -> Vec<String> {
    let rooms = memory.rooms();
    let mut names: Vec<String> = rooms.by_id.keys().map(ToString::to_string).collect();
    names.sort();
    let bytes: usize = rooms.by_id.values().map(|entry| entry.bytes).sum();
    assert_eq!(rooms.bytes, bytes);
    names
}

#[test]
fn the_ones_that_were_idle_longest_are_forgotten() {
    let large = filled(10_000);
    // Room for three, also after an eighth is kept free.
    let memory = Memory::new(Window::default(), (ROOM_BYTES + large.bytes()) * 36 / 10);
    let visit = |name: &str| memory.seat(&id(name)).measure(&large);
    visit("a");
    visit("b");
    visit("c");
    assert_eq!(names(&memory), ["a", "b", "c"]);
    visit("a");
    visit("d");
    assert_eq!(names(&memory), ["a", "c", "d"]);
}

#[test]
fn one_that_is_used_stays_however_large() {
    let memory = Memory::new(Window::default(), 1000);
    let first = memory.seat(&id("a"));
    first.measure(&filled(10_000));
    let second = memory.seat(&id("a"));
    assert!(Arc::ptr_eq(&first.room, &second.room));
    drop(first);
    memory.seat(&id("b")).measure(&filled(10_000));
    assert_eq!(names(&memory), ["a"]);
    drop(second);
    assert!(names(&memory).is_empty());
    assert_eq!(memory.rooms().bytes, 0);
}
