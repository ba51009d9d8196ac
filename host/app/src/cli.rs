//! The command line: `forge chat`, `forge capabilities`.
//!
//! Here are the arguments and the exit codes; each command has its file. Standard output carries what
//! was asked for and nothing else.

mod chat;
mod capabilities;
mod serve;
mod result;
mod screen;
mod printable;
mod error;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use forge_core::conversation::ConversationId;
use forge_core::policy::Mode;

use crate::config::{Config, Overrides};
use crate::log::{self, Detail, Format};
use error::CliError;

/// An agent runtime for your own machine: a local model proposes, Forge decides, and every tool runs in
/// a sandbox that holds only what it declared.
#[derive(Debug, Parser)]
#[command(name = "forge", version, after_help = EXIT_CODES, after_long_help = AFTER_LONG_HELP)]
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
    /// Change nothing: no file, no memory
    #[arg(long)]
    read_only: bool,
    /// The folder that tools work in, instead of `WORKSPACE_DIR` [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ServeArguments {
    /// Where to listen, instead of `FORGE_LISTEN` [default: 127.0.0.1:8765]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// The folder that tools work in, instead of `WORKSPACE_DIR` [default: the current folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Change nothing: no file, no memory
    #[arg(long)]
    read_only: bool,
}

#[derive(Debug, Args)]
struct CapabilitiesArguments {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
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

/// The text on exit codes, in a macro because `concat!` takes literals only.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
    0  answered
    1  the turn failed: a tool failed or was denied, or the model went in circles
    2  the command line or a setting can't be used
    3  no model: unreachable, too slow, or no usable answer
    4  Forge itself failed
  130  interrupted"
    };
}

const EXIT_CODES: &str = exit_codes!();

const AFTER_LONG_HELP: &str = concat!(
    "\
Settings (environment variables):
  LLAMA_CPP_URL           where llama-server listens [http://127.0.0.1:8080]
  LLAMA_CPP_TIMEOUT       the longest answer, in seconds [120]
  LLAMA_CPP_IDLE_TIMEOUT  the longest silence within an answer, in seconds [30]
  LLAMA_CPP_N_PREDICT     the most tokens of an answer [512]
  LLAMA_CPP_USE_GRAMMAR   hold the model to the form of a decision [true]
  LLAMA_CPP_ID_SLOT       the server's slot, -1 for any [0]
  LLAMA_CPP_CACHE_PROMPT  let the server reuse what it has read [true]
  FORGE_LISTEN            where `forge serve` listens [127.0.0.1:8765]
  API_TOKEN               what a request must bring as a bearer token
  FORGE_MAX_BODY_BYTES    the longest body of a request [1048576]
  MEMORY_ENABLED          remember conversations [true]
  MEMORY_MAX_HISTORY      the most messages of a conversation that a prompt sees [100]
  MEMORY_HARD_CAP_SLACK   how many are left out at once when there are more [20]
  FORGE_INLINE_OUTPUT_BYTES
                          the longest output that is handed on whole [65536]
  MAX_STEPS               the most steps of a turn [1, with --agent 8]
  ENABLED_TOOLS           the tools that are offered [chat,code,files]
  WORKSPACE_DIR           the folder that tools work in [the current folder]
  POLICY_ALLOW_NETWORK, POLICY_ALLOW_WORKSPACE_WRITES, POLICY_ALLOW_SUBPROCESS, POLICY_ALLOW_LLM
                          what is `false` is denied to every tool [true]
  TRACE_ENABLED           keep a record of each run [true]
  TRACE_FILE              where [traces.jsonl in the data folder]
  FORGE_DATA_DIR          Forge's own data; never inside the workspace [forge in the user's data folder]
  FORGE_CACHE_DIR         compiled tools; never inside the workspace [forge in the user's cache folder]
  FORGE_PROVIDER          llama_cpp, or scripted for tests and demonstrations [llama_cpp]
  FORGE_SCRIPT            the answers of the scripted model, one JSON value per line:
                          {\"completion\": \"...\"}, {\"error\": {\"kind\": \"loading\"}} or \"silence\"
  FORGE_LOG_JSON          log one JSON object per line [false]
  SHOW_DEBUG              log details [false]
  NO_COLOR                no colours

",
    exit_codes!()
);

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let exit = match CommandLine::try_parse() {
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
        let _ = CommandLine::command().print_help();
        return Exit::Answered;
    };
    let overrides = command.overrides();
    let result = Config::from_environment(&overrides)
        .map_err(CliError::Config)
        .and_then(|config| {
            start_log(&config, &command);
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(CliError::Threads)?;
            let exit = runtime.block_on(async {
                match &command {
                    Command::Chat(arguments) => chat::run(&config, arguments).await,
                    Command::Serve(_) => serve::run(&config).await,
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

impl Command {
    fn overrides(&self) -> Overrides {
        match self {
            Self::Chat(arguments) => Overrides {
                workspace: arguments.workspace.clone(),
                max_steps: arguments.max_steps,
                mode: mode(arguments.read_only),
                listen: None,
            },
            Self::Serve(arguments) => Overrides {
                workspace: arguments.workspace.clone(),
                max_steps: None,
                mode: mode(arguments.read_only),
                listen: arguments.listen,
            },
            Self::Capabilities(_) => Overrides::default(),
        }
    }
}

#[cfg(test)]
mod tests;
