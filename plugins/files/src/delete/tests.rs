//! Tests of `delete`.

use std::os::unix::fs::symlink;

use forge_sdk::json;
use forge_sdk::testing::in_conversation;

use crate::sample::{check, check_part, run, text, workspace, write};

#[test]
fn what_goes_is_shown() {
    let files = workspace(&[("a", b"1\n"), ("raw", b"\0"), ("d/e/x", b""), ("d/y", b"")]);
    symlink("d", files.path().join("link")).unwrap();
    std::fs::create_dir(files.path().join("bare")).unwrap();
    let delete = |path: &str| json!({ "path": path });
    let diff = "deleted `a` (2 bytes)\n```diff\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n```";
    check(&files, "delete", &delete("a"), Ok(diff));
    check_part(&files, "delete", &delete("raw"), Ok("(1 bytes, no text"));
    check_part(
        &files,
        "delete",
        &delete("link"),
        Ok("deleted the link `link`"),
    );
    assert_eq!(text(&files, "d/y"), "");
    check_part(
        &files,
        "delete",
        &delete("bare"),
        Ok("deleted the folder `bare`"),
    );
    check_part(
        &files,
        "delete",
        &delete("d"),
        Err("holds 3 entries: say `recursive`"),
    );
    let all = json!({"path": "d", "recursive": true});
    let list = "deleted the folder `d` (4 entries)\n```diff\n- d/e/x\n- d/y\n- d/e/\n- d/\n```";
    check(&files, "delete", &all, Ok(list));
    assert_eq!(std::fs::read_dir(files.path()).unwrap().count(), 0);
}

#[test]
fn what_must_stay_stays() {
    let files = workspace(&[("a", b"1")]);
    let check = |path: &str, part: &str| {
        let input = json!({"path": path, "recursive": true});
        check_part(&files, "delete", &input, Err(part));
    };
    check("/", "the workspace itself can't be deleted");
    check("a/..", "the workspace itself can't be deleted");
    check("../x", "leads out of the workspace");
    check("none", "not-found: `none` does not exist");
    assert_eq!(text(&files, "a"), "1");
}

#[test]
fn a_link_in_a_folder_is_not_followed() {
    let files = workspace(&[("kept/x", b"1"), ("d/y", b"")]);
    symlink("../kept", files.path().join("d/link")).unwrap();
    run(&files, "delete", &json!({"path": "d", "recursive": true})).unwrap();
    assert_eq!(text(&files, "kept/x"), "1");
    assert!(!files.path().join("d").exists());
}

#[test]
fn a_folder_with_a_changed_file_stays_whole() {
    let files = workspace(&[("d/a", b"1"), ("d/b", b"2")]);
    in_conversation(|| {
        run(&files, "read", &json!({"path": "d/b"})).unwrap();
        write(files.path(), "d/b", b"3");
        let input = json!({"path": "d", "recursive": true});
        check_part(&files, "delete", &input, Err("`d/b` changed since"));
        assert_eq!(text(&files, "d/a"), "1");
    });
}

#[test]
fn more_than_one_call_can_delete_is_not_begun() {
    let files = workspace(&[]);
    for number in 0..=super::MAX_REMOVED {
        write(files.path(), &format!("d/{number}"), b"");
    }
    let all = json!({"path": "d", "recursive": true});
    check_part(
        &files,
        "delete",
        &all,
        Err("holds 2001 entries, more than 2000"),
    );
    let left = std::fs::read_dir(files.path().join("d")).unwrap().count();
    assert_eq!(left, super::MAX_REMOVED + 1);
}
