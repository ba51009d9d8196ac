//! What one call holds on the host's side, and the store around it.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::component::ResourceTable;
use wasmtime::{Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::call::OnProgress;
use crate::ending::{Deadline, Ending};
use crate::engine::TICK;
use crate::filesystem::scope::Scope;
use crate::limiter::Limiter;
use crate::patience::Patience;
use crate::plugin::Prepared;
use crate::powers::capabilities::Calls;
use crate::powers::conversation::Keeping;
use crate::powers::http::Web;
use crate::powers::wasi_http::WasiHttp;
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
    /// The network, where the call may use it.
    pub(crate) web: Option<Arc<Web>>,
    pub(crate) wasi_http: WasiHttp,
    /// Other capabilities, where the call may use any.
    pub(crate) calls: Option<Calls>,
    /// How many calls of tools it is part of.
    pub(crate) depth: u32,
    pub(crate) patience: Arc<Patience>,
    /// What is called; `None` is the sealed call to `describe`.
    pub(crate) operation: Option<Arc<Prepared>>,
    pub(crate) stderr: Stderr,
    /// The plugin's own settings, a JSON object, where there are any.
    pub(crate) settings: Option<String>,
    pub(crate) on_progress: Option<OnProgress>,
    /// What the tool keeps in the conversation that the call belongs to.
    pub(crate) keeping: Option<Arc<dyn Keeping>>,
    /// Bytes of the pieces that were shown while the tool ran.
    pub(crate) delta_bytes: usize,
}

impl State {
    /// The state of a call that began at `started` and may do nothing.
    pub(crate) fn new(mut wasi: WasiCtxBuilder, limits: Limits, started: Instant) -> Self {
        let stderr = Stderr::default();
        let deadline = Duration::from_millis(limits.deadline_ms);
        Self {
            wasi: wasi.stderr(stderr.clone()).build(),
            table: ResourceTable::new(),
            limiter: Limiter::new(limits),
            limits,
            recorder: Recorder::new(limits),
            scope: Scope::nowhere(),
            web: None,
            wasi_http: WasiHttp::default(),
            calls: None,
            depth: 0,
            patience: Arc::new(Patience::new(started, deadline)),
            operation: None,
            stderr,
            settings: None,
            on_progress: None,
            keeping: None,
            delta_bytes: 0,
        }
    }
}

/// WASI with nothing in it: no folder, no variable, no argument, no socket.
pub(crate) fn empty_wasi() -> WasiCtxBuilder {
    let mut wasi = WasiCtx::builder();
    // Files are read in place: a hop to another thread would cost more than the read.
    wasi.allow_tcp(false)
        .allow_udp(false)
        .allow_blocking_current_thread(true);
    wasi
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
}

impl<'a> Sandbox<'a> {
    /// A sandbox around `state`.
    pub(crate) fn new(shared: &'a Arc<Shared>, state: State) -> Self {
        let mut store = Store::new(&shared.engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(store.data().limits.transfer_bytes);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|context| {
            if context.data().patience.is_over() {
                return Err(Deadline.into());
            }
            // A busy guest gives way at each tick, so that it never starves the others.
            Ok(UpdateDeadline::Yield(1))
        });
        Self { shared, store }
    }

    /// Waits for a slot, runs `body` in it and stops it at its limits. `body` gets the store. The notes
    /// of what it did are there however it ended.
    pub(crate) async fn run<T>(
        mut self,
        body: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
    ) -> (Result<T, Ending>, Recorder) {
        let mut slot = None;
        let (depth, patience) = {
            let state = self.store.data();
            (state.depth, state.patience.clone())
        };
        let running = async {
            slot = Some(self.shared.slots.acquire(depth).await);
            let _live = self.shared.ticker.live();
            body(&mut self.store).await
        };
        let result = tokio::select! {
            biased;
            result = running => result,
            // Beside the epochs, for a guest that waits in a host call: two ticks later, so that the epochs' own end
            // comes first for one that computes.
            () = patience.over(2 * TICK) => Err(Deadline.into()),
        };
        let state = self.store.data_mut();
        let limits = state.limits;
        let recorder = mem::replace(&mut state.recorder, Recorder::new(limits));
        let ended = result.map_err(|error| Ending::of(&error, &state.stderr, limits));
        // The instance goes first: until then the slot is not free.
        drop(self.store);
        drop(slot);
        (ended, recorder)
    }
}
