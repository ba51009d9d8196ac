//! A guest that uses the host's own file functions: `read` and `list` with the right to read, `write` with the
//! right to write, and `write_undeclared` with the right to read alone.

use forge_sdk::{Access, Requires, Result, Value, files, json};

/// A path in the workspace.
#[forge_sdk::input]
struct Target {
    /// Relative to the workspace.
    path: String,
}

/// A file to write.
#[forge_sdk::input]
struct Draft {
    /// Relative to the workspace.
    path: String,
    /// What it shall hold.
    text: String,
}

forge_sdk::tool! {
    name: "whole_files",
    summary: "Reads, lists and writes files through the host.",
    operations: {
        read(Target) => read {
            summary: "Answers a file's text.",
            requires: Requires::none().workspace(Access::Read),
        },
        list(Target) => list {
            summary: "Answers the names in a folder as JSON.",
            requires: Requires::none().workspace(Access::Read),
        },
        write(Draft) => write {
            summary: "Writes a file and answers `ok`.",
            requires: Requires::none().workspace(Access::Write),
        },
        write_undeclared(Draft) => write {
            summary: "Writes a file without the right to.",
            requires: Requires::none().workspace(Access::Read),
        },
    },
}

fn read(input: Target) -> Result<String> {
    Ok(String::from_utf8(files::read(&input.path)?)?)
}

fn list(input: Target) -> Result<Value> {
    Ok(json!(files::list(&input.path)?))
}

fn write(input: Draft) -> Result<&'static str> {
    files::write(&input.path, input.text.as_bytes())?;
    Ok("ok")
}
