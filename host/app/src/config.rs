//! What the operator set: the environment, read once and checked. Every other module gets values.
//!
//! Not here: what a setting does. A bad value is an error that names the variable, the value and what
//! is allowed; nothing is guessed and nothing is clamped.

mod environment;
mod folders;
mod secret;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use forge_contract::name::Name;
use forge_core::policy::Mode;
use url::Url;

use crate::providers::llama;
pub use environment::Environment;
use environment::Unset::{Off, On};
pub use secret::Secret;

/// What the operator set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which model is asked (`FORGE_PROVIDER`).
    pub provider: ProviderConfig,
    /// The most steps of a run (`MAX_STEPS`); `None` leaves it to the kind of run.
    pub max_steps: Option<u32>,
    /// Which capabilities are offered (`ENABLED_TOOLS`).
    pub enabled_tools: EnabledTools,
    /// What tools may be let do (`POLICY_ALLOW_…`).
    pub allow: Switches,
    /// How far runs may go.
    pub mode: Mode,
    /// The folder that tools see as `/workspace` (`WORKSPACE_DIR`), resolved.
    pub workspace: PathBuf,
    /// Where Forge keeps its own data (`FORGE_DATA_DIR`), resolved.
    pub data_dir: PathBuf,
    /// Where compiled tools are kept (`FORGE_CACHE_DIR`), resolved.
    pub cache_dir: PathBuf,
    /// The file of traces (`TRACE_FILE`), resolved; `None` with `TRACE_ENABLED=false`.
    pub trace_file: Option<PathBuf>,
    /// How the log is written.
    pub log: Log,
    /// How the server behaves.
    pub server: Server,
    /// What is remembered of conversations.
    pub memory: Memory,
    /// The folder of further tools.
    pub plugins_dir: PathBuf,
    /// The longest output that is handed on whole, in bytes.
    pub inline_output_bytes: usize,
    /// What is odd about the settings.
    pub warnings: Vec<String>,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// One JSON object per line (`FORGE_LOG_JSON`).
    pub json: bool,
    /// It tells details (`SHOW_DEBUG`).
    pub debug: bool,
}

/// How the server behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Where it listens (`FORGE_LISTEN`).
    pub listen: SocketAddr,
    /// What a request must bring (`API_TOKEN`).
    pub api_token: Option<Secret>,
    /// The longest body of a request, in bytes (`FORGE_MAX_BODY_BYTES`).
    pub max_body_bytes: usize,
}

/// What is remembered of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Whether anything is.
    pub enabled: bool,
    /// The most messages that a prompt sees.
    pub max_history: u32,
    /// How many messages are left out at once when there are more.
    pub slack: u32,
}

/// Which model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderConfig {
    /// A llama.cpp server.
    LlamaCpp(llama::Settings),
    /// A script, for tests and demonstrations.
    Scripted {
        /// The file with its lines (`FORGE_SCRIPT`).
        script: PathBuf,
    },
}

/// Which capabilities are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnabledTools {
    /// Their names, in the order in which they were given.
    pub names: Vec<Name>,
    /// Whether the operator gave them. A default may name what is not there.
    pub is_chosen: bool,
}

/// What tools may be let do. What is off is denied, whatever else says yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the operator's"
)]
pub struct Switches {
    /// Sending requests (`POLICY_ALLOW_NETWORK`).
    pub network: bool,
    /// Changing files of the workspace (`POLICY_ALLOW_WORKSPACE_WRITES`).
    pub workspace_writes: bool,
    /// Running programs (`POLICY_ALLOW_SUBPROCESS`).
    pub subprocess: bool,
    /// Asking the model (`POLICY_ALLOW_LLM`).
    pub llm: bool,
}

/// What an invocation sets for itself, over the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The workspace.
    pub workspace: Option<PathBuf>,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// How far runs may go.
    pub mode: Mode,
    /// Where the server listens.
    pub listen: Option<SocketAddr>,
}

/// A setting that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that is not one of those that are allowed.
    #[error("`{variable}` is `{value}`: use {allowed}")]
    Value {
        /// Which variable.
        variable: String,
        /// What it holds.
        value: String,
        /// What it may hold.
        allowed: String,
    },
    /// A variable that is there and holds nothing.
    #[error("`{variable}` is empty: give it a value or unset it")]
    Empty {
        /// Which variable.
        variable: String,
    },
    /// Others could reach the server without a token.
    #[error(
        "`{listen}` can be reached by other machines: set `API_TOKEN`, or listen on 127.0.0.1 (`--listen`, `FORGE_LISTEN`)"
    )]
    OpenToAll {
        /// Where.
        listen: SocketAddr,
    },
    /// A switch that does not exist: whoever set it believes it works.
    #[error("there is no setting `{variable}`: there are {known}")]
    Unknown {
        /// Which variable.
        variable: String,
        /// What there is.
        known: String,
    },
    /// The scripted provider without its script.
    #[error("`FORGE_PROVIDER` is `scripted`, so `FORGE_SCRIPT` must name a file of JSON lines")]
    NoScript,
    /// A workspace that can't be used.
    #[error("the workspace `{path}` can't be used ({problem}): create it or set `WORKSPACE_DIR`")]
    Workspace {
        /// The folder.
        path: String,
        /// Why not.
        problem: String,
    },
    /// Something of Forge's own where tools could reach it.
    #[error(
        "{what} `{path}` lies inside the workspace `{workspace}`, where tools could change it: set `{variable}` to a place outside, or `WORKSPACE_DIR` (or `--workspace`) to a narrower folder"
    )]
    InsideWorkspace {
        /// What lies there.
        what: String,
        /// Where it lies.
        path: String,
        /// The workspace.
        workspace: String,
        /// The variable that moves it.
        variable: String,
    },
    /// No place for data.
    #[error("the home folder is unknown: set `FORGE_DATA_DIR` and `FORGE_CACHE_DIR`")]
    NoHome,
    /// No folder to start from.
    #[error("the current folder is gone: change into one that exists")]
    NoCurrentFolder,
}

impl Config {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// When a setting can't be used.
    pub fn from_environment(overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::read(&Environment::of_this_process()?, overrides)
    }

    /// Reads `environment`, over which `overrides` go.
    ///
    /// # Errors
    /// When a setting can't be used.
    pub fn read(environment: &Environment, overrides: &Overrides) -> Result<Self, ConfigError> {
        let switches = [
            "POLICY_ALLOW_NETWORK",
            "POLICY_ALLOW_WORKSPACE_WRITES",
            "POLICY_ALLOW_SUBPROCESS",
            "POLICY_ALLOW_LLM",
        ];
        environment.refuse_unknown("POLICY_", &switches)?;
        let [network, workspace_writes, subprocess, llm] = switches;
        let folders = folders::read(environment, overrides)?;
        Ok(Self {
            provider: provider(environment)?,
            max_steps: match overrides.max_steps {
                Some(steps) => Some(steps),
                None => environment.number("MAX_STEPS", 1..=100)?,
            },
            enabled_tools: enabled_tools(environment)?,
            allow: Switches {
                network: environment.switch(network, On)?,
                workspace_writes: environment.switch(workspace_writes, On)?,
                subprocess: environment.switch(subprocess, On)?,
                llm: environment.switch(llm, On)?,
            },
            mode: overrides.mode,
            workspace: folders.workspace,
            plugins_dir: folders.data_dir.join("plugins"),
            data_dir: folders.data_dir,
            cache_dir: folders.cache_dir,
            trace_file: folders.trace_file,
            log: Log {
                json: environment.switch("FORGE_LOG_JSON", Off)?,
                debug: environment.switch("SHOW_DEBUG", Off)?,
            },
            server: server(environment, overrides)?,
            memory: Memory {
                enabled: environment.switch("MEMORY_ENABLED", On)?,
                max_history: environment
                    .number("MEMORY_MAX_HISTORY", 0..=10_000)?
                    .unwrap_or(100),
                slack: environment
                    .number("MEMORY_HARD_CAP_SLACK", 2..=10_000)?
                    .unwrap_or(20),
            },
            inline_output_bytes: environment
                .number("FORGE_INLINE_OUTPUT_BYTES", 1024..=(1 << 20))?
                .unwrap_or(64 << 10),
            warnings: Vec::new(),
        })
    }
}

fn server(environment: &Environment, overrides: &Overrides) -> Result<Server, ConfigError> {
    let variable = "FORGE_LISTEN";
    let listen = match (overrides.listen, environment.text(variable)?) {
        (Some(listen), _) => listen,
        (None, None) => SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
        (None, Some(text)) => text.parse().map_err(|_| {
            ConfigError::value(
                variable,
                &text,
                "an address and a port, as in `127.0.0.1:8765`",
            )
        })?,
    };
    let api_token = environment.text("API_TOKEN")?.map(Secret::new);
    if !listen.ip().is_loopback() && api_token.is_none() {
        return Err(ConfigError::OpenToAll { listen });
    }
    Ok(Server {
        listen,
        api_token,
        max_body_bytes: environment
            .number("FORGE_MAX_BODY_BYTES", 1024..=(64 << 20))?
            .unwrap_or(1 << 20),
    })
}

/// Where `forge serve` listens when nothing is set.
const DEFAULT_PORT: u16 = 8765;

fn provider(environment: &Environment) -> Result<ProviderConfig, ConfigError> {
    let variable = "FORGE_PROVIDER";
    let allowed = "`llama_cpp` or `scripted`";
    match environment.text(variable)?.as_deref() {
        None | Some("llama_cpp") => Ok(ProviderConfig::LlamaCpp(llama(environment)?)),
        Some("scripted") => Ok(ProviderConfig::Scripted {
            script: environment
                .path("FORGE_SCRIPT")?
                .ok_or(ConfigError::NoScript)?,
        }),
        Some(name @ ("ollama" | "openrouter")) => Err(ConfigError::Value {
            variable: variable.to_owned(),
            value: name.to_owned(),
            allowed: format!("{allowed}; this version does not have `{name}`"),
        }),
        Some(other) => Err(ConfigError::value(variable, other, allowed)),
    }
}

fn llama(environment: &Environment) -> Result<llama::Settings, ConfigError> {
    let seconds = |variable, default| {
        let seconds = environment.number(variable, 1..=86_400)?.unwrap_or(default);
        Ok(Duration::from_secs(seconds))
    };
    Ok(llama::Settings {
        url: llama_url(environment)?,
        timeout: seconds("LLAMA_CPP_TIMEOUT", 120)?,
        idle_timeout: seconds("LLAMA_CPP_IDLE_TIMEOUT", 30)?,
        n_predict: environment
            .number("LLAMA_CPP_N_PREDICT", 1..=1_000_000)?
            .unwrap_or(512),
        use_grammar: environment.switch("LLAMA_CPP_USE_GRAMMAR", On)?,
        id_slot: environment
            .number("LLAMA_CPP_ID_SLOT", -1..=1_000)?
            .unwrap_or(0),
        cache_prompt: environment.switch("LLAMA_CPP_CACHE_PROMPT", On)?,
    })
}

fn llama_url(environment: &Environment) -> Result<String, ConfigError> {
    let variable = "LLAMA_CPP_URL";
    let Some(text) = environment.text(variable)? else {
        return Ok("http://127.0.0.1:8080".to_owned());
    };
    let allowed =
        "the server's base address, as in `http://127.0.0.1:8080` (no TLS, no user, no query)";
    let is_base = Url::parse(&text).is_ok_and(|url| {
        url.scheme() == "http"
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    });
    if is_base {
        Ok(text.trim_end_matches('/').to_owned())
    } else {
        Err(ConfigError::value(variable, &text, allowed))
    }
}

fn enabled_tools(environment: &Environment) -> Result<EnabledTools, ConfigError> {
    let variable = "ENABLED_TOOLS";
    let chosen = environment.text(variable)?;
    let is_chosen = chosen.is_some();
    let text = chosen.unwrap_or_else(|| "chat,code,files".to_owned());
    let mut names = Vec::new();
    for item in text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
    {
        let name = Name::parse(item).map_err(|_| {
            let allowed = "names of capabilities with commas between, as in `chat,code,files`";
            ConfigError::value(variable, &text, allowed)
        })?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(EnabledTools { names, is_chosen })
}

impl ConfigError {
    fn value(variable: &str, value: &str, allowed: impl Into<String>) -> Self {
        Self::Value {
            variable: variable.to_owned(),
            value: value.to_owned(),
            allowed: allowed.into(),
        }
    }
}

#[cfg(test)]
mod tests;
