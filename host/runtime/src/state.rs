//! What one call holds on the host's side, and the store around it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forge_contract::name::Name;
use forge_contract::requirements::Requirements;
use wasmtime::component::ResourceTable;
use wasmtime::{Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::call::OnProgress;
use crate::ending::{Deadline, Ending};
use crate::engine::TICK;
use crate::filesystem::scope::Scope;
use crate::limiter::Limiter;
use crate::powers::refused::Refusals;
use crate::recorder::Recorder;
use crate::runtime::Shared;
use crate::settings::Limits;
use crate::stderr::Stderr;

/// The host's side of one call.
pub(crate) struct State {
    pub(crate) wasi: WasiCtx,
    pub(crate) table: ResourceTable,
    pub(crate) limiter: Limiter,
    pub(crate) limits: Limits,
    pub(crate) recorder: Recorder,
    pub(crate) scope: Scope,
    pub(crate) refusals: Refusals,
    pub(crate) stderr: Stderr,
    pub(crate) settings: String,
    pub(crate) on_progress: Option<OnProgress>,
    /// Bytes of the pieces that were shown while the tool ran.
    pub(crate) delta_bytes: usize,
}

impl State {
    /// The state of a call that may do nothing.
    pub(crate) fn sealed(mut wasi: WasiCtxBuilder, limits: Limits) -> Self {
        let stderr = Stderr::default();
        Self {
            wasi: wasi.stderr(stderr.clone()).build(),
            table: ResourceTable::new(),
            limiter: Limiter::new(limits),
            limits,
            recorder: Recorder::new(limits),
            scope: Scope::nowhere(),
            refusals: Refusals::sealed(),
            stderr,
            settings: "{}".to_owned(),
            on_progress: None,
            delta_bytes: 0,
        }
    }

    /// The state of a call of `operation`, which declares `declared`.
    pub(crate) fn of_call(
        wasi: WasiCtxBuilder,
        limits: Limits,
        operation: &Name,
        declared: &Requirements,
    ) -> Self {
        let refusals = Refusals::of(operation, declared);
        Self {
            refusals,
            ..Self::sealed(wasi, limits)
        }
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// A store with its limits, for one call.
pub(crate) struct Sandbox<'a> {
    shared: &'a Arc<Shared>,
    store: Store<State>,
    deadline: Duration,
    started: Instant,
}

impl<'a> Sandbox<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, state: State) -> Self {
        let deadline = Duration::from_millis(state.limits.deadline_ms);
        let started = Instant::now();
        let mut store = Store::new(&shared.engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(store.data().limits.transfer_bytes);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            if started.elapsed() >= deadline {
                return Err(Deadline.into());
            }
            // A busy guest gives way at each tick, so that it never starves the others.
            Ok(UpdateDeadline::Yield(1))
        });
        Self {
            shared,
            store,
            deadline,
            started,
        }
    }

    /// Waits for a slot, runs `body` in it and stops it at its limits. `body` gets the store.
    pub(crate) async fn run<T>(
        self,
        body: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Ending> {
        self.run_with_state(body).await.0
    }

    /// [`Sandbox::run`], which also hands back what the call left behind.
    pub(crate) async fn run_with_state<T>(
        mut self,
        body: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> (Result<T, Ending>, State) {
        let limits = self.store.data().limits;
        // Beside the epochs, for a guest that waits in a host call: two ticks later, so that the epochs'
        // own end comes first for one that computes.
        let patience = (self.deadline + 2 * TICK).saturating_sub(self.started.elapsed());
        let result = tokio::time::timeout(patience, async {
            let _slot = self.shared.slots.acquire().await;
            let _live = self.shared.ticker.live();
            body(&mut self.store).await
        })
        .await;
        let result = result.unwrap_or_else(|_elapsed| Err(Deadline.into()));
        let state = self.store.into_data();
        let ended = result.map_err(|error| Ending::of(&error, &state.stderr, limits));
        (ended, state)
    }
}
