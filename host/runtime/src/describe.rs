//! The sealed call to `describe`: no power, a fixed clock, fixed randomness, little time.

use std::sync::Arc;
use std::time::Instant;

use wasmtime::component::Component;
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtxBuilder};

use crate::bindings::PluginFullPre;
use crate::ending::Ending;
use crate::linker::PowerSet;
use crate::load::{LoadError, first_line};
use crate::runtime::Shared;
use crate::state::{Sandbox, State, empty_wasi};

/// The component's own description, as text.
pub(crate) async fn sealed(
    shared: &Arc<Shared>,
    component: &Component,
) -> Result<String, LoadError> {
    let linker = shared.linkers.for_powers(PowerSet::EMPTY);
    let pre = linker
        .instantiate_pre(component)
        .and_then(PluginFullPre::new)
        .map_err(|error| LoadError::Link {
            problem: first_line(&error),
        })?;
    let limits = shared.settings.limits.sealed();
    let sandbox = Sandbox::new(shared, State::new(sealed_wasi(), limits, Instant::now()));
    let (described, _) = sandbox
        .run(async |mut store| {
            let instance = pre.instantiate_async(&mut store).await?;
            instance.forge_tool_tool().call_describe(&mut store).await
        })
        .await;
    match described {
        Ok(description) => Ok(description),
        Err(Ending { stop }) => Err(NoDescription {
            problem: stop.to_string(),
        }
        .into()),
    }
}

/// Why a component did not describe itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct NoDescription {
    problem: String,
}

/// WASI that answers the same on every machine and every day.
fn sealed_wasi() -> WasiCtxBuilder {
    let mut wasi = empty_wasi();
    wasi.wall_clock(Stopped)
        .monotonic_clock(Stopped)
        .secure_random(Deterministic::new(vec![0]))
        .insecure_random(Deterministic::new(vec![0]))
        .insecure_random_seed(0);
    wasi
}

/// A clock that shows the beginning of 1970 for ever.
struct Stopped;

impl HostWallClock for Stopped {
    fn resolution(&self) -> std::time::Duration {
        std::time::Duration::from_secs(1)
    }

    fn now(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

impl HostMonotonicClock for Stopped {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}
