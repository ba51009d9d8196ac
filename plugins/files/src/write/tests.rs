//! Tests of `write`, and of what was seen before a change.

use std::os::unix::fs::symlink;

use forge_sdk::testing::in_conversation;
use forge_sdk::{Value, json};

use crate::sample::{check, check_part, run, text, workspace, write};

fn over(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

#[test]
fn a_new_file_is_shown_and_an_old_one_compared() {
    let files = workspace(&[("old", b"one\ntwo\n")]);
    let check = |input: Value, expected: &str| check(&files, "write", &input, Ok(expected));
    check(
        over("a/b.py", "print(1)\n"),
        "created `a/b.py` (9 bytes)\n```python\nprint(1)\n```",
    );
    check(
        over("old", "one\nTWO\n"),
        "replaced `old` (8 bytes)\n```diff\n--- a/old\n+++ b/old\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n```",
    );
    check(
        over("old", "one\nTWO\n"),
        "`old` is unchanged: this is its text already",
    );
    check(
        json!({"path": "none", "content": "", "empty": true}),
        "created `none`, empty",
    );
    assert_eq!(text(&files, "a/b.py"), "print(1)\n");
    assert_eq!(text(&files, "old"), "one\nTWO\n");
    assert_eq!(text(&files, "none"), "");
}

#[test]
fn a_write_that_would_lose_something_is_refused() {
    let files = workspace(&[("old", b"precious"), ("d/a", b"1"), ("raw", b"a\0b")]);
    let check = |input: Value, part: &str| check_part(&files, "write", &input, Err(part));
    check(
        over("old", ""),
        "say `empty` if `old` shall be an empty file",
    );
    check(
        json!({"path": "old", "content": "x", "empty": true}),
        "`empty` is said, but `content` holds text",
    );
    check(json!({"path": "old"}), "missing field `content`");
    check(over("d", "x"), "`d` is a folder");
    check(over("/", "x"), "this is the workspace itself");
    check(
        over("old/x", "x"),
        "`old` is a file: nothing can lie below it",
    );
    check(over("raw", "x"), "say `replace_binary`");
    check(over("../x", "x"), "leads out of the workspace");
    check(over("new", &"x".repeat(65_537)), "more than 65536");
    assert_eq!(text(&files, "old"), "precious");
    assert_eq!(text(&files, "raw"), "a\0b");
    assert!(!files.path().join("new").exists());
    let told = json!({"path": "raw", "content": "x", "replace_binary": true});
    check_part(&files, "write", &told, Ok("no text, so there is no diff"));
    assert_eq!(text(&files, "raw"), "x");
}

#[test]
fn a_link_is_written_through() {
    let files = workspace(&[("real", b"1\n")]);
    symlink("real", files.path().join("link")).unwrap();
    check_part(&files, "write", &over("link", "2\n"), Ok("replaced `link`"));
    assert_eq!(text(&files, "real"), "2\n");
    assert!(files.path().join("link").is_symlink());
}

/// What each operation does to the file `a`, which others changed since it was read.
#[test]
fn a_file_that_changed_since_it_was_read_is_left_alone() {
    let changes = [
        ("write", over("a", "mine\n")),
        (
            "edit",
            json!({"path": "a", "find": "theirs", "replace": "mine"}),
        ),
        ("move", json!({"from": "a", "to": "b"})),
        ("move", json!({"from": "c", "to": "a", "replace": true})),
        ("delete", json!({"path": "a"})),
        (
            "patch",
            json!({"patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-theirs\n+mine\n"}),
        ),
    ];
    for (operation, input) in changes {
        for part in [
            json!({"path": "a"}),
            json!({"path": "a", "from": 1, "to": 1}),
        ] {
            let files = workspace(&[("a", b"1\n2\n"), ("c", b"c")]);
            in_conversation(|| {
                run(&files, "read", &part).unwrap();
                write(files.path(), "a", b"theirs\n");
                let refusal =
                    "`a` changed since it was read: read it again, or say `even_if_changed`";
                check_part(&files, operation, &input, Err(refusal));
                assert_eq!(text(&files, "a"), "theirs\n", "{operation}");
                let mut told = input.clone();
                told["even_if_changed"] = json!(true);
                run(&files, operation, &told).unwrap();
            });
            // Another conversation never read it.
            let files = workspace(&[("a", b"theirs\n"), ("c", b"c")]);
            in_conversation(|| run(&files, operation, &input).unwrap());
        }
    }
}

#[test]
fn what_was_written_was_seen() {
    let files = workspace(&[("a", b"1\n")]);
    in_conversation(|| {
        run(&files, "read", &json!({"path": "a"})).unwrap();
        run(&files, "write", &over("a", "2\n")).unwrap();
        run(&files, "write", &over("./a", "3\n")).unwrap();
        run(&files, "move", &json!({"from": "a", "to": "d/b"})).unwrap();
        // Nothing is known of `a` any more, and `b` is the one that was read.
        run(&files, "write", &over("a", "new\n")).unwrap();
        run(&files, "move", &json!({"from": "d", "to": "e"})).unwrap();
        write(files.path(), "e/b", b"theirs\n");
        check_part(
            &files,
            "write",
            &over("e/b", "x"),
            Err("`e/b` changed since"),
        );
        std::fs::remove_file(files.path().join("e/b")).unwrap();
        check_part(&files, "write", &over("e/b", "x"), Err("was removed since"));
        let told = json!({"path": "e/b", "content": "x", "even_if_changed": true});
        run(&files, "write", &told).unwrap();
        run(&files, "delete", &json!({"path": "e/b"})).unwrap();
        run(&files, "write", &over("e/b", "again")).unwrap();
    });
}
