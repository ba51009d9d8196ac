//! Forge as every surface calls it: the one place that wires the core to its adapters.
//!
//! Not here: how a surface shows anything, and where a setting comes from.

use std::collections::BTreeSet;
use std::sync::Arc;

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_core::clock::Clock;
use forge_core::observer::Observer;
use forge_core::policy::{Policy, Verdict};
use forge_core::provider::Provider;
use forge_core::registry::{Grants, Registry};
use forge_core::router::{CHAT, CODE};
use forge_core::trace::TraceSink;
use forge_core::turn::{
    self, Exchange, Host, Listing, OnFailure, TurnReport, TurnRequest, TurnSettings,
};
use forge_runtime::{Runtime, Settings, Workspace};
use uuid::Uuid;

use crate::clock::SystemClock;
use crate::config::{Config, ProviderConfig};
use crate::plugins::{EMBEDDED, Plugins};
use crate::providers::llama::LlamaCpp;
use crate::providers::scripted::{BadScript, Scripted};
use crate::trace::{NoTrace, TraceFile};

/// Forge, ready to take turns.
pub struct App {
    provider: Arc<dyn Provider>,
    plugins: Plugins,
    registry: Registry,
    policy: Policy,
    grants: Grants,
    trace: Box<dyn TraceSink>,
    clock: SystemClock,
    max_steps: Option<u32>,
    warnings: Vec<String>,
}

/// What a turn is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatRequest {
    /// The user's words.
    pub text: String,
    /// Earlier turns, oldest first.
    pub history: Vec<Exchange>,
    /// What kind of run it is.
    pub kind: RunKind,
}

/// What kind of run a turn is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunKind {
    /// The model chooses a tool, and that one's answer is the answer. A failure ends the turn.
    #[default]
    Routed,
    /// The model goes on until it is done, and is told what failed.
    Agent,
}

impl RunKind {
    /// The most steps of such a run, where the operator set nothing.
    #[must_use]
    pub fn default_steps(self) -> u32 {
        match self {
            Self::Routed => 1,
            Self::Agent => 8,
        }
    }
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
            .protecting(&PROTECTED, &[]);
        let runtime = Runtime::new(Settings {
            cache_dir: Some(config.cache_dir.join("tools")),
            ..Settings::default()
        })?;
        let (plugins, registry) = Plugins::load(&runtime, components, workspace).await;
        let mut warnings = Vec::new();
        if components.is_empty() {
            warnings.push(
                "no tools are embedded in this binary, so the model can only answer in words: build it with `cargo xtask build`"
                    .to_owned(),
            );
        }
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
        let grants = plugins
            .loaded()
            .filter_map(|(name, _)| {
                // What ships with Forge is granted what it declares; policy stands before it.
                let declared = registry.get(name.as_str())?.declared();
                Some((name.clone(), Grant::of(&declared)))
            })
            .collect();
        let trace: Box<dyn TraceSink> = match &config.trace_file {
            Some(path) => Box::new(TraceFile::at(path.clone())),
            None => Box::new(NoTrace),
        };
        Ok(Self {
            provider,
            plugins,
            registry,
            policy: policy(config),
            grants,
            trace,
            clock: SystemClock::start(),
            max_steps: config.max_steps,
            warnings,
        })
    }

    /// Takes one turn. Dropping it stops the model and the tool. Whatever fails is in the report.
    pub async fn chat(&self, request: &ChatRequest, observer: &dyn Observer) -> TurnReport {
        let settings = TurnSettings {
            max_steps: self.max_steps.unwrap_or(request.kind.default_steps()),
            ..TurnSettings::default()
        };
        let clock: &dyn Clock = &self.clock;
        let host = Host {
            provider: self.provider.as_ref(),
            tools: &self.plugins,
            trace: self.trace.as_ref(),
            clock,
            observer,
            registry: &self.registry,
            policy: &self.policy,
            grants: &self.grants,
            settings: &settings,
        };
        let run_id = Uuid::new_v4().simple().to_string();
        let request = TurnRequest {
            run_id: &run_id[..RUN_ID_CHARS],
            input: &request.text,
            history: &request.history,
            on_failure: match request.kind {
                RunKind::Routed => OnFailure::Stop,
                RunKind::Agent => OnFailure::FeedBack,
            },
        };
        let report = turn::run(&host, &request).await;
        tracing::debug!(
            run.id = request.run_id,
            run.ok = report.ok,
            run.tool = report.tool,
            run.steps = report.steps,
            run.total_ms = report.record.total_ms,
            "finished run `{}`",
            request.run_id
        );
        report
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
                        Verdict::Allow => None,
                        Verdict::Deny(denial) => Some(denial.to_string()),
                    },
                    listing,
                }
            })
            .collect()
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

/// One operation, with where it comes from and whether it can be called.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The operation.
    pub listing: Listing,
    /// The SHA-256 of the component, in hexadecimal.
    pub digest: String,
    /// Why it can't be called, and the way out.
    pub blocked: Option<String>,
}

/// What no tool may change in a workspace: a repository's own files, by which programs can be started,
/// and Forge's.
const PROTECTED: [&str; 3] = [".git", "forge.toml", "plugins.lock"];

const RUN_ID_CHARS: usize = 12;

fn policy(config: &Config) -> Policy {
    Policy {
        enabled: config.enabled_tools.names.iter().cloned().collect(),
        allow_network: config.allow.network,
        allow_workspace_writes: config.allow.workspace_writes,
        allow_subprocess: config.allow.subprocess,
        allow_llm: config.allow.llm,
        mode: config.mode,
        powers: BTreeSet::from(forge_runtime::OFFERED),
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
