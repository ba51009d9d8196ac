//! A guest that opens and reads one small file, for benches: `run` answers its length in bytes.

use forge_sdk::{Access, Requires, Result, workspace};

/// Which file.
#[forge_sdk::input]
struct Input {
    /// Relative to the workspace.
    path: String,
}

forge_sdk::tool! {
    name: "read_bench",
    summary: "Reads one file.",
    operations: {
        run(Input) => read {
            summary: "Answers a file's length in bytes.",
            requires: Requires::none().workspace(Access::Read),
        },
    },
}

fn read(input: Input) -> Result<String> {
    let bytes = std::fs::read(workspace::join(&input.path)?)?;
    Ok(bytes.len().to_string())
}
