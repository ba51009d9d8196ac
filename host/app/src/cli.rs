//! The command line: `forge chat`, `forge serve`, `forge capabilities`, `forge approve`, `forge grant`, `forge secret`, `forge config`, `forge init`.
//!
//! Here are the arguments and the exit codes; each command has its file. Standard output carries what
//! was asked for and nothing else.

mod chat;
mod capabilities;
mod approve;
mod policy;
mod explain;
mod grant;
mod secret;
mod serve;
mod config;
mod init;
mod result;
mod screen;
mod print;
mod printable;
mod error;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use forge_core::conversation::ConversationId;
use forge_core::policy::Mode;

use crate::config::{Config, Overrides, template};
use crate::log::{self, Detail, Format};
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
    /// Serve the HTTP API and the web page
    Serve(ServeArguments),
    /// List what every tool can do, what it needs, and whether policy lets it
    Capabilities(CapabilitiesArguments),
    /// List what waits for your yes
    Approvals(ApprovalsArguments),
    /// Answer what waits for your yes
    Approve(ApproveArguments),
    /// Show the rules, try them, or see what policy says to a call
    Policy(policy::PolicyArguments),
    /// Show what each tool is granted, or grant it less
    Grant(grant::GrantArguments),
    /// Store the secrets that tools ask for, list or forget them
    Secret(secret::SecretArguments),
    /// Show what happened in a run, and why it was let
    Explain(explain::ExplainArguments),
    /// Show what every setting holds, and where it comes from
    Config(config::ConfigArguments),
    /// Look for a model, choose tools, and write a file of settings
    Init(init::InitArguments),
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

/// How far this run may go, whatever the settings say.
#[derive(Debug, Args)]
struct BoundaryArguments {
    /// Change nothing: no file, no memory
    #[arg(long)]
    read_only: bool,
    /// Send no request
    #[arg(long)]
    no_network: bool,
    /// Answer in words only
    #[arg(long)]
    no_tools: bool,
    /// Deny a capability (`files`) or an operation (`files.write`); can be given several times
    #[arg(long, value_name = "NAME")]
    deny: Vec<String>,
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
    /// The conversation that the turn continues; without it nothing is remembered
    #[arg(long, value_name = "NAME", value_parser = ConversationId::parse)]
    conversation: Option<ConversationId>,
    /// The most steps, instead of `MAX_STEPS` [default: 1, with --agent 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    max_steps: Option<u32>,
    /// The folder that tools work in, instead of `WORKSPACE_DIR` [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    boundary: BoundaryArguments,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct ServeArguments {
    /// Where to listen, instead of `FORGE_LISTEN` [default: 127.0.0.1:8765]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// The folder that tools work in, instead of `WORKSPACE_DIR` [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    boundary: BoundaryArguments,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct CapabilitiesArguments {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    boundary: BoundaryArguments,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct ApprovalsArguments {
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct ApproveArguments {
    /// What waits, as it was told or as `forge approvals` lists it
    id: String,
    /// Say yes to just this call from now on
    #[arg(long, conflicts_with = "no")]
    always: bool,
    /// Say no
    #[arg(long)]
    no: bool,
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
    NeedsApproval = 5,
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
    5  a call needs your yes: `forge approve`
  130  interrupted";

/// The help with every setting, as the table of settings has them.
fn after_long_help() -> String {
    format!(
        "Settings (environment variables; `forge config` shows what holds and why):\n{}  NO_COLOR\n          no colours\n\n{EXIT_CODES}",
        template::help()
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
    let result = match &command {
        // These two are for settings that can't be used, too.
        Command::Config(arguments) => {
            log::start(Detail::Warnings, Format::Lines);
            config::run(arguments)
        }
        Command::Init(arguments) => {
            log::start(Detail::Warnings, Format::Lines);
            blocked(init::run(arguments))
        }
        Command::Chat(arguments) => {
            configured(&command).and_then(|config| blocked(chat::run(&config, arguments)))
        }
        Command::Serve(_) => configured(&command).and_then(|config| blocked(serve::run(&config))),
        Command::Approvals(_) => {
            configured(&command).and_then(|config| blocked(approve::list(&config)))
        }
        Command::Approve(arguments) => {
            configured(&command).and_then(|config| blocked(approve::run(&config, arguments)))
        }
        Command::Policy(arguments) => {
            configured(&command).and_then(|config| blocked(policy::run(&config, arguments)))
        }
        Command::Grant(arguments) => {
            configured(&command).and_then(|config| blocked(grant::run(&config, arguments)))
        }
        Command::Secret(arguments) => {
            configured(&command).and_then(|config| blocked(secret::run(&config, arguments)))
        }
        Command::Explain(arguments) => {
            configured(&command).and_then(|config| explain::run(&config, arguments))
        }
        Command::Capabilities(arguments) => {
            configured(&command).and_then(|config| blocked(capabilities::run(&config, arguments)))
        }
    };
    result.unwrap_or_else(|error| {
        if let Command::Chat(ChatArguments { json: true, .. }) = command {
            result::print_failure(&error);
        }
        error.report()
    })
}

/// A server tells what happens; a command tells it otherwise.
fn start_log(config: &Config, command: &Command) {
    let is_server = matches!(command, Command::Serve(_));
    let detail = match (config.log.debug, is_server) {
        (true, _) => Detail::Debug,
        (false, true) => Detail::Events,
        (false, false) => Detail::Warnings,
    };
    let format = match (config.log.json, is_server) {
        (true, _) => Format::Json,
        (false, true) => Format::TimedLines,
        (false, false) => Format::Lines,
    };
    log::start(detail, format);
}

fn mode(is_read_only: bool) -> Mode {
    if is_read_only {
        Mode::ReadOnly
    } else {
        Mode::Full
    }
}

/// Reads the settings, starts the log, and tells what is odd.
fn configured(command: &Command) -> Result<Config, CliError> {
    let config = Config::from_environment(&command.overrides())?;
    start_log(&config, command);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    Ok(config)
}

/// Runs a command to its end.
fn blocked(command: impl Future<Output = Result<Exit, CliError>>) -> Result<Exit, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::Threads)?;
    let exit = runtime.block_on(command);
    // A tool that is being stopped must not hold up the end.
    runtime.shutdown_background();
    exit
}

impl Command {
    fn overrides(&self) -> Overrides {
        match self {
            Self::Chat(arguments) => Overrides {
                workspace: arguments.workspace.clone(),
                max_steps: arguments.max_steps,
                ..arguments.boundary.over(arguments.settings.overrides())
            },
            Self::Serve(arguments) => Overrides {
                workspace: arguments.workspace.clone(),
                ..arguments.boundary.over(arguments.overrides())
            },
            Self::Capabilities(arguments) => {
                arguments.boundary.over(arguments.settings.overrides())
            }
            Self::Approvals(arguments) => arguments.settings.overrides(),
            Self::Approve(arguments) => arguments.settings.overrides(),
            Self::Policy(arguments) => {
                let (boundary, settings) = arguments.boundary();
                boundary.over(settings.overrides())
            }
            Self::Grant(arguments) => arguments.settings().overrides(),
            Self::Secret(arguments) => arguments.settings().overrides(),
            Self::Explain(arguments) => arguments.settings.overrides(),
            Self::Config(arguments) => arguments.settings.overrides(),
            Self::Init(arguments) => arguments.settings.overrides(),
        }
    }
}

impl BoundaryArguments {
    fn over(&self, overrides: Overrides) -> Overrides {
        Overrides {
            mode: mode(self.read_only),
            no_network: self.no_network,
            no_tools: self.no_tools,
            deny: self.deny.clone(),
            ..overrides
        }
    }
}

impl ServeArguments {
    fn overrides(&self) -> Overrides {
        let mut overrides = self.settings.overrides();
        let listen = self.listen.map(|address| address.to_string());
        overrides
            .set
            .extend(listen.map(|address| ("server.listen".to_owned(), address)));
        overrides
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
