//! Why a guest ended before it answered, read from the engine's error.

use forge_contract::outcome::Stop;
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use crate::limiter::LimitReached;
use crate::settings::Limits;
use crate::stderr::Stderr;

/// A guest that ended before it answered.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) stop: Stop,
}

/// The call's time is over.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the deadline has passed")]
pub(crate) struct Deadline;

impl Ending {
    pub(crate) fn of(error: &wasmtime::Error, stderr: &Stderr, limits: Limits) -> Self {
        if error.is::<Deadline>() {
            return Self {
                stop: Stop::Deadline {
                    limit_ms: limits.deadline_ms,
                },
            };
        }
        if let Some(reached) = error.downcast_ref::<LimitReached>() {
            return Self {
                stop: Stop::Limit {
                    limit: reached.limit.to_owned(),
                    value: reached.value,
                },
            };
        }
        if is_out_of_transfer(error) {
            return Self {
                stop: Stop::Limit {
                    limit: "transfer_bytes".to_owned(),
                    value: limits.transfer_bytes as u64,
                },
            };
        }
        let what = match (
            error.downcast_ref::<Trap>(),
            error.downcast_ref::<I32Exit>(),
        ) {
            (Some(trap), _) => trap.to_string(),
            (None, Some(exit)) => format!("it called exit with {}", exit.0),
            (None, None) => error
                .root_cause()
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let message = match stderr.last_words() {
            Some(words) => format!("{words} ({what})"),
            None => what,
        };
        Self {
            stop: Stop::Trap { message },
        }
    }
}

/// Whether more was handed over in one call than the store lets. The engine keeps the error's type to
/// itself, so its words are what it is known by; the pinned version and a test hold them.
fn is_out_of_transfer(error: &wasmtime::Error) -> bool {
    error
        .root_cause()
        .to_string()
        .starts_with("too much data is being copied")
}
