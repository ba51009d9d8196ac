//! A guest's standard error: the end of it is kept, for the message of a crash.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// How much of the end is kept, in bytes.
const KEPT_BYTES: usize = 4096;

/// The end of what a guest wrote to its standard error.
#[derive(Clone, Default)]
pub(crate) struct Stderr {
    kept: Arc<Mutex<Vec<u8>>>,
}

impl Stderr {
    /// What a person should read of it: the message of a Rust panic, or else the last line.
    pub(crate) fn last_words(&self) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines = || {
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty() && !line.starts_with("note: "))
        };
        let after_panic = lines()
            .skip_while(|line| !line.contains("panicked at"))
            .nth(1);
        let words = after_panic.or_else(|| lines().next_back())?;
        Some(
            words
                .chars()
                .filter(|c| !c.is_control())
                .take(300)
                .collect(),
        )
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT_BYTES)..]);
        let too_many = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..too_many);
    }
}

impl IsTerminal for Stderr {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stderr {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stderr {
    async fn ready(&mut self) {}
}

impl OutputStream for Stderr {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}
