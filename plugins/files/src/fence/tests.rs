//! Tests of fences.

use super::*;

#[test]
fn a_fence_has_the_language_of_the_file() {
    let check = |name: &str, expected: &str| assert_eq!(content(name, "x"), expected, "{name}");
    check("a.py", "```python\nx\n```");
    check("src/A.RS", "```rust\nx\n```");
    check("a.xyz", "```\nx\n```");
    check("none", "```\nx\n```");
    check("Makefile", "```makefile\nx\n```");
}

#[test]
fn nothing_in_a_fence_can_end_it() {
    let check = |text: &str, ticks: usize| {
        let fence = content("a", text);
        let first = fence.lines().next().map(str::len);
        assert_eq!(first, Some(ticks), "{text}");
        assert_eq!(fence.lines().last().map(str::len), Some(ticks), "{text}");
    };
    check("plain `code`", 3);
    check("```rust\nx\n```", 4);
    check("a ``````` b", 8);
}

#[test]
fn what_is_long_is_cut_and_that_is_said() {
    let exact = "ä".repeat(MAX_CHARACTERS);
    assert_eq!(content("a", &exact), format!("```\n{exact}\n```"));
    assert_eq!(
        content("a", &format!("{exact}ä")),
        format!("```\n{exact}\n…\n```\n[cut: 4000 of 4001 characters are shown]")
    );
    let large = "x\n".repeat(MAX_DIFF_BYTES);
    assert!(diff("a", Some(&large), Some("")).starts_with("[no diff"));
}

#[test]
fn a_diff_names_both_sides() {
    assert_eq!(
        diff("a", Some("1\n2\n"), Some("1\n3\n")),
        "```diff\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n```"
    );
    assert_eq!(
        diff("a", None, Some("1\n")),
        "```diff\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n```"
    );
    assert!(diff("a", Some("1"), None).contains("--- a/a\n+++ /dev/null\n"));
}
