//! How bytes become a plugin, and each reason why they do not.

use std::path::PathBuf;
use std::sync::Arc;

use forge_contract::manifest::{BadManifest, Manifest};
use sha2::{Digest, Sha256};
use wasmtime::component::Component;

use crate::cache::Cached;
use crate::describe::{self, NoDescription};
use crate::plugin::Plugin;
use crate::proof::{self, Imports};
use crate::runtime::Shared;

pub(crate) async fn load(shared: &Arc<Shared>, bytes: Vec<u8>) -> Result<Plugin, LoadError> {
    let limit = shared.settings.component_bytes;
    if bytes.len() > limit {
        return Err(LoadError::TooLarge { limit });
    }
    let (bytes, digest, cached) = look_up(shared, bytes).await?;
    let is_cached = cached.is_some();
    let (component, description) = match cached {
        Some(Cached {
            component,
            description,
        }) => (component, description),
        None => {
            let component = compile(shared, bytes).await?;
            proof::is_tool(&shared.engine, &component)?;
            let description = describe::sealed(shared, &component).await?;
            (component, description)
        }
    };
    let manifest = Manifest::parse(&description)?;
    let imports = Imports::of(&shared.engine, &component);
    let mut warnings = manifest.warnings();
    warnings.extend(imports.prove(&manifest)?);
    if !is_cached && let Some(cache) = &shared.cache {
        cache.put(&digest, &component, &description);
    }
    Plugin::new(shared, component, manifest, digest, imports, warnings)
}

/// The digest of a component and what is cached of it; off this thread, so that several are looked up at once.
async fn look_up(
    shared: &Arc<Shared>,
    bytes: Vec<u8>,
) -> Result<(Vec<u8>, String, Option<Cached>), LoadError> {
    let shared = shared.clone();
    let looking = tokio::task::spawn_blocking(move || {
        let digest = hex(&Sha256::digest(&bytes));
        let cache = shared.cache.as_ref();
        let cached = cache.and_then(|cache| cache.get(&shared.engine, &digest));
        (bytes, digest, cached)
    });
    looking.await.map_err(|panic| LoadError::NotAComponent {
        problem: format!("the cache failed: {panic}"),
    })
}

/// Compiles off the threads that serve, one component at a time.
async fn compile(shared: &Arc<Shared>, bytes: Vec<u8>) -> Result<Component, LoadError> {
    let _permit = shared
        .compiling
        .acquire()
        .await
        .expect("the semaphore is never closed");
    let engine = shared.engine.clone();
    let compiled = tokio::task::spawn_blocking(move || Component::new(&engine, &bytes)).await;
    match compiled {
        Ok(Ok(component)) => Ok(component),
        Ok(Err(error)) => Err(LoadError::NotAComponent {
            problem: first_line(&error),
        }),
        Err(panic) => Err(LoadError::NotAComponent {
            problem: format!("the compiler failed: {panic}"),
        }),
    }
}

/// The outermost message of an error and its cause, without the engine's stack of contexts.
pub(crate) fn first_line(error: &wasmtime::Error) -> String {
    let (outer, root) = (error.to_string(), error.root_cause().to_string());
    let outer = outer.lines().next().unwrap_or_default();
    let root = root.lines().next().unwrap_or_default();
    if outer == root {
        root.to_owned()
    } else {
        format!("{outer}: {root}")
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why a component did not become a plugin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("`{}` can't be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Longer than this runtime reads.
    #[error("the component is larger than the limit `component_bytes` of {limit}")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// No WebAssembly, or none that is a component.
    #[error(
        "this is no WebAssembly component: {problem}; build tools for the target `wasm32-wasip2`"
    )]
    NotAComponent {
        /// The engine's words.
        problem: String,
    },
    /// A component of another kind.
    #[error("the component exports no `forge:tool/tool`: build it against `wit/forge-tool.wit`")]
    NotATool,
    /// A tool for another time.
    #[error("the component is made for `{found}`; this host runs {known}")]
    Version {
        /// The export's full name.
        found: String,
        /// The versions that this host has.
        known: &'static str,
    },
    /// It needs what this host has not.
    #[error(
        "the component imports {}, which this host does not offer",
        list(imports)
    )]
    UnknownImports {
        /// The imports.
        imports: Vec<String>,
    },
    /// It did not describe itself.
    #[error("the component did not describe itself: {0}")]
    NoDescription(#[from] NoDescription),
    /// It described itself badly.
    #[error(transparent)]
    BadManifest(#[from] BadManifest),
    /// It imports powers that no operation declares.
    #[error("tool `{tool}` is refused: {}", undeclared.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Undeclared {
        /// The tool.
        tool: String,
        /// Each power, with the declaration that is missing.
        undeclared: Vec<UndeclaredPower>,
    },
    /// It can't be linked, for instance because it was made against an altered contract.
    #[error("the component does not fit this host: {problem}")]
    Link {
        /// The engine's words.
        problem: String,
    },
}

/// A power that a component imports without declaring it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it imports `{import}`, but none of its operations declares `{requirement}` under `requires`"
)]
pub struct UndeclaredPower {
    /// The import.
    pub import: String,
    /// The field that would declare it.
    pub requirement: &'static str,
}

fn list(imports: &[String]) -> String {
    imports
        .iter()
        .map(|import| format!("`{import}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
