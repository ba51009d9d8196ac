//! Forge as every surface calls it: the one place that wires the core to its adapters.
//!
//! Not here: how a surface shows anything, and where a setting comes from.

use std::collections::BTreeSet;
use std::sync::Arc;

use forge_contract::name::Name;
use forge_core::policy::{Policy, Verdict};
use forge_core::provider::Provider;
use forge_core::registry::{Grants, Registry};
use forge_core::router::{CHAT, CODE};
use forge_core::trace::{RunRecord, TraceSink};
use forge_core::turn::{self, Prepared};
use forge_runtime::{NetworkSettings, Runtime, Settings, Workspace};

use crate::clock::SystemClock;
use crate::config::{Config, ProviderConfig};
use crate::grants;
use crate::plugins::{self, Broken, EMBEDDED, Plugins};
use crate::providers::llama::LlamaCpp;
use crate::providers::scripted::{BadScript, Scripted};
use crate::secrets::Secrets;
use crate::trace::{NoTrace, TraceFile};
use memory::Memory;

pub use chat::{Before, ChatReport, ChatRequest, RunKind, Storage};
pub use granting::Granted;
pub use listing::{Offered, Row};
pub use memory::MemoryError;

// In reading order: a turn, the tools as it sees them, its spans, and what outlives it.
mod chat;
mod tools;
mod spans;
mod memory;
mod approving;
mod listing;
mod granting;

/// Forge, ready to take turns.
pub struct App {
    provider: Arc<dyn Provider>,
    plugins: Plugins,
    registry: Registry,
    policy: Policy,
    grants: Grants,
    /// The tools for which the operator has a grant of their own.
    narrowed: BTreeSet<Name>,
    prepared: Prepared,
    traces: Option<TraceFile>,
    memory: Memory,
    clock: SystemClock,
    max_steps: Option<u32>,
    inline_output_bytes: usize,
    warnings: Vec<String>,
}

/// Why Forge can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The workspace can't be opened.
    #[error("the workspace `{path}` can't be opened")]
    Workspace {
        /// The folder.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The scripted provider has no script.
    #[error(transparent)]
    Script(#[from] BadScript),
    /// A capability is enabled that is not there.
    #[error("`ENABLED_TOOLS` names {unknown}, which no tool offers: there is {available}")]
    UnknownTools {
        /// What nobody offers.
        unknown: String,
        /// What there is.
        available: String,
    },
    /// Something is denied that is not there: whoever denies it believes that it works.
    #[error(
        "`--deny {name}` names nothing: use a capability as in `files` or an operation as in `files.write`"
    )]
    UnknownDenied {
        /// What was named.
        name: String,
    },
    /// The sandbox can't be made.
    #[error(transparent)]
    Runtime(#[from] forge_runtime::StartError),
    /// The HTTP client can't be made.
    #[error("the HTTP client can't be made")]
    HttpClient(#[from] reqwest::Error),
}

impl App {
    /// Starts Forge with the tools that are embedded in this binary.
    ///
    /// # Errors
    /// When something that every turn needs can't be made, or a setting names what is not there.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        let provider: Arc<dyn Provider> = match &config.provider {
            ProviderConfig::LlamaCpp(settings) => Arc::new(LlamaCpp::new(settings.clone())?),
            ProviderConfig::Scripted { script } => Arc::new(Scripted::from_file(script)?),
        };
        Self::start_with(config, provider, EMBEDDED).await
    }

    /// Starts Forge with this model and these components, each with a name. The configuration's own
    /// provider is not made.
    ///
    /// # Errors
    /// As [`App::start`].
    pub async fn start_with(
        config: &Config,
        provider: Arc<dyn Provider>,
        components: &[(&str, &[u8])],
    ) -> Result<Self, StartError> {
        let workspace = Workspace::open(&config.workspace)
            .map_err(|source| StartError::Workspace {
                path: config.workspace.display().to_string(),
                source,
            })?
            .protecting(&PROTECTED, &config.own_files);
        let settings = Settings {
            cache_dir: Some(config.cache_dir.join("tools")),
            network: NetworkSettings {
                proxy: config.web.proxy.clone(),
                remedies: grants::remedies(),
                secrets: Arc::new(Secrets::new(&config.data_dir)),
                ..NetworkSettings::default()
            },
            ..Settings::default()
        };
        let max_bytes = settings.component_bytes;
        let runtime = Runtime::new(settings)?;
        let mut warnings = Vec::new();
        if components.is_empty() {
            warnings.push(
                "no tools are embedded in this binary, so the model can only answer in words: build it with `cargo xtask build`"
                    .to_owned(),
            );
        }
        let mut all = plugins::embedded(components);
        match plugins::in_folder(&config.plugins_dir, max_bytes) {
            Ok(found) => all.extend(found),
            Err(error) => warnings.push(format!(
                "the plugins folder `{}` can't be listed: {error}",
                config.plugins_dir.display()
            )),
        }
        let (mut plugins, registry) = Plugins::load(&runtime, all, workspace).await;
        plugins.configure(|capability| grants::settings(capability, &config.web));
        for broken in plugins.broken() {
            warnings.push(format!(
                "{} is not offered: {}",
                broken.source, broken.problem
            ));
        }
        // A tool that could not be loaded is named by its warning.
        let is_whole = !components.is_empty() && plugins.broken().is_empty();
        if config.enabled_tools.is_chosen && is_whole {
            check_enabled(&config.enabled_tools.names, &registry)?;
        }
        check_denied(&config.denied, &registry)?;
        if let Some(name) = config
            .grants
            .keys()
            .find(|name| registry.get(name.as_str()).is_none())
        {
            warnings.push(format!(
                "`[plugins.{name}.grant]` is for a tool that is not there"
            ));
        }
        let grants = plugins
            .loaded()
            .filter_map(|(name, _)| {
                // What ships with Forge is granted what it declares; policy stands before it.
                let declared = registry.get(name.as_str())?.declared();
                let grant = grants::grant(name, &declared, &config.web);
                Some((
                    name.clone(),
                    match config.grants.get(name) {
                        Some(own) => grants::narrowed_by(grant, own),
                        None => grant,
                    },
                ))
            })
            .collect();
        let traces = config.trace_file.clone().map(TraceFile::at);
        let policy = policy(config);
        Ok(Self {
            provider,
            prepared: Prepared::new(&registry, &policy),
            plugins,
            registry,
            policy,
            grants,
            narrowed: config.grants.keys().cloned().collect(),
            traces,
            memory: Memory::new(config),
            clock: SystemClock::start(),
            max_steps: config.max_steps,
            inline_output_bytes: config.inline_output_bytes,
            warnings,
        })
    }

    /// Every operation of every tool, with policy's verdict.
    #[must_use]
    pub fn capabilities(&self) -> Vec<Offered> {
        turn::capabilities(&self.registry, &self.policy)
            .into_iter()
            .map(|listing| {
                let digest = self.plugins.get(&listing.capability);
                let digest = digest.map(|loaded| loaded.plugin.digest().to_owned());
                Offered {
                    digest: digest.unwrap_or_default(),
                    blocked: match &listing.verdict {
                        Verdict::Allow | Verdict::Ask(_) => None,
                        Verdict::Deny(denial) => Some(denial.to_string()),
                    },
                    asks: match &listing.verdict {
                        Verdict::Ask(asks) => asks.iter().map(|ask| ask.reason.clone()).collect(),
                        Verdict::Allow | Verdict::Deny(_) => Vec::new(),
                    },
                    listing,
                }
            })
            .collect()
    }

    /// The components that are not offered because they can't be loaded.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        self.plugins.broken()
    }

    /// Where runs are recorded.
    fn trace(&self) -> &dyn TraceSink {
        match &self.traces {
            Some(file) => file,
            None => &NoTrace,
        }
    }

    /// The records of the last `count` runs, the newest first. None are kept without a trace.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn traces(&self, count: usize) -> std::io::Result<Vec<RunRecord>> {
        let traces = self.traces.as_ref();
        traces.map_or_else(|| Ok(Vec::new()), |file| file.last(count))
    }

    /// The model.
    #[must_use]
    pub fn provider(&self) -> &Arc<dyn Provider> {
        &self.provider
    }

    /// What is odd: tools that can't be loaded, and what the others were warned of.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let of_tools = self.plugins.loaded().flat_map(|(_, loaded)| {
            let warnings = loaded.plugin.warnings().iter();
            warnings.map(|warning| format!("{}: {warning}", loaded.source))
        });
        self.warnings.iter().cloned().chain(of_tools).collect()
    }
}

/// What no tool may change in a workspace: a repository's own files, by which programs can be started,
/// and Forge's.
const PROTECTED: [&str; 5] = [".git", "forge.toml", "plugins.lock", ".env", ".env.local"];

fn policy(config: &Config) -> Policy {
    Policy {
        enabled: config
            .enabled_tools
            .names
            .iter()
            .filter(|name| !config.only_words || [CHAT, CODE].contains(&name.as_str()))
            .cloned()
            .collect(),
        denied: config.denied.iter().cloned().collect(),
        allow_network: config.allow.network,
        allow_workspace_writes: config.allow.workspace_writes,
        allow_subprocess: config.allow.subprocess,
        allow_llm: config.allow.llm,
        mode: config.mode,
        rules: config.rules.clone(),
        powers: BTreeSet::from(forge_runtime::OFFERED),
    }
}

fn check_denied(denied: &[String], registry: &Registry) -> Result<(), StartError> {
    let is_known = |name: &String| {
        let (capability, operation) = name.split_once('.').unwrap_or((name, ""));
        let found = registry.get(capability);
        found.is_some_and(|it| operation.is_empty() || it.manifest.operation(operation).is_some())
    };
    match denied.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(StartError::UnknownDenied { name: name.clone() }),
    }
}

fn check_enabled(enabled: &[Name], registry: &Registry) -> Result<(), StartError> {
    let is_known = |name: &Name| {
        // The model can always talk, with or without a tool for it.
        [CHAT, CODE].contains(&name.as_str()) || registry.get(name.as_str()).is_some()
    };
    let unknown: Vec<&Name> = enabled.iter().filter(|name| !is_known(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(StartError::UnknownTools {
        unknown: listed(&unknown),
        available: listed(
            &registry
                .capabilities()
                .map(|(name, _)| name)
                .collect::<Vec<_>>(),
        ),
    })
}

fn listed(names: &[&Name]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests;
