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
use crate::host;
use crate::llama;
use crate::model::{self, Model};
use crate::phases::Phases;
use crate::workspace::Workspace;

/// Runs all tests, or those whose names contain one of `filters`.
pub(crate) fn run(workspace: &Workspace, filters: &[OsString], phases: &mut Phases) -> Result<()> {
    phases.run("components", || {
        components::build(workspace, Which::PluginsAndGuests)
    })?;
    let binary = phases.run("host", || host::build(workspace))?;
    let needs = phases.run("server and model", || Needs::fetch(workspace, binary))?;
    phases.run("tests", || {
        command::run(&mut needs.given_to(tests(workspace, &[], filters)))
    })?;
    phases.run("tests of tools", || {
        command::run(&mut needs.given_to(tests(workspace, &authors(workspace), filters)))
    })?;
    phases.run("documentation tests", || {
        command::run(&mut needs.given_to(documentation_tests(workspace, &[], filters)))?;
        command::run(&mut needs.given_to(documentation_tests(workspace, &["forge-sdk"], filters)))
    })
}

/// Runs the benches, or those whose names contain one of `filters`, on components that are up to date.
pub(crate) fn bench(workspace: &Workspace, filters: &[OsString]) -> Result<()> {
    components::build(workspace, Which::PluginsAndGuests)?;
    let mut cargo = command::cargo();
    cargo
        .current_dir(&workspace.root)
        .args(["bench", "--locked", "--"])
        .args(filters)
        .env("FORGE_TEST_GUESTS", workspace.guests_folder());
    command::run(&mut cargo)
}

/// What tests use from outside their package.
struct Needs {
    binary: PathBuf,
    plugins: PathBuf,
    guests: PathBuf,
    llama_server: PathBuf,
    model: PathBuf,
}

impl Needs {
    fn fetch(workspace: &Workspace, binary: PathBuf) -> Result<Self> {
        let cache = Cache::open_default()?;
        Ok(Self {
            binary,
            plugins: workspace.plugins_folder(),
            guests: workspace.guests_folder(),
            llama_server: llama::find_or_fetch(&cache)?,
            model: model::find_or_fetch(&cache, Model::SmolLm2)?,
        })
    }

    fn given_to(&self, mut command: Command) -> Command {
        command
            .env("FORGE_TEST_BINARY", &self.binary)
            .env("FORGE_TEST_PLUGINS", &self.plugins)
            .env("FORGE_TEST_GUESTS", &self.guests)
            .env("FORGE_TEST_LLAMA_SERVER", &self.llama_server)
            .env("FORGE_TEST_MODEL", &self.model)
            .env(llama::WAIT_POLICY, llama::PASSIVE);
        command
    }
}

/// The packages of the author's side: they share nothing with the host, so they are tested apart and
/// have no say in its features.
fn authors(workspace: &Workspace) -> Vec<&str> {
    let tools = workspace
        .plugins
        .iter()
        .map(|plugin| plugin.package.as_str());
    ["forge-sdk", "xtask"].into_iter().chain(tools).collect()
}

/// The tests of `packages`, or of the host when none are named. With nextest where it is installed, else
/// with cargo alone: a fresh machine needs nothing.
fn tests(workspace: &Workspace, packages: &[&str], filters: &[OsString]) -> Command {
    let nextest = command::answers(command::cargo().args(["nextest", "--version"]));
    let mut cargo = command::cargo();
    cargo.current_dir(&workspace.root);
    if nextest {
        cargo.args(["nextest", "run", "--config-file", "deploy/nextest.toml"]);
        if !filters.is_empty() {
            // The filters may be meant for the other packages.
            cargo.arg("--no-tests=pass");
        }
    } else {
        cargo.args(["test", "--lib", "--bins", "--tests"]);
    }
    cargo.args(["--release", "--locked", "--no-fail-fast"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    cargo.arg("--").args(filters);
    cargo
}

/// The examples in the documentation of `packages`, or of the host when none are named.
fn documentation_tests(workspace: &Workspace, packages: &[&str], filters: &[OsString]) -> Command {
    let mut cargo = command::cargo();
    cargo.current_dir(&workspace.root);
    cargo.args(["test", "--doc", "--release", "--locked"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    cargo.arg("--").args(filters);
    cargo
}
