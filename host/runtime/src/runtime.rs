//! The runtime: one engine, its cache and the queue in front of it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Engine;

use crate::cache::Cache;
use crate::engine::{self, Ticker};
use crate::http::Network;
use crate::linker::Linkers;
use crate::load::{self, LoadError};
use crate::plugin::Plugin;
use crate::settings::Settings;
use crate::slots::Slots;

/// Loads components and runs their operations. Cheap to clone; needs a Tokio runtime around it.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) shared: Arc<Shared>,
}

/// What all plugins of one runtime share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) ticker: Ticker,
    pub(crate) linkers: Linkers,
    pub(crate) cache: Option<Cache>,
    pub(crate) network: Arc<Network>,
    pub(crate) slots: Slots,
    /// One compilation at a time: each uses every core, and hundreds of megabytes for a large guest.
    pub(crate) compiling: Semaphore,
}

impl Runtime {
    /// Makes a runtime.
    ///
    /// # Errors
    /// When the engine or its clock can't be started on this machine.
    pub fn new(settings: Settings) -> Result<Self, StartError> {
        let engine = engine::build(&settings).map_err(|error| StartError::Engine {
            problem: format!("{error:#}"),
        })?;
        let ticker = Ticker::start(&engine).map_err(StartError::Thread)?;
        let cache = settings
            .cache_dir
            .as_deref()
            .and_then(|folder| Cache::open(folder, &engine));
        let shared = Shared {
            slots: Slots::new(settings.live_calls),
            compiling: Semaphore::new(1),
            linkers: Linkers::new(&engine),
            network: Arc::new(Network::new(settings.network.clone())),
            settings,
            engine,
            ticker,
            cache,
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The engine, for an embedder that runs other components beside tools. Stores on it need an epoch
    /// deadline.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    /// Makes a plugin of a component: compiles it or takes its compiled code from the cache, asks it
    /// to describe itself without any power, and proves what it imports.
    ///
    /// # Errors
    /// When the bytes are no component of a known contract, or it declares less than it imports.
    pub async fn load(&self, bytes: Vec<u8>) -> Result<Plugin, LoadError> {
        load::load(&self.shared, bytes).await
    }

    /// [`Runtime::load`] for a file, which is read once.
    ///
    /// # Errors
    /// As [`Runtime::load`], and when the file can't be read.
    pub async fn load_file(&self, path: &Path) -> Result<Plugin, LoadError> {
        let limit = self.shared.settings.component_bytes;
        let path = path.to_owned();
        let read = tokio::task::spawn_blocking(move || read_component(path, limit)).await;
        let bytes = read.expect("reading a file does not panic")?;
        self.load(bytes).await
    }
}

/// The bytes of the file at `path`, if there are not too many.
fn read_component(path: PathBuf, limit: usize) -> Result<Vec<u8>, LoadError> {
    let read = || {
        let mut bytes = Vec::new();
        // One more than the limit, so that a file that is too long is seen to be.
        std::fs::File::open(&path)?
            .take(limit as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|source| LoadError::Unreadable {
        path: path.clone(),
        source,
    })
}

/// Why a runtime can't be made.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The engine refused its configuration.
    #[error("the WebAssembly engine can't start on this machine: {problem}")]
    Engine {
        /// The engine's words.
        problem: String,
    },
    /// No thread for the clock.
    #[error("the runtime's clock can't be started")]
    Thread(#[source] std::io::Error),
}
