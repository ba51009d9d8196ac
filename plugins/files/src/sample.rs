//! A workspace for tests, and calls of the tool in it.

use std::fs;
use std::path::Path;

use forge_sdk::{Value, testing};
use tempfile::TempDir;

/// A workspace of these files; folders are made as needed.
pub(crate) fn workspace(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        write(folder.path(), path, bytes);
    }
    folder
}

pub(crate) fn write(folder: &Path, path: &str, bytes: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// What `operation` answers in `workspace`, or its failure as `code: message`.
pub(crate) fn run(workspace: &TempDir, operation: &str, input: &Value) -> Result<String, String> {
    let answer = testing::with_workspace(workspace.path(), || {
        crate::tool::run(operation, &input.to_string())
    });
    answer
        .map(|output| output.as_text())
        .map_err(|error| format!("{}: {}", error.code().as_str(), error.message()))
}

/// The text of the file `path`.
pub(crate) fn text(workspace: &TempDir, path: &str) -> String {
    fs::read_to_string(workspace.path().join(path)).unwrap()
}

/// Checks that the answer, or the failure, holds a part.
pub(crate) fn check_part(
    workspace: &TempDir,
    operation: &str,
    input: &Value,
    expected: Result<&str, &str>,
) {
    let answer = run(workspace, operation, input);
    match (&answer, expected) {
        (Ok(text), Ok(part)) | (Err(text), Err(part)) => {
            assert!(text.contains(part), "{input}: {text}");
        }
        _ => panic!("{input}: {answer:?} instead of {expected:?}"),
    }
}

/// Checks the whole answer, or a part of the failure.
pub(crate) fn check(
    workspace: &TempDir,
    operation: &str,
    input: &Value,
    expected: Result<&str, &str>,
) {
    let answer = run(workspace, operation, input);
    match (&answer, expected) {
        (Err(error), Err(part)) => assert!(error.contains(part), "{input}: {error}"),
        (Ok(answer), Ok(expected)) => assert_eq!(answer, expected, "{input}"),
        _ => panic!("{input}: {answer:?} instead of {expected:?}"),
    }
}
