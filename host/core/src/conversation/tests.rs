//! Conversations from their events.

use super::*;
use crate::router::prompt::history;

fn said(number: u64) -> NewExchange {
    NewExchange {
        user: format!("question {number}"),
        answer: format!("answer {number}"),
        asked_at: format!("2026-11-30T20:{number:02}:00+01:00"),
        answered_at: format!("2026-11-30T20:{number:02}:07+01:00"),
        run_id: format!("run{number}"),
        tool: "chat".to_owned(),
        labels: BTreeSet::new(),
    }
}

/// Appends an event that was made for this state, as a log would.
fn append(conversation: &mut Conversation, event: Vec<u8>) -> Result<(), Skipped> {
    conversation.apply(&Recorded {
        position: conversation.head() + 1,
        event,
    })
}

fn say(conversation: &mut Conversation, number: u64) -> Stored {
    let (event, stored) = conversation.exchange_event(&said(number), &NoteChanges::default());
    append(conversation, event).unwrap();
    stored
}

/// What a person sees of these events, from where there are `before` messages on.
fn messages(before: u64, events: &[Vec<u8>]) -> Vec<Message> {
    let mut transcript = Transcript::after(before);
    let read = events.iter().enumerate().map(|(index, event)| {
        transcript.apply(&Recorded {
            position: index as u64 + 1,
            event: event.clone(),
        })
    });
    read.filter_map(Result::ok).flatten().flatten().collect()
}

#[test]
fn an_exchange_is_found_again_whole() {
    let mut conversation = Conversation::default();
    let (event, _) = conversation.exchange_event(&said(1), &NoteChanges::default());
    let stored = say(&mut conversation, 1);
    assert_eq!((stored.user_id, stored.assistant_id), (1, 2));
    assert_eq!(conversation.message_count(), 2);
    assert_eq!(conversation.updated_at(), Some("2026-11-30T20:01:07+01:00"));
    let expected = Exchange {
        user: "question 1".to_owned(),
        answer: "answer 1".to_owned(),
    };
    assert_eq!(conversation.history(), history(&[expected]));
    let messages = messages(0, &[event]);
    assert_eq!(messages.len(), 2);
    assert_eq!(
        messages[1],
        Message {
            id: 2,
            role: Role::Assistant,
            content: "answer 1".to_owned(),
            at: "2026-11-30T20:01:07+01:00".to_owned(),
            run_id: "run1".to_owned(),
            tool: "chat".to_owned(),
        }
    );
    assert_eq!(messages[0].role, Role::User);
    assert_eq!(messages[0].at, "2026-11-30T20:01:00+01:00");
}

#[test]
fn only_what_a_prompt_sees_is_kept() {
    let window = Window {
        max_messages: 6,
        slack: 4,
    };
    let mut conversation = Conversation::new(window);
    let mut all = Vec::new();
    for number in 1..=50 {
        say(&mut conversation, number);
        let NewExchange { user, answer, .. } = said(number);
        all.push(Exchange { user, answer });
        let seen = history(&all[window.start(all.len())..]);
        assert_eq!(conversation.history(), seen);
        assert_eq!(conversation.message_count(), 2 * number);
        assert!(conversation.bytes() < 1000, "{}", conversation.bytes());
    }
}

#[test]
fn labels_stay_as_long_as_what_they_are_of_is_seen() {
    let mut conversation = Conversation::new(Window {
        max_messages: 4,
        slack: 0,
    });
    let labelled = NewExchange {
        labels: [Label::External].into(),
        ..said(1)
    };
    let (event, _) = conversation.exchange_event(&labelled, &NoteChanges::default());
    assert!(String::from_utf8_lossy(&event).contains(r#""labels":["external"]"#));
    append(&mut conversation, event).unwrap();
    say(&mut conversation, 2);
    assert_eq!(conversation.labels(), [Label::External].into());
    say(&mut conversation, 3);
    assert_eq!(conversation.labels(), BTreeSet::new());
}

#[test]
fn a_transcript_may_begin_anywhere() {
    let mut conversation = Conversation::default();
    let events: Vec<Vec<u8>> = (1..=3)
        .map(|number| {
            let (event, _) = conversation.exchange_event(&said(number), &NoteChanges::default());
            append(&mut conversation, event.clone()).unwrap();
            event
        })
        .collect();
    for read in 0..=3 {
        let ids: Vec<u64> = messages(2 * read as u64, &events[read..])
            .iter()
            .map(|message| message.id)
            .collect();
        let expected: Vec<u64> = (2 * read as u64 + 1..=6).collect();
        assert_eq!(ids, expected);
    }
}

#[test]
fn an_event_holds_its_beginning_whatever_its_kind() {
    let conversation = Conversation::default();
    let notes = TurnNotes::default();
    notes.set("files", "a", Some("1")).unwrap();
    let check = |event: Vec<u8>, expected: &str| {
        assert_eq!(String::from_utf8(event).unwrap(), expected);
    };
    check(
        conversation.exchange_event(&said(1), &notes.changes()).0,
        r#"{"v":1,"kind":"exchange","at":"2026-11-30T20:01:07+01:00","messages":2,"exchange":{"user":"question 1","answer":"answer 1","asked_at":"2026-11-30T20:01:00+01:00","answered_at":"2026-11-30T20:01:07+01:00","run_id":"run1","tool":"chat"},"notes":{"files":[["a","1"]]}}"#,
    );
    check(
        conversation.notes_event("2026-11-30T20:01:07+01:00", &notes.changes()),
        r#"{"v":1,"kind":"notes","at":"2026-11-30T20:01:07+01:00","messages":0,"notes":{"files":[["a","1"]]}}"#,
    );
}

#[test]
fn notes_are_kept_with_an_exchange_and_without() {
    let mut conversation = Conversation::default();
    let notes = TurnNotes::new(conversation.notes().clone());
    notes.set("files", "a", Some("1")).unwrap();
    let (event, _) = conversation.exchange_event(&said(1), &notes.changes());
    append(&mut conversation, event).unwrap();
    let notes = TurnNotes::new(conversation.notes().clone());
    assert_eq!(notes.get("files", "a").as_deref(), Some("1"));
    notes.set("files", "b", Some("2")).unwrap();
    let event = conversation.notes_event("2026-11-30T21:00:00+01:00", &notes.changes());
    append(&mut conversation, event).unwrap();
    assert_eq!(conversation.notes().get("files", "a"), Some("1"));
    assert_eq!(conversation.notes().get("files", "b"), Some("2"));
    assert_eq!(conversation.message_count(), 2);
    assert_eq!(conversation.updated_at(), Some("2026-11-30T21:00:00+01:00"));
}

#[test]
fn what_cannot_be_read_is_passed_over_and_ids_stay() {
    let check = |event: &str, reason: &str, next_id: u64| {
        let mut conversation = Conversation::default();
        let (first, _) = conversation.exchange_event(&said(1), &NoteChanges::default());
        append(&mut conversation, first.clone()).unwrap();
        let event = event.as_bytes().to_vec();
        let skipped = append(&mut conversation, event.clone()).unwrap_err();
        assert_eq!(skipped.position, 2);
        assert!(skipped.reason.contains(reason), "{skipped}");
        assert_eq!(conversation.head(), 2);
        let (last, stored) = conversation.exchange_event(&said(2), &NoteChanges::default());
        assert_eq!(stored.user_id, next_id);
        let messages = messages(0, &[first, event, last]);
        let ids: Vec<u64> = messages.iter().map(|message| message.id).collect();
        assert_eq!(ids, [1, 2, next_id, next_id + 1]);
    };
    let at = r#""at":"2027-01-01T00:00:00Z""#;
    check(
        &format!(r#"{{"v":1,"kind":"summary","messages":3,{at},"text":"x"}}"#),
        "`summary` of version 1 is not known",
        4,
    );
    check(
        &format!(r#"{{"v":2,"kind":"exchange","messages":4,{at},"turn":[]}}"#),
        "`exchange` of version 2 is not known",
        5,
    );
    // Damaged ones, among them one whose ids are taken.
    check("", "EOF", 3);
    check("{\"v\":1,\"ki", "EOF", 3);
    check(
        &format!(r#"{{"v":1,"kind":"exchange","messages":4,{at}}}"#),
        "missing field `exchange`",
        3,
    );
    let (taken, _) = Conversation::default().exchange_event(&said(9), &NoteChanges::default());
    check(
        &String::from_utf8(taken).unwrap(),
        "it counts 2 messages where there are at least 4",
        3,
    );
}

#[test]
fn the_last_event_tells_how_long_a_conversation_is() {
    let check = |event: &str, expected: Option<u64>| {
        let last = Recorded {
            position: 7,
            event: event.as_bytes().to_vec(),
        };
        let messages = Summary::of_last(&last).map(|summary| summary.messages);
        assert_eq!(messages, expected, "{event}");
    };
    check(
        r#"{"v":3,"kind":"new","at":"2027-01-01T00:00:00Z","messages":4,"more":[]}"#,
        Some(4),
    );
    check("[]", None);
    check("{}", None);
}

#[test]
fn its_size_follows_what_it_holds() {
    let mut conversation = Conversation::default();
    assert_eq!(conversation.bytes(), 0);
    say(&mut conversation, 1);
    let of_one = conversation.bytes();
    assert!(of_one > conversation.history().len());
    say(&mut conversation, 2);
    assert_eq!(conversation.bytes(), 2 * of_one);
}
