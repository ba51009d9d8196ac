//! Tests of paths in the workspace.

use super::*;
use crate::error::Code;

#[test]
fn a_path_stays_inside_or_is_refused() {
    let check = |path: &str, expected: Result<&str, Code>| {
        let joined = join(path).map_err(|error| error.code());
        assert_eq!(joined, expected.map(PathBuf::from), "{path:?}");
    };
    check("a.txt", Ok("/workspace/a.txt"));
    check("", Ok("/workspace"));
    check(".", Ok("/workspace"));
    check("/", Ok("/workspace"));
    check("//a//b/", Ok("/workspace/a/b"));
    check("a/../b", Ok("/workspace/b"));
    check("a/b/../..", Ok("/workspace"));
    check("/etc/passwd", Ok("/workspace/etc/passwd"));
    check("..", Err(Code::InvalidInput));
    check("/..", Err(Code::InvalidInput));
    check("a/../../b", Err(Code::InvalidInput));
    check("a\0b", Err(Code::InvalidInput));
    check("ä/ß", Ok("/workspace/ä/ß"));
}

#[test]
fn a_native_test_may_put_the_workspace_elsewhere() {
    let joined = crate::testing::with_workspace("/tmp/w", || join("a"));
    assert_eq!(joined, Ok(PathBuf::from("/tmp/w/a")));
    assert_eq!(root(), PathBuf::from("/workspace"));
}
