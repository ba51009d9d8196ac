//! One guest in a sandbox with a workspace of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_contract::effect::Effect;
use forge_contract::grant::Grant;
use forge_contract::report::CallReport;
use forge_runtime::{
    Call, Calling, Keeping, Limits, LoadError, NetworkSettings, Plugin, Runtime, Settings,
    Workspace,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::place::Place;

/// A loaded guest and the folder that calls get as their workspace, which is the folder `inside` of
/// one that holds a file `secret` too.
pub struct Guest {
    plugin: Plugin,
    workspace: Workspace,
    around: TempDir,
}

/// Limits that end a misbehaving guest soon.
#[must_use]
pub fn short_limits() -> Limits {
    Limits {
        deadline_ms: 2_000,
        ..Limits::default()
    }
}

/// Loads `name` with the given limits.
///
/// # Errors
/// As the runtime says.
///
/// # Panics
/// When there is no such guest.
pub async fn load_with(name: &str, limits: Limits) -> Result<Guest, LoadError> {
    let settings = Settings {
        limits,
        live_calls: 8,
        ..Settings::default()
    };
    load_under(name, settings).await
}

/// Loads `name` for calls on this network, with the given limits.
///
/// # Panics
/// When it does not load.
pub async fn load_on(name: &str, network: NetworkSettings, limits: Limits) -> Guest {
    let settings = Settings {
        limits,
        network,
        // Shared, so that each is compiled once for all tests.
        cache_dir: Some(Place::Guests.beside("test-cache/guests")),
        ..Settings::default()
    };
    load_under(name, settings)
        .await
        .unwrap_or_else(|error| panic!("`{name}` does not load: {error}"))
}

async fn load_under(name: &str, settings: Settings) -> Result<Guest, LoadError> {
    let runtime = Runtime::new(settings).expect("an engine");
    let plugin = runtime.load(Place::Guests.component(name)).await?;
    let around = tempfile::tempdir().expect("a temporary folder");
    let inside = around.path().join("inside");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::write(around.path().join("secret"), "a secret").expect("a file");
    let workspace = Workspace::open(&inside).expect("the workspace");
    Ok(Guest {
        plugin,
        workspace,
        around,
    })
}

/// [`load_with`] short limits.
///
/// # Panics
/// When it does not load.
pub async fn load(name: &str) -> Guest {
    load_with(name, short_limits())
        .await
        .unwrap_or_else(|error| panic!("`{name}` does not load: {error}"))
}

impl Guest {
    /// Calls `operation` with `input` and the grant that `grant` writes, in the words of a manifest.
    ///
    /// # Panics
    /// When `grant` is no grant.
    pub async fn call(&self, operation: &str, input: &str, grant: &str) -> CallReport {
        let grant: Grant =
            serde_json::from_str(grant).unwrap_or_else(|error| panic!("{grant}: {error}"));
        self.plugin
            .call(Call::new(operation, input, &grant).in_workspace(&self.workspace))
            .await
    }

    /// The same guest in a workspace in which nothing called one of `names`, or at one of `paths`, may be
    /// changed.
    #[must_use]
    pub fn protecting(self, names: &[&str], paths: &[PathBuf]) -> Self {
        Self {
            workspace: self.workspace.protecting(names, paths),
            ..self
        }
    }

    /// Calls `operation` without a grant in the conversation that `kept` belongs to.
    pub async fn call_keeping(
        &self,
        operation: &str,
        input: &str,
        kept: &Arc<dyn Keeping>,
    ) -> CallReport {
        let grant = Grant::default();
        let call = Call::new(operation, input, &grant);
        self.plugin.call(call.in_conversation(kept.clone())).await
    }

    /// Calls `operation` with the grant that `grant` writes; `calling` makes what it calls.
    ///
    /// # Panics
    /// When `grant` is no grant.
    pub async fn call_calling(
        &self,
        operation: &str,
        input: &str,
        grant: &str,
        calling: Arc<dyn Calling>,
    ) -> CallReport {
        let grant: Grant =
            serde_json::from_str(grant).unwrap_or_else(|error| panic!("{grant}: {error}"));
        let call = Call::new(operation, input, &grant);
        self.plugin.call(call.calling(calling)).await
    }

    /// The loaded component.
    #[must_use]
    pub fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// The workspace's folder.
    #[must_use]
    pub fn inside(&self) -> &Path {
        self.workspace.root()
    }

    /// The folder that holds the workspace's folder and the file `secret`.
    #[must_use]
    pub fn around(&self) -> &Path {
        self.around.path()
    }
}

/// The JSON value that a guest answered.
///
/// # Panics
/// When it answered none.
#[must_use]
pub fn answered(report: &CallReport) -> Value {
    let text = report.outcome.to_string();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The effects in short: `open /workspace/a 5`, `write /workspace/b: not-permitted`.
#[must_use]
pub fn effects(report: &CallReport) -> Vec<String> {
    report.effects.iter().map(in_short).collect()
}

fn in_short(effect: &Effect) -> String {
    match effect {
        Effect::Refused { power } => format!("refused {power}"),
        Effect::Call(call) => {
            let (capability, operation) = (&call.capability, &call.operation);
            format!("call {capability}.{operation}: {}", call.outcome)
        }
        Effect::Request(request) => {
            let status = request.status.map(|status| format!(" {status}"));
            let error = request.error.as_ref().map(|error| format!(": {error}"));
            let (method, url) = (&request.method, &request.url);
            let (status, error) = (status.unwrap_or_default(), error.unwrap_or_default());
            format!("{method} {url}{status}{error}")
        }
        Effect::File(file) => {
            let action = serde_json::to_value(file.action).expect("an action is a word");
            let to = file
                .to
                .as_ref()
                .map(|to| format!(" -> {to}"))
                .unwrap_or_default();
            let end = match &file.error {
                Some(error) => format!(": {error}"),
                None if file.bytes > 0 => format!(" {}", file.bytes),
                None => String::new(),
            };
            format!(
                "{} {}{to}{end}",
                action.as_str().unwrap_or_default(),
                file.path
            )
        }
    }
}
