//! The engine and its clock. Not here: stores and linkers.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::{
    Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig,
};

use crate::settings::Settings;
use crate::slots::Slots;

/// How often a guest is made to yield and its deadline is looked at.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// The engine. Instances come from a pool where the address space allows it, else one by one.
pub(crate) fn build(settings: &Settings) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        // Deadlines by wall clock; counting instructions would slow every guest.
        .epoch_interruption(true)
        // Only components with asynchronous exports need it, and each instance would pay for it.
        .concurrency_support(false)
        .async_stack_zeroing(true)
        .memory_init_cow(true);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(settings)));
    Engine::new(&config).or_else(|error| {
        tracing::warn!(%error, "no address space for a pool of instances: calls will be slower");
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
        Engine::new(&config)
    })
}

/// The pool that was measured to be fastest: see `MEASUREMENTS.md`.
fn pool(settings: &Settings) -> PoolingAllocationConfig {
    let slots = Slots::all(settings.live_calls);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        // A component of Rust's standard library is three core instances, others are more.
        .total_core_instances(slots * 8)
        .total_memories(slots * 2)
        .total_tables(slots * 4)
        .total_stacks(slots)
        // A ceiling for each slot; a call's own limit is below it.
        .max_memory_size(settings.limits.memory_bytes.max(256 << 20))
        // Reset by copying, not by giving pages back: the next call has no page faults.
        .linear_memory_keep_resident(512 << 10)
        .table_keep_resident(64 << 10)
        .async_stack_keep_resident(16 << 10)
        .max_unused_warm_slots(slots)
        // On a kernel that can tell dirty pages (Linux 6.7), only those are reset.
        .pagemap_scan(Enabled::Auto);
    pool
}

/// Advances the engine's epoch while calls are live, and rests while none are.
pub(crate) struct Ticker {
    live: Arc<AtomicU32>,
    thread: Thread,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let live = Arc::new(AtomicU32::new(0));
        // Weak handles: the ticker must not keep a dropped runtime alive.
        let (engine, counter) = (engine.weak(), Arc::downgrade(&live));
        let handle = thread::Builder::new()
            .name("forge-ticker".into())
            .spawn(move || tick(&engine, &counter))?;
        Ok(Self {
            live,
            thread: handle.thread().clone(),
        })
    }

    /// Counts a live call until the guard is dropped.
    pub(crate) fn live(&self) -> Live<'_> {
        if self.live.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Live { ticker: self }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // The count goes first: the thread ends when it wakes and finds none.
        self.live = Arc::default();
        self.thread.unpark();
    }
}

/// Advances the epoch until the engine or the count of live calls is gone.
fn tick(engine: &EngineWeak, counter: &Weak<AtomicU32>) {
    while let Some(live) = counter.upgrade() {
        if live.load(Ordering::Acquire) == 0 {
            drop(live);
            thread::park();
            continue;
        }
        drop(live);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
        thread::sleep(TICK);
    }
}

/// A live call, as the ticker counts them.
pub(crate) struct Live<'a> {
    ticker: &'a Ticker,
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        self.ticker.live.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tickers_thread_ends_with_it() {
        let engine = Engine::default();
        let live = Arc::new(AtomicU32::new(0));
        let (weak, counter) = (engine.weak(), Arc::downgrade(&live));
        let handle = thread::spawn(move || tick(&weak, &counter));
        let thread = handle.thread().clone();
        let ticker = Ticker { live, thread };
        drop(ticker.live());
        drop(ticker);
        // A thread that went on would never be joined.
        assert!(handle.join().is_ok());
    }
}
