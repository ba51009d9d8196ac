//! The command line: `forge chat`, `forge capabilities`.
//!
//! Here are the arguments and the exit codes; each command has its file. Standard output carries what
//! was asked for and nothing else.

mod chat;
mod capabilities;
mod result;
mod screen;
mod printable;
mod error;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use forge_core::policy::Mode;

use crate::config::{Config, Overrides, table};
use crate::log::{self, Detail};
use error::CliError;

/// An agent runtime for your own machine: a local model proposes, Forge decides, and every tool runs in
/// a sandbox that holds only what it declared.
#[derive(Debug, Parser)]
#[command(name = "forge", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Take one turn: the answer goes to standard output, everything else to standard error
    Chat(ChatArguments),
    /// List what every tool can do, what it needs, and whether policy lets it
    Capabilities(CapabilitiesArguments),
}

/// Where settings come from, for every command that has them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings")]
struct SettingsArguments {
    /// Your file of settings [default: forge.toml in your folder of settings, or `FORGE_CONFIG_FILE`]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file of variables that you trust; can be given several times
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
    /// One setting, over everything else, as in `max_steps=3`; can be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
}

fn assignment(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text
        .split_once('=')
        .ok_or("there is no `=`: write it as in `--set max_steps=3`")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
struct ChatArguments {
    /// What you want; several words are joined, and `-` reads standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// Print one JSON object with the answer, the steps and what they cost
    #[arg(long)]
    json: bool,
    /// Let the model take several steps, and tell it what failed
    #[arg(long)]
    agent: bool,
    /// The most steps, instead of `MAX_STEPS` [default: 1, with --agent 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    max_steps: Option<u32>,
    /// Change nothing: no file, no memory
    #[arg(long)]
    read_only: bool,
    /// The folder that tools work in, instead of `WORKSPACE_DIR` [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct CapabilitiesArguments {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArguments,
}

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    Answered = 0,
    TurnFailed = 1,
    BadUse = 2,
    NoModel = 3,
    Internal = 4,
    /// 128 and the number of the signal, as shells do it.
    Interrupted = 130,
}

const EXIT_CODES: &str = "\
Exit codes:
    0  answered
    1  the turn failed: a tool failed or was denied, or the model went in circles
    2  the command line or a setting can't be used
    3  no model: unreachable, too slow, or no usable answer
    4  Forge itself failed
  130  interrupted";

/// The help with every setting, as the table of settings has them.
fn after_long_help() -> String {
    format!(
        "Settings (environment variables; `forge config` shows what holds and why):\n{}  NO_COLOR  no colours\n\n{EXIT_CODES}",
        table::help()
    )
}

fn command_line() -> clap::Command {
    CommandLine::command().after_long_help(after_long_help())
}

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let exit = match command_line()
        .try_get_matches()
        .and_then(|found| CommandLine::from_arg_matches(&found))
    {
        Ok(line) => run(line),
        Err(shown) => {
            // Help and the version come here too, with an exit code of 0. A closed pipe is no failure.
            let _ = shown.print();
            if shown.use_stderr() {
                Exit::BadUse
            } else {
                Exit::Answered
            }
        }
    };
    ExitCode::from(exit as u8)
}

fn run(line: CommandLine) -> Exit {
    let Some(command) = line.command else {
        let _ = command_line().print_help();
        return Exit::Answered;
    };
    let overrides = command.overrides();
    let result = Config::from_environment(&overrides)
        .map_err(CliError::Config)
        .and_then(|config| {
            log::start(if config.log.debug {
                Detail::Debug
            } else {
                Detail::Warnings
            });
            for warning in &config.warnings {
                tracing::warn!("{warning}");
            }
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(CliError::Threads)?;
            let exit = runtime.block_on(async {
                match &command {
                    Command::Chat(arguments) => chat::run(&config, arguments).await,
                    Command::Capabilities(arguments) => capabilities::run(&config, arguments).await,
                }
            });
            // A tool that is being stopped must not hold up the end.
            runtime.shutdown_background();
            exit
        });
    result.unwrap_or_else(|error| {
        if let Command::Chat(ChatArguments { json: true, .. }) = command {
            result::print_failure(&error);
        }
        error.report()
    })
}

impl Command {
    fn overrides(&self) -> Overrides {
        match self {
            Self::Chat(arguments) => Overrides {
                workspace: arguments.workspace.clone(),
                max_steps: arguments.max_steps,
                mode: if arguments.read_only {
                    Mode::ReadOnly
                } else {
                    Mode::Full
                },
                ..arguments.settings.overrides()
            },
            Self::Capabilities(arguments) => arguments.settings.overrides(),
        }
    }
}

impl SettingsArguments {
    fn overrides(&self) -> Overrides {
        Overrides {
            config_file: self.config.clone(),
            env_files: self.env_file.clone(),
            set: self.set.clone(),
            ..Overrides::default()
        }
    }
}

#[cfg(test)]
mod tests;
