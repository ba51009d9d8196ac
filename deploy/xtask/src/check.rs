//! `cargo xtask check`: format, lints, documentation. Warnings are errors here and only here, so
//! that work in progress still builds.

use std::process::Command;

use anyhow::Result;

use crate::command;
use crate::components::{self, PROFILE};
use crate::environment;
use crate::phases::Phases;
use crate::wasm_target::TARGET;
use crate::workspace::Workspace;

/// Runs every check until one fails.
pub(crate) fn run(workspace: &Workspace, phases: &mut Phases) -> Result<()> {
    phases.run("format", || command::run(&mut format(workspace)))?;
    for (phase, program) in [
        ("spelling", "typos"),
        ("unused dependencies", "cargo-machete"),
    ] {
        if environment::on_path(program).is_some() {
            let mut command = Command::new(program);
            phases.run(phase, || command::run(command.current_dir(&workspace.root)))?;
        }
    }
    phases.run("lints", || command::run(&mut lints(workspace)))?;
    phases.run("lints of components", || {
        components::ensure_target()?;
        command::run(&mut component_lints(workspace))
    })?;
    phases.run("documentation", || {
        command::run(&mut documentation(workspace))
    })
}

fn format(workspace: &Workspace) -> Command {
    let mut cargo = cargo_in(workspace);
    cargo.args(["fmt", "--all", "--check"]);
    cargo
}

fn lints(workspace: &Workspace) -> Command {
    let mut cargo = cargo_in(workspace);
    cargo.args([
        "clippy",
        "--release",
        "--workspace",
        "--all-targets",
        "--locked",
    ]);
    cargo.args(DENY_WARNINGS);
    cargo
}

/// The code that exists on `wasm32` alone.
fn component_lints(workspace: &Workspace) -> Command {
    let mut cargo = cargo_in(workspace);
    cargo.args([
        "clippy",
        "--profile",
        PROFILE,
        "--target",
        TARGET,
        "--locked",
    ]);
    cargo.args(["--package", "forge-sdk"]);
    for component in workspace.plugins.iter().chain(&workspace.guests) {
        cargo.args(["--package", &component.package]);
    }
    cargo.args(DENY_WARNINGS);
    cargo
}

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

/// In the host's profile, so that what the lints have read of dependencies is used again.
fn documentation(workspace: &Workspace) -> Command {
    let mut cargo = cargo_in(workspace);
    cargo.args(["doc", "--release", "--workspace", "--no-deps", "--locked"]);
    cargo
        .arg("--document-private-items")
        .env("RUSTDOCFLAGS", "-D warnings");
    for guest in &workspace.guests {
        cargo.args(["--exclude", &guest.package]);
    }
    cargo
}

fn cargo_in(workspace: &Workspace) -> Command {
    let mut cargo = command::cargo();
    cargo.current_dir(&workspace.root);
    cargo
}
