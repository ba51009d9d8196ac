//! Tests of `search`.

use std::os::unix::fs::symlink;

use forge_sdk::testing::{self, Record};
use forge_sdk::{Value, json};
use tempfile::TempDir;

use crate::sample::{self, workspace, write};

fn check(workspace: &TempDir, input: Value, expected: Result<&str, &str>) {
    sample::check(workspace, "search", &input, expected);
}

fn project() -> TempDir {
    workspace(&[
        ("README.md", b"# Words\nCount the words.\n"),
        ("src/main.rs", b"fn main() {\n\tcount(1);\r\n}\n"),
        ("src/count.rs", b"pub fn count(n: u32) {}\n// Counts.\n"),
        (".env", b"COUNT=3\n"),
        (".git/config", b"count\n"),
        (".gitignore", b"/target\n*.log\n"),
        (".ignore", b"vendor/\n"),
        ("target/out.rs", b"count\n"),
        ("src/target/kept.rs", b"count in target\n"),
        ("src/a.log", b"count\n"),
        ("vendor/lib.rs", b"count\n"),
        ("photo.bin", b"count\0\n"),
    ])
}

#[test]
fn lines_are_found_by_their_text() {
    let files = project();
    check(
        &files,
        json!({"text": "count("}),
        Ok(
            "src/count.rs:1: pub fn count(n: u32) {}\nsrc/main.rs:2: count(1);\n[skipped: 1 binary]",
        ),
    );
    check(
        &files,
        json!({"text": "Count", "case_sensitive": true, "path": "src"}),
        Ok("src/count.rs:2: // Counts."),
    );
    check(
        &files,
        json!({"text": "COUNT", "name": "*.md"}),
        Ok("README.md:2: Count the words."),
    );
    check(
        &files,
        json!({"text": "WORDS", "path": "/README.md"}),
        Ok("README.md:1: # Words\nREADME.md:2: Count the words."),
    );
    check(
        &files,
        json!({"text": "absent", "path": "src"}),
        Ok("(nothing found; 3 files searched)"),
    );
}

#[test]
fn a_regular_expression_sees_one_line_at_a_time() {
    let files = project();
    let regex = |text: &str| json!({"text": text, "regex": true, "path": "src"});
    check(
        &files,
        regex(r"^fn \w+\("),
        Ok("src/main.rs:1: fn main() {"),
    );
    check(&files, regex(r"\(1\);$"), Ok("src/main.rs:2: count(1);"));
    check(
        &files,
        regex(r"\{\s+count"),
        Ok("(nothing found; 3 files searched)"),
    );
    check(
        &files,
        regex("count("),
        Err("invalid-input: `text` is no regular expression: unclosed group"),
    );
    check(
        &files,
        json!({"text": "count(", "path": "src/main.rs"}),
        Ok("src/main.rs:2: count(1);"),
    );
}

#[test]
fn files_are_found_by_name() {
    let files = project();
    let name = |name: &str| json!({ "name": name });
    check(
        &files,
        name("*.RS"),
        Ok("src/count.rs\nsrc/main.rs\nsrc/target/kept.rs"),
    );
    check(
        &files,
        json!({"name": "*.RS", "case_sensitive": true}),
        Ok("(nothing found; 5 files searched)"),
    );
    check(&files, name("read"), Ok("README.md"));
    check(&files, name("target"), Ok("src/target/"));
    check(&files, name("src/*.rs"), Ok("src/count.rs\nsrc/main.rs"));
    check(
        &files,
        name("/src/**/*.rs"),
        Ok("src/count.rs\nsrc/main.rs\nsrc/target/kept.rs"),
    );
    check(&files, name("src/main"), Ok("src/main.rs"));
    check(
        &files,
        name("[a"),
        Err("invalid-input: `name` is no pattern: unclosed character class"),
    );
}

#[test]
fn hidden_files_wait_to_be_asked_for_and_git_is_never_searched() {
    let files = project();
    check(
        &files,
        json!({"name": "*", "hidden": true, "text": "count=3"}),
        Ok(".env:1: COUNT=3\n[skipped: 1 binary]"),
    );
    check(
        &files,
        json!({"name": "config", "hidden": true}),
        Ok("(nothing found; 8 files searched)"),
    );
}

#[test]
fn ignore_files_count_from_the_workspace_down() {
    let files = project();
    check(
        &files,
        json!({"name": "*.log", "path": "src"}),
        Ok("(nothing found; 3 files searched)"),
    );
    check(
        &files,
        json!({"text": "count", "path": "vendor"}),
        Ok("vendor/lib.rs:1: count"),
    );
    let outer = workspace(&[(".gitignore", b"*\n"), ("inner/a.txt", b"here\n")]);
    let answer = testing::with_workspace(outer.path().join("inner"), || {
        crate::tool::run("search", r#"{"text": "here"}"#)
    });
    assert_eq!(
        answer.map(|output| output.as_text()),
        Ok("a.txt:1: here".to_owned())
    );
}

#[test]
fn links_are_not_followed() {
    let files = workspace(&[("a.txt", b"word\n")]);
    let outside = workspace(&[("secret.txt", b"word\n")]);
    symlink(outside.path(), files.path().join("out")).unwrap();
    symlink(".", files.path().join("round")).unwrap();
    symlink("a.txt", files.path().join("b.txt")).unwrap();
    check(&files, json!({"text": "word"}), Ok("a.txt:1: word"));
}

#[test]
fn results_are_bounded_and_that_is_said() {
    let files = workspace(&[
        ("a", "word\n".repeat(2000).as_bytes()),
        ("b/long", format!("  word {}\n", "x".repeat(300)).as_bytes()),
        ("c/large", "word\n".repeat(300_000).as_bytes()),
    ]);
    let cut = |results: usize| {
        format!(
            "[there are more than these {results}: narrow the search with `path`, `name` or `text`]"
        )
    };
    for (asked, results) in [
        (json!(null), 100),
        (json!(2), 2),
        (json!(9999), 1000),
        (json!(0), 1),
    ] {
        let input = json!({"text": "word", "max_results": asked});
        let answer = sample::run(&files, "search", &input).unwrap();
        assert_eq!(answer.lines().count(), results + 1);
        assert_eq!(answer.lines().last(), Some(cut(results).as_str()));
    }
    check(
        &files,
        json!({"text": "word", "path": "c"}),
        Ok("(nothing found; 1 file searched)\n[skipped: 1 over 1 MiB]"),
    );
    check(
        &files,
        json!({"text": "word", "path": "b"}),
        Ok(&format!("b/long:1: word {}…", "x".repeat(195))),
    );
}

#[test]
fn exactly_as_many_results_as_asked_are_all() {
    let files = workspace(&[("a", b"word\nword\n")]);
    check(
        &files,
        json!({"text": "word", "max_results": 2}),
        Ok("a:1: word\na:2: word"),
    );
}

#[test]
fn a_search_needs_something_to_look_for_and_a_place() {
    let files = project();
    check(
        &files,
        json!({}),
        Err("invalid-input: give `name`, `text` or both"),
    );
    check(
        &files,
        json!({"text": "", "name": ""}),
        Err("invalid-input: give `name`, `text` or both"),
    );
    check(
        &files,
        json!({"text": "a\nb"}),
        Err("invalid-input: `text` spans lines"),
    );
    check(
        &files,
        json!({"text": "a", "path": "scr"}),
        Err("not-found: `scr` does not exist: did you mean `src`?"),
    );
    check(
        &files,
        json!({"text": "a", "path": "../x"}),
        Err("invalid-input: path"),
    );
}

#[test]
fn a_long_search_tells_how_far_it_is() {
    let files = workspace(&[]);
    for number in 0..500 {
        write(files.path(), &format!("{number}"), b"");
    }
    let (_, records) = testing::recorded(|| sample::run(&files, "search", &json!({"text": "a"})));
    assert_eq!(records, [Record::Step("searched 500 files".to_owned())]);
}
