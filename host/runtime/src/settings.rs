//! What an embedder may set. Not here: where a setting comes from.

use std::path::PathBuf;

use crate::http::NetworkSettings;

/// How a [`Runtime`](crate::Runtime) is made.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder for compiled code; `None` compiles at each start. It is created for its owner only;
    /// one that others may write is not used, because what lies in it runs as the host.
    pub cache_dir: Option<PathBuf>,
    /// The limits of each call.
    pub limits: Limits,
    /// Calls that may be live at once, over all plugins; more wait.
    pub live_calls: u32,
    /// The largest component that is read, in bytes.
    pub component_bytes: usize,
    /// How guests reach the network, where a grant lets them.
    pub network: NetworkSettings,
}

/// The limits of one call. Reaching one ends the call with an outcome that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Linear memory over all of the component's memories, in bytes.
    pub memory_bytes: usize,
    /// Wall-clock time from the call to its end, waiting included, in milliseconds.
    pub deadline_ms: u64,
    /// Elements of all tables.
    pub table_elements: usize,
    /// Core instances, memories and tables, each.
    pub instances: usize,
    /// The answer: content, structured value and failure together, in bytes.
    pub output_bytes: usize,
    /// What is handed over in one call between host and guest, in bytes: it bounds the host's memory.
    pub transfer_bytes: usize,
    /// Lines of log and sub-steps that are kept, each; more are counted.
    pub log_lines: usize,
    /// Changes to files. Openings and listings past it are counted only.
    pub effects: usize,
    /// A file that `forge:tool/files` reads at once, in bytes.
    pub file_bytes: u64,
    /// Requests of one call.
    pub requests: usize,
    /// The body of one answer, as it comes and decompressed, each, in bytes. A longer one is an error that the guest
    /// is told.
    pub response_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cache_dir: None,
            limits: Limits::default(),
            live_calls: 128,
            component_bytes: 32 << 20,
            network: NetworkSettings::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 64 << 20,
            deadline_ms: 30_000,
            table_elements: 20_000,
            instances: 32,
            output_bytes: 4 << 20,
            transfer_bytes: 16 << 20,
            log_lines: 256,
            effects: 4096,
            file_bytes: 8 << 20,
            requests: 64,
            response_bytes: 8 << 20,
        }
    }
}

impl Limits {
    /// The limits of the sealed call to `describe`.
    pub(crate) fn sealed(self) -> Self {
        Self {
            deadline_ms: self.deadline_ms.min(2_000),
            ..self
        }
    }
}
