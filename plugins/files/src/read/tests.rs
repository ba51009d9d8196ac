//! Tests of `read`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use forge_sdk::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::sample::{self, workspace, write};

fn check(workspace: &TempDir, input: Value, expected: Result<&str, &str>) {
    sample::check(workspace, "read", &input, expected);
}

#[test]
fn a_whole_file_comes_as_it_is() {
    let files = workspace(&[
        ("a.txt", "one\r\ntwo ä\n\n".as_bytes()),
        ("empty", b""),
        ("bom.txt", "\u{feff}x".as_bytes()),
        ("deep/er/b", b"no line break"),
    ]);
    check(&files, json!({"path": "a.txt"}), Ok("one\r\ntwo ä\n\n"));
    check(&files, json!({"path": "/a.txt"}), Ok("one\r\ntwo ä\n\n"));
    check(
        &files,
        json!({"path": " ./deep/../a.txt "}),
        Ok("one\r\ntwo ä\n\n"),
    );
    check(&files, json!({"path": "empty"}), Ok("[`empty` is empty]"));
    check(&files, json!({"path": "bom.txt"}), Ok("\u{feff}x"));
    check(&files, json!({"path": "deep/er/b"}), Ok("no line break"));
}

#[test]
fn some_lines_come_with_their_numbers() {
    let files = workspace(&[("a", b"1\n2\n3\n4"), ("empty", b"")]);
    let lines = |from: Option<u64>, to: Option<u64>| json!({"path": "a", "from": from, "to": to});
    check(
        &files,
        lines(Some(2), Some(3)),
        Ok("[lines 2-3 of 4]\n2\n3\n"),
    );
    check(&files, lines(Some(4), None), Ok("[lines 4-4 of 4]\n4"));
    check(&files, lines(None, Some(1)), Ok("[lines 1-1 of 4]\n1\n"));
    check(
        &files,
        lines(Some(3), Some(99)),
        Ok("[lines 3-4 of 4]\n3\n4"),
    );
    check(
        &files,
        lines(Some(5), None),
        Err("invalid-input: `a` has only 4 lines: `from` is 5"),
    );
    check(
        &files,
        lines(Some(0), None),
        Err("invalid-input: lines count from 1"),
    );
    check(
        &files,
        lines(Some(3), Some(2)),
        Err("invalid-input: `to` is 2, before `from`"),
    );
    check(
        &files,
        json!({"path": "empty", "from": 1}),
        Ok("[`empty` is empty]"),
    );
}

#[test]
fn a_large_file_is_read_in_parts() {
    let line = format!("{}\n", "x".repeat(1023));
    let files = workspace(&[
        ("exact", line.repeat(64).as_bytes()),
        ("large", line.repeat(100).as_bytes()),
        ("long", "ä".repeat(40_000).as_bytes()),
    ]);
    check(&files, json!({"path": "exact"}), Ok(&line.repeat(64)));
    check(
        &files,
        json!({"path": "large"}),
        Err(
            "invalid-input: `large` has 102400 bytes, more than 65536: read a part with `from` and `to`",
        ),
    );
    check(
        &files,
        json!({"path": "large", "from": 11}),
        Ok(&format!(
            "[lines 11-74 of 100]\n{}[cut after line 74, at 65536 bytes: go on with `from` 75]",
            line.repeat(64)
        )),
    );
    check(
        &files,
        json!({"path": "long", "from": 1}),
        Ok(&format!(
            "[lines 1-1 of 1]\n{}\n[line 1 has 80000 bytes: it is cut at 65536]",
            "ä".repeat(32_768)
        )),
    );
    let huge = File::create(files.path().join("huge")).unwrap();
    huge.set_len(MAX_FILE_BYTES + 1).unwrap();
    check(&files, json!({"path": "huge"}), Err("too large for `read`"));
    check(
        &files,
        json!({"path": "huge", "from": 1}),
        Err("has 8388609 bytes, more than 8388608"),
    );
}

#[test]
fn what_is_no_text_is_named() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let files = workspace(&[
        ("a.png", png),
        ("zeros", b"ab\0cd"),
        ("latin1", b"one\nM\xfcll"),
        ("a.gz", b"\x1f\x8b\x08\xff\xff\xff"),
    ]);
    for range in [json!(null), json!(1)] {
        let read = |path: &str| json!({"path": path, "from": range});
        check(
            &files,
            read("a.png"),
            Err("invalid-input: `a.png` is binary (image/png, 16 bytes)"),
        );
        check(&files, read("zeros"), Err("`zeros` is binary (5 bytes)"));
        check(
            &files,
            read("latin1"),
            Err("`latin1` is no text in UTF-8: the first bad byte is at offset 5"),
        );
        check(
            &files,
            read("a.gz"),
            Err("`a.gz` is binary (application/gzip, 6 bytes)"),
        );
    }
}

#[test]
fn what_is_no_file_is_a_failure_of_its_own() {
    let files = workspace(&[("notes.txt", b"x"), ("docs/guide.md", b"x")]);
    check(
        &files,
        json!({"path": ""}),
        Err("invalid-input: `.` is a folder: use `list`"),
    );
    check(
        &files,
        json!({"path": "docs"}),
        Err("invalid-input: `docs` is a folder"),
    );
    check(
        &files,
        json!({"path": "note.txt"}),
        Err("not-found: `note.txt` does not exist: did you mean `notes.txt`?"),
    );
    check(
        &files,
        json!({"path": "docs/GUIDE.md"}),
        Err("did you mean `docs/guide.md`?"),
    );
    check(
        &files,
        json!({"path": "docs/zzz"}),
        Err("not-found: `docs/zzz` does not exist: see what `list` shows for `docs`"),
    );
    check(
        &files,
        json!({"path": "none/a"}),
        Err("not-found: `none/a` does not exist, nor does its folder"),
    );
    check(
        &files,
        json!({"path": "notes.txt/a"}),
        Err("not-found: `notes.txt/a` does not exist"),
    );
    check(
        &files,
        json!({"path": "../a"}),
        Err("invalid-input: path `../a` leads out of the workspace"),
    );
    check(
        &files,
        json!({"path": "a\0b"}),
        Err("invalid-input: path `a\\0b` holds a NUL"),
    );
    check(
        &files,
        json!({}),
        Err("invalid-input: the input can't be read: missing field `path`"),
    );
}

#[test]
fn links_lead_where_they_lead() {
    let files = workspace(&[("a/real", b"inside")]);
    symlink("a/real", files.path().join("link")).unwrap();
    symlink("gone", files.path().join("dangling")).unwrap();
    symlink("round", files.path().join("round")).unwrap();
    check(&files, json!({"path": "link"}), Ok("inside"));
    check(
        &files,
        json!({"path": "dangling"}),
        Err("not-found: `dangling` is a link to what does not exist"),
    );
    check(
        &files,
        json!({"path": "round"}),
        Err("failed: `round` can't be opened"),
    );
    fs::remove_file(files.path().join("dangling")).unwrap();
    write(files.path(), "gone", b"back");
    check(&files, json!({"path": "dangling"}), Err("not-found"));
}
