//! Notes: what a turn sees, what it leaves behind, and the bounds.

use super::*;

/// Sets these in one turn after `before`; returns what is kept afterwards.
fn turn(before: &Notes, sets: &[(&str, &str, Option<&str>)]) -> Notes {
    let turn = TurnNotes::new(Arc::new(before.clone()));
    for (tool, key, value) in sets {
        turn.set(tool, key, *value).unwrap();
        assert_eq!(turn.get(tool, key).as_deref(), *value);
    }
    let mut after = before.clone();
    after.apply(&turn.changes());
    for (tool, key, _) in sets {
        assert_eq!(after.get(tool, key), turn.get(tool, key).as_deref());
    }
    after
}

#[test]
fn each_tool_finds_its_own_notes_again() {
    let first = turn(
        &Notes::default(),
        &[
            ("files", "a", Some("1")),
            ("git", "a", Some("2")),
            ("files", "b", Some("3")),
        ],
    );
    let second = turn(&first, &[("files", "a", None), ("files", "c", Some("4"))]);
    let check = |tool, key, expected| assert_eq!(second.get(tool, key), expected, "{tool} {key}");
    check("files", "a", None);
    check("files", "b", Some("3"));
    check("files", "c", Some("4"));
    check("git", "a", Some("2"));
    check("web", "a", None);
    assert_eq!(second.bytes(), 6);
}

#[test]
fn only_what_a_turn_has_changed_is_left_behind() {
    let before = turn(&Notes::default(), &[("files", "a", Some("1"))]);
    let check = |sets: &[(&str, Option<&str>)], expected: &str| {
        let turn = TurnNotes::new(Arc::new(before.clone()));
        for (key, value) in sets {
            turn.set("files", key, *value).unwrap();
        }
        let changes = turn.changes();
        assert_eq!(serde_json::to_string(&changes).unwrap(), expected);
        assert_eq!(changes.is_empty(), expected == "{}");
    };
    check(&[], "{}");
    check(&[("x", None)], "{}");
    check(&[("x", Some("1")), ("x", None)], "{}");
    check(
        &[("x", Some("1")), ("y", Some("2")), ("x", Some("3"))],
        r#"{"files":[["y","2"],["x","3"]]}"#,
    );
    check(
        &[("y", Some("2")), ("a", None)],
        r#"{"files":[["a",null],["y","2"]]}"#,
    );
    // Set anew, it is the youngest, even with the same value.
    check(&[("a", Some("1"))], r#"{"files":[["a","1"]]}"#);
}

#[test]
fn beyond_the_most_keys_the_oldest_is_forgotten() {
    let names: Vec<String> = (0..=KEYS).map(|number| number.to_string()).collect();
    let sets: Vec<_> = names[..KEYS]
        .iter()
        .map(|name| ("files", name.as_str(), Some("x")))
        .collect();
    let full = turn(&Notes::default(), &sets);
    // The first is set anew, so the second is the oldest now.
    let after = turn(
        &full,
        &[
            ("files", "0", Some("y")),
            ("files", &names[KEYS], Some("x")),
        ],
    );
    let check = |key: &str, expected| assert_eq!(after.get("files", key), expected, "{key}");
    check("0", Some("y"));
    check("1", None);
    check("2", Some("x"));
    check(&names[KEYS], Some("x"));
}

#[test]
fn a_note_that_is_too_long_changes_nothing() {
    let check = |key_bytes: usize, value_bytes: usize, expected: Option<&str>| {
        let turn = TurnNotes::default();
        let (key, value) = ("k".repeat(key_bytes), "v".repeat(value_bytes));
        let error = turn.set("files", &key, Some(&value)).err();
        assert_eq!(error.map(|it| it.to_string()).as_deref(), expected);
        assert_eq!(turn.get("files", &key).is_some(), expected.is_none());
    };
    check(KEY_BYTES, VALUE_BYTES, None);
    check(
        KEY_BYTES + 1,
        3,
        Some(
            "a key of 1025 bytes with a value of 3 bytes can't be kept: at most 1024 and 4096 fit",
        ),
    );
    check(
        1,
        VALUE_BYTES + 1,
        Some(
            "a key of 1 bytes with a value of 4097 bytes can't be kept: at most 1024 and 4096 fit",
        ),
    );
}
