//! The tools that Forge runs: components that are embedded into the binary, loaded through the
//! runtime, and the port through which a turn calls them.
//!
//! Not here: whether a call may be made, and what it is granted; that is decided in the core. A
//! component that can't be loaded is listed with its error and is not offered.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_contract::outcome::{FailureCode, Outcome};
use forge_contract::report::{CallReport, Progress};
use forge_core::registry::{Entry, Registry};
use forge_core::tools::{Call, Tools};
use forge_runtime::{Plugin, Runtime, Workspace};
use futures_util::future::join_all;
use tokio::sync::mpsc;

/// The components that this binary carries: their names and their bytes.
pub const EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Loaded tools, and those that could not be.
pub struct Plugins {
    loaded: BTreeMap<Name, Loaded>,
    broken: Vec<Broken>,
    workspace: Workspace,
}

/// A loaded tool.
pub struct Loaded {
    /// Where it comes from, as the operator knows it.
    pub source: String,
    /// The tool.
    pub plugin: Plugin,
}

/// A component that is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where it comes from.
    pub source: String,
    /// Why it is not offered, and the way out where there is one.
    pub problem: String,
}

impl Plugins {
    /// Loads `components`, all at once, and lists what they offer. Each has a name by which messages call
    /// it.
    pub async fn load(
        runtime: &Runtime,
        components: &[(&str, &[u8])],
        workspace: Workspace,
    ) -> (Self, Registry) {
        let loading = components
            .iter()
            .map(|(_, bytes)| runtime.load(bytes.to_vec()));
        let results = join_all(loading).await;
        let mut registry = Registry::default();
        let mut plugins = Self {
            loaded: BTreeMap::new(),
            broken: Vec::new(),
            workspace,
        };
        for ((name, _), result) in components.iter().zip(results) {
            let source = format!("embedded `{name}`");
            let listed = result
                .map_err(|error| with_causes(&error))
                .and_then(|plugin| {
                    let entry = Entry {
                        source: source.clone(),
                        manifest: plugin.manifest().clone(),
                    };
                    let added = registry.add(entry).map_err(|error| error.to_string());
                    added.map(|()| plugin)
                });
            match listed {
                Ok(plugin) => {
                    let name = plugin.manifest().name.clone();
                    plugins.loaded.insert(name, Loaded { source, plugin });
                }
                Err(problem) => plugins.broken.push(Broken { source, problem }),
            }
        }
        (plugins, registry)
    }

    /// The loaded tools, by capability.
    pub fn loaded(&self) -> impl Iterator<Item = (&Name, &Loaded)> {
        self.loaded.iter()
    }

    /// The tool that offers `capability`.
    #[must_use]
    pub fn get(&self, capability: &Name) -> Option<&Loaded> {
        self.loaded.get(capability)
    }

    /// What could not be loaded.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }
}

#[async_trait]
impl Tools for Plugins {
    async fn run(
        &self,
        call: &Call,
        grant: &Grant,
        on_progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> CallReport {
        let Some(loaded) = self.loaded.get(&call.capability) else {
            let message = format!("no tool offers `{}`", call.capability);
            return CallReport::not_run(Outcome::failed(FailureCode::NotFound, message));
        };
        let input = call.input.to_string();
        // The tool outlives no call, but its listener must not borrow: news go through a channel.
        let (sender, mut news) = mpsc::unbounded_channel();
        let listener = Arc::new(move |progress: Progress| {
            // Nobody listens any more once the call is given up.
            let _ = sender.send(progress);
        });
        let running = loaded.plugin.call(
            forge_runtime::Call::new(call.operation.as_str(), &input, grant)
                .in_workspace(&self.workspace)
                .on_progress(listener),
        );
        tokio::pin!(running);
        let report = loop {
            tokio::select! {
                biased;
                Some(progress) = news.recv() => on_progress(progress),
                report = &mut running => break report,
            }
        };
        while let Ok(progress) = news.try_recv() {
            on_progress(progress);
        }
        report
    }
}

/// An error with its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
