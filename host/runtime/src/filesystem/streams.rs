//! Streams over a file: one that reads in place, one that counts what is written.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};
use wasmtime_wasi::p2::{
    DynOutputStream, InputStream, OutputStream, Pollable, StreamError, StreamResult,
};

/// The most that is read at once, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Reads a file from an offset on, on the calling thread. WASI's own stream starts a task for each
/// reading, which costs more than the reading itself.
pub(super) struct FileReader {
    file: Arc<File>,
    offset: u64,
    bytes: Arc<AtomicU64>,
}

impl FileReader {
    pub(super) fn new(file: Arc<File>, offset: u64, bytes: Arc<AtomicU64>) -> Self {
        Self {
            file,
            offset,
            bytes,
        }
    }
}

impl InputStream for FileReader {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let mut buffer = Vec::with_capacity(size.min(CHUNK_BYTES));
        loop {
            match pread(&self.file, spare_capacity(&mut buffer), self.offset) {
                Ok(0) => return Err(StreamError::Closed),
                Ok(length) => {
                    self.offset += length as u64;
                    self.bytes.fetch_add(length as u64, Ordering::Relaxed);
                    return Ok(buffer.into());
                }
                Err(Errno::INTR) => {}
                Err(error) => {
                    let error = std::io::Error::from(error);
                    return Err(StreamError::LastOperationFailed(error.into()));
                }
            }
        }
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for FileReader {
    async fn ready(&mut self) {}
}

/// Hands on to WASI's own stream and counts the bytes.
pub(super) struct CountingWriter {
    inner: DynOutputStream,
    bytes: Arc<AtomicU64>,
}

impl CountingWriter {
    pub(super) fn new(inner: DynOutputStream, bytes: Arc<AtomicU64>) -> Self {
        Self { inner, bytes }
    }
}

#[wasmtime_wasi::async_trait]
impl OutputStream for CountingWriter {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.inner.flush()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.inner.check_write()
    }

    async fn cancel(&mut self) {
        self.inner.cancel().await;
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for CountingWriter {
    async fn ready(&mut self) {
        self.inner.ready().await;
    }
}
