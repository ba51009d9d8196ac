//! Tests of how a diff is read.

use super::*;

fn check(patch: &str, part: &str) {
    let error = parse(patch).unwrap_err();
    assert!(error.message().contains(part), "{patch}: {error}");
}

#[test]
fn headers_are_read_as_tools_and_models_write_them() {
    let check = |old: &str, new: &str, expected: (&str, bool, bool)| {
        let patch = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n");
        let sections = parse(&patch).unwrap();
        let [section] = sections.as_slice() else {
            panic!("{sections:?}")
        };
        let found = (section.path.as_str(), section.is_new, section.is_removed);
        assert_eq!(found, expected, "{patch}");
    };
    check("a/x.rs", "b/x.rs", ("x.rs", false, false));
    check("x.rs", "x.rs", ("x.rs", false, false));
    check("a/x.rs", "a/x.rs", ("a/x.rs", false, false));
    check("/dev/null", "b/x.rs", ("x.rs", true, false));
    check("a/x.rs", "/dev/null", ("x.rs", false, true));
    check("a/x\t2026-01-01", "b/x\t2026-01-02", ("x", false, false));
    check("\"a/x y\"", "\"b/x y\"", ("x y", false, false));
    check(
        r#""a/\303\244 \"b\".txt""#,
        r#""b/\303\244 \"b\".txt""#,
        ("ä \"b\".txt", false, false),
    );
}

#[test]
fn a_removed_line_may_look_like_a_header() {
    let patch = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- old\n+++ new\n y\n";
    let hunk = Hunk {
        start: Some(1),
        lines: vec![
            Line::Remove("-- old".to_owned()),
            Line::Add("++ new".to_owned()),
            Line::Keep("y".to_owned()),
        ],
        ends_bare: false,
    };
    assert_eq!(parse(patch).unwrap()[0].hunks, [hunk]);
}

#[test]
fn what_can_t_be_done_is_named() {
    check("", "the patch names no file");
    check("@@ -1 +1 @@\n-a\n", "the patch names no file");
    check("--- a/x\n+++ b/x\n", "`x` has no hunk");
    check(
        "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n",
        "makes `x` to `y`: use `move`",
    );
    check("rename from a\nrename to b\n", "use `move`");
    check("Binary files a/x and b/x differ\n", "only text");
    check("--- a/x\n+++ b/x\n@@ -1 +1 @@\n x\n", "changes nothing");
    check(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\nx\n",
        "line 4 of the patch starts with neither",
    );
}

#[test]
fn what_would_be_passed_over_is_refused() {
    let rest = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    let refused = |header: &str, part: &str| {
        check(&format!("{header}{rest}"), part);
        check(&format!("{rest}{header}"), part);
    };
    refused(
        "diff --git a/e b/e\nnew file mode 100644\nindex 0..e69de29\n",
        "`diff --git a/e b/e` comes with no lines",
    );
    refused(
        "diff --git a/s b/s\nold mode 100644\nnew mode 100755\n",
        "`old mode 100644`: only the lines of plain files",
    );
    let new = "--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n";
    for mode in ["100755", "120000"] {
        refused(
            &format!("diff --git a/s b/s\nnew file mode {mode}\n{new}"),
            &format!("`new file mode {mode}`"),
        );
    }
    for name in [r#""a/\3""#, r#""a/\q""#, r#""a/\377""#] {
        check(
            &format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-x\n+y\n"),
            "is no name as git quotes it",
        );
    }
}

#[test]
fn a_mails_signature_is_no_line_of_a_hunk() {
    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.40.0\n\n";
    let bare = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(parse(patch).unwrap(), parse(bare).unwrap());
    let removed = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-- \n a\n";
    let lines = &parse(removed).unwrap()[0].hunks[0].lines;
    assert_eq!(lines[0], Line::Remove("- ".to_owned()));
}
