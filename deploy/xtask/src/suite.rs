//! `cargo xtask test`: the whole suite, with all that it needs fetched and built first.
//!
//! Tests learn from the environment where things are; a test whose variable is missing fails.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::cache::Cache;
use crate::command;
use crate::components::{self, Which};
use crate::llama;
use crate::model::{self, Model};
use crate::phases::Phases;
use crate::workspace::Workspace;

/// Runs all tests, or those whose names contain one of `filters`.
pub(crate) fn run(workspace: &Workspace, filters: &[OsString], phases: &mut Phases) -> Result<()> {
    phases.run("components", || {
        components::build(workspace, Which::PluginsAndGuests)
    })?;
    let needs = phases.run("server and model", || Needs::fetch(workspace))?;
    phases.run("tests", || {
        command::run(&mut needs.given_to(tests(workspace, filters)))
    })?;
    phases.run("documentation tests", || {
        command::run(&mut needs.given_to(documentation_tests(workspace, filters)))
    })
}

/// What tests use from outside their package.
struct Needs {
    plugins: PathBuf,
    guests: PathBuf,
    llama_server: PathBuf,
    model: PathBuf,
}

impl Needs {
    fn fetch(workspace: &Workspace) -> Result<Self> {
        let cache = Cache::open_default()?;
        Ok(Self {
            plugins: workspace.plugins_folder(),
            guests: workspace.guests_folder(),
            llama_server: llama::find_or_fetch(&cache)?,
            model: model::find_or_fetch(&cache, Model::SmolLm2)?,
        })
    }

    fn given_to(&self, mut command: Command) -> Command {
        command
            .env("FORGE_TEST_PLUGINS", &self.plugins)
            .env("FORGE_TEST_GUESTS", &self.guests)
            .env("FORGE_TEST_LLAMA_SERVER", &self.llama_server)
            .env("FORGE_TEST_MODEL", &self.model)
            .env(llama::WAIT_POLICY, llama::PASSIVE);
        command
    }
}

/// With nextest where it is installed, else with cargo alone: a fresh machine needs nothing.
fn tests(workspace: &Workspace, filters: &[OsString]) -> Command {
    let nextest = command::answers(command::cargo().args(["nextest", "--version"]));
    let mut cargo = command::cargo();
    cargo.current_dir(&workspace.root);
    if nextest {
        cargo.args(["nextest", "run", "--config-file", "deploy/nextest.toml"]);
    } else {
        cargo.args(["test", "--lib", "--bins", "--tests"]);
    }
    cargo.args(["--release", "--locked", "--no-fail-fast", "--workspace"]);
    for guest in &workspace.guests {
        cargo.args(["--exclude", &guest.package]);
    }
    cargo.arg("--").args(filters);
    cargo
}

/// The examples that authors read.
fn documentation_tests(workspace: &Workspace, filters: &[OsString]) -> Command {
    let mut cargo = command::cargo();
    cargo.current_dir(&workspace.root);
    cargo.args([
        "test",
        "--doc",
        "--release",
        "--locked",
        "--package",
        "forge-sdk",
        "--",
    ]);
    cargo.args(filters);
    cargo
}
