//! What the operator set: files, variables and flags, read once and checked. Every other module gets
//! values.
//!
//! Not here: what a setting does. A bad value is an error that names where it was set, the value and what
//! is allowed; nothing is guessed and nothing is clamped.

// In reading order: what there is, where it comes from, and how it is checked.
pub mod table;
mod absent;
mod kind;
mod environment;
mod layers;
mod files;
pub mod listing;
pub mod template;
mod narrow;
mod nearest;
mod folders;
mod secret;
mod rules;
mod web;
mod error;
pub(crate) mod edit;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_core::policy::{Mode, Rule};

use crate::providers::llama;
pub use absent::{ABSENT, Absent};
pub use environment::Environment;
pub use error::ConfigError;
pub use kind::Kind;
use layers::Layers;
pub use secret::Secret;
pub use web::{Web, WebFetch, WebSearch};

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
    /// How far runs may go (`FORGE_MODE`).
    pub mode: Mode,
    /// Capabilities and operations that this invocation denies (`--deny`).
    pub denied: Vec<String>,
    /// Whether this invocation lets the model only answer in words (`--no-tools`).
    pub only_words: bool,
    /// The operator's own rules (`FORGE_RULES_FILE`).
    pub rules: Vec<Rule>,
    /// What the operator's file grants tools (`[plugins.NAME.grant]`); one that it does not name is granted what it
    /// declares.
    pub grants: BTreeMap<Name, Grant>,
    /// The folder that tools see as `/workspace` (`WORKSPACE_DIR`), resolved.
    pub workspace: PathBuf,
    /// Where Forge keeps its own data (`FORGE_DATA_DIR`), resolved.
    pub data_dir: PathBuf,
    /// Where compiled tools are kept (`FORGE_CACHE_DIR`), resolved.
    pub cache_dir: PathBuf,
    /// The file of traces (`TRACE_FILE`), resolved; `None` with `TRACE_ENABLED=false`.
    pub trace_file: Option<PathBuf>,
    /// The folder of further tools (`FORGE_PLUGINS_DIR`), resolved.
    pub plugins_dir: PathBuf,
    /// What is remembered of conversations.
    pub memory: Memory,
    /// How tools reach others.
    pub web: Web,
    /// How others reach Forge.
    pub server: Server,
    /// What the log tells.
    pub log: Log,
    /// The longest output of a tool that the model is given whole (`FORGE_INLINE_OUTPUT_BYTES`), in bytes.
    pub inline_output_bytes: usize,
    /// What is odd about the settings, one message each; whoever starts Forge is told.
    pub warnings: Vec<String>,
    /// Files and folders that settings are read from: no tool may change them.
    pub own_files: Vec<PathBuf>,
}

/// What is remembered of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Whether anything is (`MEMORY_ENABLED`).
    pub enabled: bool,
    /// The most messages that a prompt sees (`MEMORY_MAX_HISTORY`).
    pub max_history: u32,
    /// How many messages are left out at once when there are more (`MEMORY_HARD_CAP_SLACK`).
    pub slack: u32,
}

/// How others reach Forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Where it listens (`FORGE_LISTEN`).
    pub listen: SocketAddr,
    /// What a request must carry (`API_TOKEN`).
    pub api_token: Option<Secret>,
    /// The longest request (`FORGE_MAX_BODY_BYTES`), in bytes.
    pub max_body_bytes: usize,
    /// Whether other machines are let in without a token (`API_ALLOW_UNAUTHENTICATED`).
    pub allow_unauthenticated: bool,
}

/// What the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// Whether its lines are JSON (`FORGE_LOG_JSON`).
    pub json: bool,
    /// Whether it tells details (`SHOW_DEBUG`).
    pub debug: bool,
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

/// What an invocation sets for itself, over everything else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The workspace.
    pub workspace: Option<PathBuf>,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// How far runs may go; [`Mode::Full`] leaves it to the settings.
    pub mode: Mode,
    /// Whether nothing may use the network.
    pub no_network: bool,
    /// Whether the model may only answer in words.
    pub no_tools: bool,
    /// Capabilities (`git`) and operations (`files.write`) that are denied.
    pub deny: Vec<String>,
    /// The user's file of settings, instead of the one in the user's folder of settings.
    pub config_file: Option<PathBuf>,
    /// Files of variables that are trusted; a later one goes over an earlier one.
    pub env_files: Vec<PathBuf>,
    /// Settings: keys and texts.
    pub set: Vec<(String, String)>,
}

/// One setting that a flag gives.
struct Given {
    flag: String,
    key: String,
    text: String,
}

impl Overrides {
    /// Every setting that a flag gives; a later one goes over an earlier one.
    fn given(&self) -> Vec<Given> {
        let given = |flag: &str, key: &str, text: String| Given {
            flag: flag.to_owned(),
            key: key.to_owned(),
            text,
        };
        let mut all: Vec<Given> = self
            .set
            .iter()
            .map(|(key, text)| given("--set", key, text.clone()))
            .collect();
        let workspace = self.workspace.as_ref();
        all.extend(
            workspace.map(|path| given("--workspace", "workspace", path.display().to_string())),
        );
        let steps = self.max_steps.map(|steps| steps.to_string());
        all.extend(steps.map(|steps| given("--max-steps", "max_steps", steps)));
        if self.no_network {
            all.push(given(
                "--no-network",
                "policy.allow_network",
                "false".to_owned(),
            ));
        }
        if self.mode == Mode::ReadOnly {
            all.push(given("--read-only", "mode", "read-only".to_owned()));
        }
        all
    }
}

impl Config {
    /// Reads what this process was started with.
    ///
    /// # Errors
    /// When a setting can't be used.
    pub fn from_environment(overrides: &Overrides) -> Result<Self, ConfigError> {
        Self::read(&Environment::of_this_process()?, overrides)
    }

    /// Reads the files of `environment` and its variables, over which `overrides` go.
    ///
    /// # Errors
    /// When a setting can't be used.
    pub fn read(environment: &Environment, overrides: &Overrides) -> Result<Self, ConfigError> {
        let mut layers = layers::read(environment, overrides);
        if !layers.problems.is_empty() {
            return Err(layers.problems.swap_remove(0));
        }
        layers.derive();
        Ok(Self {
            own_files: own_files(environment, overrides, &layers),
            denied: overrides.deny.clone(),
            only_words: overrides.no_tools,
            ..Self::of(&layers, environment)?
        })
    }

    /// The typed values of what is `settled`.
    fn of(settled: &Layers, environment: &Environment) -> Result<Self, ConfigError> {
        let folders = folders::read(settled, environment)?;
        Ok(Self {
            provider: provider(settled)?,
            max_steps: settled
                .number("max_steps")
                .and_then(|steps| steps.try_into().ok()),
            enabled_tools: enabled_tools(settled),
            allow: Switches {
                network: settled.switch("policy.allow_network"),
                workspace_writes: settled.switch("policy.allow_workspace_writes"),
                subprocess: settled.switch("policy.allow_subprocess"),
                llm: settled.switch("policy.allow_llm"),
            },
            mode: match settled.text("mode") {
                Some("full") => Mode::Full,
                Some("auto") => Mode::Auto,
                Some("ask") => Mode::Ask,
                _ => Mode::ReadOnly,
            },
            denied: Vec::new(),
            only_words: false,
            rules: rules::read(settled, environment)?,
            grants: settled.grants.clone(),
            workspace: folders.workspace,
            data_dir: folders.data_dir,
            cache_dir: folders.cache_dir,
            trace_file: folders.trace_file,
            plugins_dir: folders.plugins_dir,
            memory: Memory {
                enabled: settled.switch("memory.enabled"),
                max_history: number(settled, "memory.max_history"),
                slack: number(settled, "memory.slack"),
            },
            web: web::read(settled),
            server: server(settled)?,
            log: Log {
                json: settled.switch("log.json"),
                debug: settled.switch("log.debug"),
            },
            inline_output_bytes: number(settled, "inline_output_bytes"),
            warnings: settled.warnings.clone(),
            own_files: Vec::new(),
        })
    }
}

/// The user's own settings, wherever they lie.
fn own_files(environment: &Environment, overrides: &Overrides, settled: &Layers) -> Vec<PathBuf> {
    let env_files = overrides.env_files.iter();
    let env_files = env_files.map(|file| environment.current_dir.join(file));
    let file = layers::user_file(environment, overrides);
    let folder = environment.settings_dir();
    let rules = rules::file(settled, environment);
    let files = folder.into_iter().chain(file).chain(rules);
    files.chain(env_files).collect()
}

/// A number that the table gives a default and a range within `T`.
fn number<T: TryFrom<i64> + Default>(settled: &Layers, key: &str) -> T {
    let number = settled.number(key).map(T::try_from);
    number.and_then(Result::ok).unwrap_or_default()
}

fn provider(settled: &Layers) -> Result<ProviderConfig, ConfigError> {
    if settled.text("provider") == Some("scripted") {
        let script = settled.path("scripted.script");
        return Ok(ProviderConfig::Scripted {
            script: script.ok_or(ConfigError::NoScript)?,
        });
    }
    Ok(ProviderConfig::LlamaCpp(llama::Settings {
        url: settled.text("llama_cpp.url").unwrap_or_default().to_owned(),
        timeout: Duration::from_secs(number(settled, "llama_cpp.timeout")),
        idle_timeout: Duration::from_secs(number(settled, "llama_cpp.idle_timeout")),
        n_predict: number(settled, "llama_cpp.n_predict"),
        use_grammar: settled.switch("llama_cpp.use_grammar"),
        id_slot: number(settled, "llama_cpp.id_slot"),
        cache_prompt: settled.switch("llama_cpp.cache_prompt"),
    }))
}

fn enabled_tools(settled: &Layers) -> EnabledTools {
    let names = settled.names("enabled_tools").into_iter();
    EnabledTools {
        names: names.filter_map(|name| Name::parse(name).ok()).collect(),
        is_chosen: settled.is_set("enabled_tools"),
    }
}

fn server(settled: &Layers) -> Result<Server, ConfigError> {
    let listen = settled.text("server.listen").map(str::parse::<SocketAddr>);
    let server = Server {
        listen: listen
            .and_then(Result::ok)
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8765))),
        api_token: settled
            .text("server.api_token")
            .map(|token| Secret::new(token.to_owned())),
        max_body_bytes: number(settled, "server.max_body_bytes"),
        allow_unauthenticated: settled.switch("server.allow_unauthenticated"),
    };
    let is_open = server.api_token.is_none() && !server.allow_unauthenticated;
    if is_open && !server.listen.ip().is_loopback() {
        return Err(ConfigError::OpenListen {
            listen: server.listen.to_string(),
        });
    }
    Ok(server)
}

#[cfg(test)]
mod tests;
