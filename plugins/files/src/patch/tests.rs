//! Tests of `patch`.

use forge_sdk::json;
use forge_sdk::testing::in_conversation;

use crate::sample::{check, check_part, run, text, workspace, write};

const THREE: &str = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n\
    diff --git a/d/new b/d/new\nnew file mode 100644\n--- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+fresh\n\
    diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";

#[test]
fn several_files_change_at_once() {
    let files = workspace(&[("a", b"1\n"), ("old", b"gone\n")]);
    let expected = "replaced `a`\ncreated `d/new`\nremoved `old`\n```diff\n\
        --- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n\
        --- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+fresh\n\
        --- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n```";
    check(&files, "patch", &json!({"patch": THREE}), Ok(expected));
    assert_eq!(text(&files, "a"), "one\n");
    assert_eq!(text(&files, "d/new"), "fresh\n");
    assert!(!files.path().join("old").exists());
}

#[test]
fn nothing_is_written_unless_all_fits() {
    let check = |before: &[(&str, &[u8])], part: &str| {
        let files = workspace(before);
        check_part(&files, "patch", &json!({"patch": THREE}), Err(part));
        for (path, bytes) in before {
            assert_eq!(text(&files, path).as_bytes(), *bytes, "{path}");
        }
    };
    check(&[("a", b"1\n")], "not-found: `old` does not exist");
    check(
        &[("a", b"1\n"), ("old", b"else\n")],
        "hunk 1 of `old` does not apply",
    );
    check(
        &[("a", b"1\n"), ("old", b"gone\nmore\n")],
        "`old` would keep 1 lines",
    );
    check(
        &[("a", b"1\n"), ("old", b"gone\n"), ("d/new", b"")],
        "`d/new` exists already",
    );
}

#[test]
fn a_hunk_may_be_elsewhere_than_it_says_and_that_is_told() {
    let files = workspace(&[("a", b"1\n2\n3\n")]);
    let patch = "```diff\n--- a/a\n+++ b/a\n@@ -9,4 +9,4 @@\n 2\n-3\n+x\n```\n";
    let told = "replaced `a`\nhunk 1 of `a` was found at line 2, not 9\n```diff";
    check_part(&files, "patch", &json!({ "patch": patch }), Ok(told));
    assert_eq!(text(&files, "a"), "1\n2\nx\n");
}

#[test]
fn a_patch_stays_in_the_workspace_and_names_each_file_once() {
    let files = workspace(&[("a", b"1\n"), ("raw", b"\xff\n")]);
    let check = |path: &str, again: &str, part: &str| {
        let section = |path: &str| format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-1\n+2\n");
        let patch = section(path) + &section(again);
        check_part(&files, "patch", &json!({ "patch": patch }), Err(part));
        assert_eq!(text(&files, "a"), "1\n");
    };
    check("a", "../x", "leads out of the workspace");
    check("a", "./a", "`a` has two sections");
    check("a", "raw", "`raw` is no text in UTF-8");
    check("a", ".", "this is the workspace itself");
}

#[test]
fn a_patch_of_a_changed_file_changes_no_other_either() {
    let files = workspace(&[("a", b"1\n"), ("old", b"first\n")]);
    in_conversation(|| {
        run(&files, "read", &json!({"path": "old"})).unwrap();
        write(files.path(), "old", b"gone\n");
        check_part(
            &files,
            "patch",
            &json!({"patch": THREE}),
            Err("`old` changed since"),
        );
        assert_eq!(text(&files, "a"), "1\n");
    });
}

#[test]
fn a_link_is_not_removed_for_what_it_leads_to() {
    let files = workspace(&[("real", b"x\n")]);
    std::os::unix::fs::symlink("real", files.path().join("link")).unwrap();
    let removal = json!({"patch": "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"});
    check_part(&files, "patch", &removal, Err("`link` is a link"));
    assert!(files.path().join("link").is_symlink());
    assert_eq!(text(&files, "real"), "x\n");
}
