//! Tests of what is said when a place can't be opened. What the sandbox answers is put in by hand: a
//! native test has none.

use std::os::unix::fs::symlink;

use forge_sdk::testing::with_workspace;

use super::*;
use crate::sample::workspace;

#[test]
fn a_link_out_of_the_workspace_is_named() {
    let files = workspace(&[("a/plain", b"")]);
    symlink("/etc", files.path().join("a/out")).unwrap();
    let check = |path: &str, expected: &str| {
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = with_workspace(files.path(), || {
            Place::parse(path)
                .map(|place| place.explain(&refused))
                .unwrap()
        });
        assert_eq!(error.code(), forge_sdk::Code::Denied);
        assert!(error.message().starts_with(expected), "{error}");
    };
    check("a/out", "`a/out` is a link that leads out of the workspace");
    check(
        "a/out/passwd",
        "`a/out` is a link that leads out of the workspace",
    );
    check("a/plain", "`a/plain` may not be opened");
}

#[test]
fn a_name_stays_on_one_line() {
    assert_eq!(on_one_line("plain ä"), "plain ä");
    assert_eq!(on_one_line("two\nlines"), "two\\nlines");
}

#[test]
fn a_link_that_stays_inside_is_not_said_to_lead_out() {
    let files = workspace(&[("a/plain", b"")]);
    symlink("a", files.path().join("link")).unwrap();
    for path in ["link/plain", "link/new"] {
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = with_workspace(files.path(), || {
            Place::parse(path)
                .map(|place| place.explain_change(&refused))
                .unwrap()
        });
        let expected = format!("`{path}` may not be changed");
        assert!(error.message().starts_with(&expected), "{error}");
    }
}
