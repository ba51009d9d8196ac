//! The file that keeps the record of each run: one line of JSON per run, appended.
//!
//! Not here: what a record holds; that is [`forge_core::trace`].

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use forge_core::trace::{RunRecord, TraceSink};

use crate::private;

/// Appends to a file that only its owner can read.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    open: Mutex<Option<OpenFile>>,
}

/// The file as it was left after the last record.
#[derive(Debug)]
struct OpenFile {
    file: File,
    /// Device and inode.
    identity: (u64, u64),
    /// How long it was then, if it ended with a whole line. Others may have written since.
    ended_at: Option<u64>,
}

/// Keeps nothing, for an operator who wants no traces.
#[derive(Debug, Clone, Copy)]
pub struct NoTrace;

impl TraceFile {
    /// The trace at `path`. The file and its folder are made when the first record is kept.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            open: Mutex::default(),
        }
    }

    /// The last `count` records, the newest first. Lines that are no records are passed over. Only
    /// the end of the file is read.
    ///
    /// # Errors
    /// When the file can't be read. A missing one has no records.
    pub fn last(&self, count: usize) -> io::Result<Vec<RunRecord>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let mut unread = file.metadata()?.len();
        let mut tail = Vec::new();
        let mut records = Vec::new();
        while unread > 0 && records.len() < count {
            let length = unread.min(READ_BYTES);
            unread -= length;
            file.seek(SeekFrom::Start(unread))?;
            let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
            file.read_exact(&mut bytes)?;
            bytes.append(&mut tail);
            // The first line may have begun before this piece, unless the file itself begins here.
            let whole_from = match bytes.iter().position(|byte| *byte == b'\n') {
                _ if unread == 0 => 0,
                Some(newline) => newline + 1,
                None => bytes.len(),
            };
            let whole_lines = bytes[whole_from..].split(|byte| *byte == b'\n').rev();
            records.extend(whole_lines.filter_map(|line| serde_json::from_slice(line).ok()));
            bytes.truncate(whole_from);
            tail = bytes;
        }
        records.truncate(count);
        Ok(records)
    }

    fn append(&self, run: &RunRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(run)?;
        line.push(b'\n');
        let mut kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever moved or removed the file gets a new one.
        let found = fs::metadata(&self.path).ok();
        let open = match (kept.take(), found) {
            (Some(open), Some(found)) if open.identity == identity(&found) => OpenFile {
                ended_at: open.ended_at.filter(|end| *end == found.len()),
                ..open
            },
            _ => self.open()?,
        };
        let ended_at = open.append(line)?;
        *kept = Some(OpenFile {
            ended_at: Some(ended_at),
            ..open
        });
        Ok(())
    }

    fn open(&self) -> io::Result<OpenFile> {
        if let Some(folder) = self.path.parent() {
            private::create_folder(folder)?;
        }
        let file = private::file()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)?;
        let identity = identity(&file.metadata()?);
        Ok(OpenFile {
            file,
            identity,
            ended_at: None,
        })
    }
}

impl OpenFile {
    /// Appends a line, and tells where it ends.
    fn append(&self, mut line: Vec<u8>) -> io::Result<u64> {
        let end = match self.ended_at {
            Some(end) => end,
            None => {
                let end = self.file.metadata()?.len();
                // A line that was cut off (a full disk, a crash) must not take the next one with it.
                if !ends_with_newline(&self.file, end)? {
                    line.insert(0, b'\n');
                }
                end
            }
        };
        // One write: records of several processes do not mix.
        (&self.file).write_all(&line)?;
        Ok(end + line.len() as u64)
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

const READ_BYTES: u64 = 64 * 1024;

impl TraceSink for TraceFile {
    fn record(&self, run: &RunRecord) {
        if let Err(error) = self.append(run) {
            tracing::warn!(
                trace.file = %self.path.display(),
                "the run was not traced: `{}` can't be written: {error}",
                self.path.display()
            );
        }
    }
}

impl TraceSink for NoTrace {
    fn record(&self, _run: &RunRecord) {}
}

fn ends_with_newline(file: &File, length: u64) -> io::Result<bool> {
    let Some(last_at) = length.checked_sub(1) else {
        return Ok(true);
    };
    let mut last = [0];
    file.read_exact_at(&mut last, last_at)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests;
