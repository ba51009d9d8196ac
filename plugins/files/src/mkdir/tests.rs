//! Tests of `mkdir`.

use forge_sdk::json;

use crate::sample::{check_part, workspace};

#[test]
fn a_folder_is_made_once() {
    let files = workspace(&[("file", b"")]);
    let check = |path: &str, expected: Result<&str, &str>| {
        check_part(&files, "mkdir", &json!({ "path": path }), expected);
    };
    check("a/b/c", Ok("created the folder `a/b/c`"));
    assert!(files.path().join("a/b/c").is_dir());
    check("a/b", Ok("`a/b` is there already"));
    check("/", Ok("`.` is there already"));
    check("file", Err("`file` is there already and no folder"));
    check("file/x", Err("`file` is a file: nothing can lie below it"));
    check("../x", Err("leads out of the workspace"));
}
