//! Tests of where hunks belong.

use super::super::unified::parse;
use super::*;

fn applied(old: &str, hunks: &str) -> Result<Fitted> {
    let sections = parse(&format!("--- a/f\n+++ b/f\n{hunks}")).unwrap();
    apply("f", old, &sections[0].hunks)
}

#[test]
fn hunks_are_found_by_their_lines() {
    let check = |old: &str, hunks: &str, expected: &str| {
        assert_eq!(applied(old, hunks).unwrap().text, expected, "{hunks}");
    };
    let old = "1\n2\n3\n4\n5\n";
    check(old, "@@ -2,2 +2,2 @@\n 2\n-3\n+x\n", "1\n2\nx\n4\n5\n");
    // The number is wrong, the counts are wrong, there is none.
    check(old, "@@ -40,2 +40,9 @@\n 2\n-3\n+x\n", "1\n2\nx\n4\n5\n");
    check(old, "@@\n 2\n-3\n+x\n", "1\n2\nx\n4\n5\n");
    check(
        old,
        "@@ -1 +1 @@\n-1\n+a\n@@ -5 +5 @@\n-5\n+e\n",
        "a\n2\n3\n4\ne\n",
    );
    check(old, "@@ -2,0 +3 @@\n+x\n", "1\n2\nx\n3\n4\n5\n");
    // An empty line without its space, and one that ends the patch.
    check("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n\n", "a\n\nc\n");
    // The number chooses between equals.
    check("x\ny\nx\n", "@@ -3 +3 @@\n-x\n+z\n", "x\ny\nz\n");
    check("1\r\n2\r\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+x\n", "1\r\nx\r\n");
}

#[test]
fn the_end_of_the_file_is_kept_or_changed_as_said() {
    let check = |old: &str, hunks: &str, expected: &str| {
        assert_eq!(applied(old, hunks).unwrap().text, expected, "{hunks}");
    };
    let bare = "\\ No newline at end of file\n";
    check("1\n2", "@@ -1 +1 @@\n-1\n+x\n", "x\n2");
    check(
        "1\n2",
        &format!("@@ -1,2 +1,2 @@\n 1\n-2\n{bare}+x\n{bare}"),
        "1\nx",
    );
    check(
        "1\n2",
        &format!("@@ -1,2 +1,2 @@\n 1\n-2\n{bare}+x\n"),
        "1\nx\n",
    );
    check(
        "1\n2\n",
        &format!("@@ -1,2 +1,2 @@\n 1\n-2\n+x\n{bare}"),
        "1\nx",
    );
    check("1", "@@ -1 +1,2 @@\n 1\n+2\n", "1\n2\n");
    check("", "@@ -0,0 +1 @@\n+1\n", "1\n");
}

#[test]
fn a_hunk_that_does_not_fit_is_named() {
    let check = |old: &str, hunks: &str, part: &str| {
        let error = applied(old, hunks).unwrap_err();
        assert!(error.message().contains(part), "{hunks}: {error}");
    };
    check(
        "1\n2\n3\n",
        "@@ -1,2 +1,2 @@\n 1\n-x\n+y\n",
        "hunk 1 of `f` does not apply: it wants `x` at line 2, where stands `2`",
    );
    check(
        "1\n",
        "@@ -1,2 +1 @@\n 1\n-2\n",
        "it wants `2` at line 2, where the file has ended",
    );
    check(
        "x\ny\nx\n",
        "@@ -2 +2 @@\n-x\n+z\n",
        "fits in 2 places, at lines 1, 3",
    );
    check("1\n", "@@ -9,0 +9 @@\n+x\n", "has no old line");
    // Hunks come in order.
    check(
        "1\n2\n",
        "@@ -2 +2 @@\n-2\n+x\n@@ -1 +1 @@\n-1\n+y\n",
        "hunk 2 of `f`",
    );
}

#[test]
fn a_line_that_comes_to_be_the_last_one_keeps_its_end() {
    let check = |old: &str, hunks: &str, expected: &str| {
        assert_eq!(applied(old, hunks).unwrap().text, expected, "{hunks}");
    };
    let without = "\\ No newline at end of file\n";
    check("a\nb", &format!("@@ -1,2 +1 @@\n a\n-b\n{without}"), "a\n");
    check("a\nb", "@@ -2 +1,0 @@\n-b\n", "a\n");
    check("a\nb", "@@ -1,2 +1 @@\n-a\n b\n", "b");
}

#[test]
fn the_byte_order_mark_stays() {
    let check = |hunks: &str, expected: &str| {
        let old = "\u{feff}one\ntwo\n";
        assert_eq!(applied(old, hunks).unwrap().text, expected, "{hunks}");
    };
    check("@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "\u{feff}one\n2\n");
    check("@@ -1 +1 @@\n-one\n+1\n", "\u{feff}1\ntwo\n");
    check(
        "@@ -1 +1 @@\n-\u{feff}one\n+\u{feff}1\n",
        "\u{feff}1\ntwo\n",
    );
    check("@@ -1,2 +0,0 @@\n-one\n-two\n", "");
}
