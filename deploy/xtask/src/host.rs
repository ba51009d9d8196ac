//! The host: the binary `forge` with the tools embedded.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::command;
use crate::components::{self, Which};
use crate::workspace::Workspace;

/// Builds the tools, then the host that embeds them; returns the absolute path of `forge`.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf> {
    components::build(workspace, Which::Plugins)?;
    let mut cargo = command::cargo();
    // Without `--package`: cargo then settles on the features of all default members, as tests and
    // benches do, and the WebAssembly engine is compiled once for all of them.
    cargo
        .current_dir(&workspace.root)
        .args(["build", "--release", "--bin", "forge"]);
    command::run(&mut cargo)?;
    Ok(workspace
        .target
        .join("release")
        .join(format!("forge{EXE_SUFFIX}")))
}

/// Builds, then becomes `forge` with `command` and `arguments`, in the folder where the person is.
pub(crate) fn build_and_run(
    workspace: &Workspace,
    command: &[&str],
    arguments: &[OsString],
) -> Result<()> {
    let forge = build(workspace)?;
    command::become_program(Command::new(forge).args(command).args(arguments))
}
