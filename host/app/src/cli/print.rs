//! What a command prints. Not here: answers of the model; those are streamed (`screen`).

use std::io::{self, Write};

use super::error::CliError;

/// Prints `text` on standard output. Whoever reads it may stop early: a closed pipe is no failure.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    unless_closed(io::stdout().lock().write_all(text.as_bytes())).map_err(CliError::Output)
}

/// `result`, in which a closed pipe is no failure.
pub(super) fn unless_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
