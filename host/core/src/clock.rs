//! The port to time, so that a turn can be replayed.

use std::time::Duration;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The local date and time with its offset, as RFC 3339: `2026-11-30T20:58:08+01:00`.
    fn timestamp(&self) -> String;

    /// Time since a fixed moment. Never goes back.
    fn elapsed(&self) -> Duration;
}
