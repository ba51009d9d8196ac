//! `cargo xtask`: builds, runs, tests and checks Forge, on a laptop and in CI alike.
//!
//! Here is the command line; each subject has its file. Progress goes to standard error, what a
//! script may want to read goes to standard output. Nothing in this package is part of Forge, and
//! nothing is installed outside the target folder, the cache folder and the Rust toolchain.

mod host;
mod components;
mod suite;
mod check;
mod phases;
mod model;
mod llama;
mod wasm_target;
mod debian;
mod cache;
mod workspace;
mod environment;
mod command;
mod progress;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::cache::Cache;
use crate::components::Which;
use crate::model::Model;
use crate::phases::Phases;
use crate::workspace::Workspace;

/// Builds, runs, tests and checks Forge.
#[derive(Parser)]
#[command(name = "cargo xtask", version)]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the tools and the host; the last line on standard output is the path of `forge`
    Build,
    /// Build, then run `forge chat`
    Chat(Passed),
    /// Build, then run `forge serve`
    Serve(Passed),
    /// Build, then run `forge` with these arguments
    Run(Passed),
    /// Build the misbehaving components that the tests load
    Guests,
    /// Fetch llama-server and a small model, and print the command that starts them
    Model(ModelArguments),
    /// Run the whole suite, or the tests whose names contain one of the filters
    Test {
        /// Parts of test names
        filters: Vec<OsString>,
    },
    /// Run the benches, or those whose names contain one of the filters
    Bench {
        /// Parts of names
        filters: Vec<OsString>,
    },
    /// Check format, lints and documentation
    Check,
    /// Check, then test
    Ci,
}

/// What is handed on to `forge` as it is, `--help` included.
#[derive(Args)]
#[command(disable_help_flag = true)]
struct Passed {
    /// Arguments for `forge`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

#[derive(Args)]
struct ModelArguments {
    /// Keep the server and the models in this folder instead of the cache
    #[arg(long)]
    dir: Option<std::path::PathBuf>,
    /// Take Qwen2.5-Coder 0.5B (491 MB), which can choose tools, instead of `SmolLM2` 135M (98 MB)
    #[arg(long)]
    qwen: bool,
    /// Run the server in the foreground
    #[arg(long)]
    serve: bool,
    /// Port of the server on 127.0.0.1
    #[arg(long, default_value_t = 8080)]
    port: u16,
}

fn main() -> ExitCode {
    let task = CommandLine::parse().task;
    let mut phases = Phases::default();
    let outcome = perform(task, &mut phases);
    phases.report();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress::say(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task, phases: &mut Phases) -> Result<()> {
    let workspace = Workspace::load()?;
    match task {
        Task::Build => progress::answer(host::build(&workspace)?.display()),
        Task::Chat(passed) => host::build_and_run(&workspace, &["chat"], &passed.arguments)?,
        Task::Serve(passed) => host::build_and_run(&workspace, &["serve"], &passed.arguments)?,
        Task::Run(passed) => host::build_and_run(&workspace, &[], &passed.arguments)?,
        Task::Guests => components::build(&workspace, Which::PluginsAndGuests)?,
        Task::Model(arguments) => try_by_hand(&arguments)?,
        Task::Test { filters } => suite::run(&workspace, &filters, phases)?,
        Task::Bench { filters } => suite::bench(&workspace, &filters)?,
        Task::Check => check::run(&workspace, phases)?,
        Task::Ci => {
            check::run(&workspace, phases)?;
            suite::run(&workspace, &[], phases)?;
        }
    }
    Ok(())
}

fn try_by_hand(arguments: &ModelArguments) -> Result<()> {
    let cache = arguments
        .dir
        .as_deref()
        .map_or_else(Cache::open_default, Cache::open)?;
    let model = if arguments.qwen {
        Model::Qwen
    } else {
        Model::SmolLm2
    };
    let server = llama::Server {
        program: llama::find_or_fetch(&cache)?,
        model: model::find_or_fetch(&cache, model)?,
        port: arguments.port,
    };
    if arguments.serve {
        return server.run();
    }
    progress::answer(server.command_line());
    Ok(())
}
