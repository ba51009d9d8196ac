//! The tools that Forge runs: components that are embedded into the binary and those in the plugins folder,
//! loaded through the runtime and called.
//!
//! Not here: whether a call may be made, and what it is granted; that is decided in the core. A
//! component that can't be loaded is listed with its error and is not offered.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_contract::outcome::{FailureCode, Outcome};
use forge_contract::report::CallReport;
use forge_core::registry::{Entry, Registry};
use forge_core::tools::{Call, Caller};
use forge_runtime::{Keeping, Plugin, Runtime, Workspace};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use line::{Line, News};
use serde_json::Value;

use crate::causes::with_causes;

mod line;

/// The components that this binary carries: their names and their bytes.
pub const EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A component that is to be loaded.
pub struct Component<'a> {
    /// Where it comes from, as the operator knows it.
    pub source: String,
    /// The component, or why it can't be read.
    pub bytes: Result<Cow<'a, [u8]>, String>,
}

/// What this binary carries, or a list like it, as components.
pub fn embedded<'a>(components: &'a [(&'a str, &'a [u8])]) -> Vec<Component<'a>> {
    let component = |(name, bytes): &(&str, &'a [u8])| Component {
        source: format!("embedded `{name}`"),
        bytes: Ok(Cow::Borrowed(*bytes)),
    };
    components.iter().map(component).collect()
}

/// The components that lie in `folder`, in the order of their names. A folder that is not there has none.
///
/// # Errors
/// When the folder can't be listed.
pub fn in_folder(folder: &Path, max_bytes: usize) -> io::Result<Vec<Component<'static>>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "wasm")
    });
    paths.sort();
    let component = |path: PathBuf| Component {
        source: format!("`{}`", path.display()),
        bytes: read_bounded(&path, max_bytes).map(Cow::Owned),
    };
    Ok(paths.into_iter().map(component).collect())
}

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
    /// The table of its own settings.
    settings: Option<Value>,
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
    /// Loads `components`, all at once, and lists what they offer. Where two offer the same, the first has it.
    pub async fn load(
        runtime: &Runtime,
        components: Vec<Component<'_>>,
        workspace: Workspace,
    ) -> (Self, Registry) {
        let loading = components.into_iter().map(async |component| {
            let Component { source, bytes } = component;
            let loaded = match bytes {
                Ok(bytes) => runtime
                    .load(bytes.into_owned())
                    .await
                    .map_err(|error| with_causes(&error)),
                Err(problem) => Err(problem),
            };
            (source, loaded)
        });
        let results = join_all(loading).await;
        let mut registry = Registry::default();
        let mut plugins = Self {
            loaded: BTreeMap::new(),
            broken: Vec::new(),
            workspace,
        };
        for (source, loaded) in results {
            let listed = loaded.and_then(|plugin| {
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
                    let loaded = Loaded {
                        source,
                        plugin,
                        settings: None,
                    };
                    plugins.loaded.insert(name, loaded);
                }
                Err(problem) => plugins.broken.push(Broken { source, problem }),
            }
        }
        (plugins, registry)
    }

    /// Gives each tool the table of its own settings.
    pub fn configure(&mut self, settings: impl Fn(&Name) -> Option<Value>) {
        for (name, loaded) in &mut self.loaded {
            loaded.settings = settings(name);
        }
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

    /// The workspace on this machine.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// What could not be loaded.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }
}

/// What a call finds besides its grant.
#[derive(Default)]
pub struct Surroundings {
    /// What the tool keeps in the conversation.
    pub keeping: Option<Arc<dyn Keeping>>,
    /// The folder of the conversation's artifacts, if it has any.
    pub artifacts: Option<PathBuf>,
}

impl Plugins {
    /// Runs one call with `grant` and nothing more. Whatever happens is an outcome of the report.
    pub async fn call(
        &self,
        call: &Call,
        grant: &Grant,
        surroundings: Surroundings,
        caller: &dyn Caller,
    ) -> CallReport {
        let Some(loaded) = self.loaded.get(&call.capability) else {
            let message = format!("no tool offers `{}`", call.capability);
            return CallReport::not_run(Outcome::failed(FailureCode::NotFound, message));
        };
        let input = call.input.to_string();
        let (line, mut heard) = Line::new();
        let line = Arc::new(line);
        let listener = line.clone();
        let workspace = self.workspace(surroundings.artifacts.as_deref());
        let mut running = forge_runtime::Call::new(call.operation.as_str(), &input, grant)
            .in_workspace(&workspace)
            .at_depth(call.depth)
            .calling(line)
            .on_progress(Arc::new(move |progress| listener.tell(progress)));
        if let Some(keeping) = surroundings.keeping {
            running = running.in_conversation(keeping);
        }
        if let Some(settings) = &loaded.settings {
            running = running.with_settings(settings);
        }
        let running = loaded.plugin.call(running);
        tokio::pin!(running);
        let mut invoked = FuturesUnordered::new();
        let report = loop {
            tokio::select! {
                biased;
                Some(news) = heard.recv() => match news {
                    News::Progress(progress) => caller.hear(progress),
                    News::Call(nested, answer) => invoked.push(async {
                        // Nobody waits for it any more once the tool was stopped.
                        let _ = answer.send(caller.invoke(nested).await);
                    }),
                },
                Some(()) = invoked.next() => {}
                report = &mut running => break report,
            }
        };
        while let Ok(news) = heard.try_recv() {
            if let News::Progress(progress) = news {
                caller.hear(progress);
            }
        }
        report
    }

    /// The workspace, with these artifacts beside it.
    fn workspace(&self, artifacts: Option<&Path>) -> Cow<'_, Workspace> {
        let Some(folder) = artifacts else {
            return Cow::Borrowed(&self.workspace);
        };
        match self.workspace.with_artifacts(folder) {
            Ok(workspace) => Cow::Owned(workspace),
            Err(error) => {
                tracing::warn!(
                    "the artifacts in `{}` can't be opened: {error}",
                    folder.display()
                );
                Cow::Borrowed(&self.workspace)
            }
        }
    }
}

/// The bytes of a file that is no larger than `max_bytes`; else why not.
fn read_bounded(path: &Path, max_bytes: usize) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| format!("it can't be read: {error}"))?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    if metadata.len() > max_bytes as u64 {
        let bytes = metadata.len();
        return Err(format!(
            "it has {bytes} bytes, and at most {max_bytes} are loaded"
        ));
    }
    fs::read(path).map_err(|error| format!("it can't be read: {error}"))
}
