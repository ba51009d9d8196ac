//! Tests of `list`.

use std::os::unix::fs::symlink;

use forge_sdk::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::sample::{self, workspace, write};

fn check(workspace: &TempDir, input: Value, expected: Result<&str, &str>) {
    sample::check(workspace, "list", &input, expected);
}

#[test]
fn folders_come_first_then_files_each_by_name() {
    let files = workspace(&[
        ("b.py", b""),
        ("a.py", b""),
        (".hidden", b""),
        ("src/main.rs", b""),
        ("docs/x/y/z.md", b""),
        ("docs/a.md", b""),
    ]);
    check(
        &files,
        json!({}),
        Ok("/ docs\n/ src\n  .hidden\n  a.py\n  b.py"),
    );
    check(
        &files,
        json!({"path": "/"}),
        Ok("/ docs\n/ src\n  .hidden\n  a.py\n  b.py"),
    );
    check(&files, json!({"path": "docs"}), Ok("/ x\n  a.md"));
    check(
        &files,
        json!({"path": "docs", "depth": 2}),
        Ok("/ x\n/ x/y\n  a.md"),
    );
    check(
        &files,
        json!({"depth": 99}),
        Ok(
            "/ docs\n/ docs/x\n/ docs/x/y\n  docs/x/y/z.md\n  docs/a.md\n/ src\n  src/main.rs\n  .hidden\n  a.py\n  b.py",
        ),
    );
}

#[test]
fn what_can_t_be_listed_is_said() {
    let files = workspace(&[("a.txt", b"")]);
    fs::create_dir(files.path().join("empty")).unwrap();
    check(&files, json!({"path": "empty"}), Ok("(empty directory)"));
    check(
        &files,
        json!({"path": "a.txt"}),
        Err("invalid-input: `a.txt` is a file: use `read`"),
    );
    check(
        &files,
        json!({"path": "emty"}),
        Err("not-found: `emty` does not exist: did you mean `empty`?"),
    );
    check(
        &files,
        json!({"path": "empty/../.."}),
        Err("invalid-input: path"),
    );
}

#[test]
fn a_missing_workspace_is_said() {
    let folder = workspace(&[]);
    let answer = forge_sdk::testing::with_workspace(folder.path().join("gone"), || {
        crate::tool::run("list", "{}")
    });
    let error = answer.unwrap_err();
    assert_eq!(error.code(), forge_sdk::Code::Unavailable);
    assert_eq!(error.message(), "the workspace is not there");
}

#[test]
fn a_link_is_shown_and_not_entered() {
    let files = workspace(&[("a/x", b"")]);
    symlink(".", files.path().join("a/again")).unwrap();
    symlink("gone", files.path().join("dangling")).unwrap();
    check(
        &files,
        json!({"depth": 5}),
        Ok("/ a\n/ a/again\n  a/x\n  dangling"),
    );
    check(&files, json!({"path": "a/again"}), Ok("/ again\n  x"));
}

#[test]
fn a_name_can_t_look_like_two_rows() {
    let files = workspace(&[("a\n  b", b"")]);
    check(&files, json!({}), Ok("  a\\n  b"));
}

#[test]
fn a_full_folder_is_cut_and_that_is_said() {
    let files = workspace(&[]);
    for number in 0..=MAX_ROWS {
        write(files.path(), &format!("{number:04}"), b"");
    }
    let answer = sample::run(&files, "list", &json!({})).unwrap();
    assert_eq!(answer.lines().count(), MAX_ROWS + 1);
    assert_eq!(answer.lines().nth(999), Some("  0999"));
    assert!(
        answer.ends_with("[there are more: only 1000 are shown; list one folder or use `search`]")
    );
}
