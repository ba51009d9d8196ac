//! Tests of `move`.

use std::os::unix::fs::symlink;

use forge_sdk::json;

use crate::sample::{check, check_part, run, text, workspace};

#[test]
fn a_file_a_folder_and_a_link_get_another_name() {
    let files = workspace(&[("a", b"1"), ("d/x", b"2"), ("old", b"3")]);
    symlink("d/x", files.path().join("link")).unwrap();
    let input = json!({"from": "a", "to": "new/b"});
    let moved = "moved `a` to `new/b`\n```diff\nrename from a\nrename to new/b\n```";
    check(&files, "move", &input, Ok(moved));
    assert_eq!(text(&files, "new/b"), "1");
    let input = json!({"from": "d", "to": "new/d"});
    check_part(
        &files,
        "move",
        &input,
        Ok("moved the folder `d` to `new/d`"),
    );
    assert_eq!(text(&files, "new/d/x"), "2");
    run(&files, "move", &json!({"from": "link", "to": "moved"})).unwrap();
    assert!(files.path().join("moved").is_symlink());
    let input = json!({"from": "new/b", "to": "old", "replace": true});
    check_part(
        &files,
        "move",
        &input,
        Ok("to `old`, which replaced a file"),
    );
    assert_eq!(text(&files, "old"), "1");
}

#[test]
fn nothing_is_lost_by_a_move() {
    let files = workspace(&[("a", b"1"), ("b", b"2"), ("d/x", b"3"), ("e/y", b"4")]);
    let check = |from: &str, to: &str, part: &str| {
        for replace in [false, true] {
            let input = json!({"from": from, "to": to, "replace": replace});
            check_part(&files, "move", &input, Err(part));
        }
    };
    check("d", "d/in/side", "a folder can't be moved into itself");
    check("a", "d", "`d` is a folder that exists");
    check("d", "e", "`e` is a folder that exists");
    check("d", "a", "`a` exists already: choose another name");
    check("a", "./a", "`from` and `to` are the same");
    check("none", "c", "`none` does not exist");
    check("/", "c", "the workspace itself");
    check("a", "b/c", "`b` is a file: nothing can lie below it");
    check("a", "../c", "leads out of the workspace");
    let input = json!({"from": "a", "to": "b"});
    check_part(
        &files,
        "move",
        &input,
        Err("`b` exists already: choose another name, or say `replace`"),
    );
    for (path, expected) in [("a", "1"), ("b", "2"), ("d/x", "3"), ("e/y", "4")] {
        assert_eq!(text(&files, path), expected);
    }
}
