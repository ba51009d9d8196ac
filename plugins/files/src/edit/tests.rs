//! Tests of `edit`.

use forge_sdk::testing::in_conversation;
use forge_sdk::{Value, json};

use crate::sample::{check_part, text, workspace};

/// What `find` → `replace` makes of `before`: the text after it, and a part of what is said.
fn check(before: &str, input: Value, after: &str, expected: Result<&str, &str>) {
    let files = workspace(&[("a", before.as_bytes())]);
    let mut input = input;
    input["path"] = json!("a");
    in_conversation(|| check_part(&files, "edit", &input, expected));
    assert_eq!(text(&files, "a"), after, "{input}");
}

#[test]
fn one_match_is_replaced_and_several_when_told() {
    let swap = |find: &str, replace: &str| json!({"find": find, "replace": replace});
    check(
        "abc\n",
        swap("b", "B"),
        "aBc\n",
        Ok("changed `a` in 1 place\n```diff"),
    );
    check("abcd", json!({"find": "bc"}), "ad", Ok("-abcd\n"));
    check("abc", swap("a", "a"), "abc", Ok("`a` is unchanged"));
    check(
        "x\nx x\n",
        swap("x", "y"),
        "x\nx x\n",
        Err("`find` stands 3 times in `a`, on lines 1, 2, 2: give more of the text"),
    );
    let all = json!({"find": "x", "replace": "y", "all": true});
    check("x\nx x\n", all, "y\ny y\n", Ok("changed `a` in 3 places"));
}

#[test]
fn a_file_keeps_its_line_endings_and_its_mark() {
    let swap = |find: &str, replace: &str| json!({"find": find, "replace": replace});
    check(
        "1\r\n2\r\n3\r\n",
        swap("1\n2", "a\nb\nc"),
        "a\r\nb\r\nc\r\n3\r\n",
        Ok("changed"),
    );
    check(
        "1\r\n2\r\n",
        swap("2", "2\n2"),
        "1\r\n2\r\n2\r\n",
        Ok("changed"),
    );
    check("1\n2\n", swap("1\r\n2", "a\r\nb"), "a\nb\n", Ok("changed"));
    check("1\r\n2\n3\n", swap("1\n2", "x"), "x\n3\n", Ok("changed"));
    check("\u{feff}a\n", swap("a", "b"), "\u{feff}b\n", Ok("changed"));
}

#[test]
fn what_is_not_found_is_named_with_what_is_near() {
    let find = |find: &str| json!({"find": find, "replace": "x"});
    let text = "fn main() {\n    let  a = 1;\n}\n";
    let check = |wanted: &str, part: &str| check(text, find(wanted), text, Err(part));
    check("zz", "`a` does not hold `zz`, nor a line like it");
    check(
        "let a = 1;",
        "line 2 is `    let  a = 1;`, white space is other",
    );
    check(
        "fn main() {\n  x",
        "line 1 is `fn main() {`, what follows it is other",
    );
    check("fn moin() {", "the nearest is line 1, `fn main() {`");
    check("", "`find` is empty");
    check(&"q".repeat(99), &format!("`{}…`", "q".repeat(60)));
}

#[test]
fn only_text_of_some_size_is_edited() {
    let files = workspace(&[("raw", b"a\xff"), ("d/x", b""), ("large", &[b'x'; 65_537])]);
    let check = |path: &str, part: &str| {
        let input = json!({"path": path, "find": "a", "replace": "b"});
        check_part(&files, "edit", &input, Err(part));
    };
    check("raw", "`raw` is no text in UTF-8");
    check("d", "`d` is a folder");
    check("none", "not-found: `none` does not exist");
    check("large", "more than 65536: use `patch`");
    assert_eq!(std::fs::read(files.path().join("raw")).unwrap(), b"a\xff");
}
