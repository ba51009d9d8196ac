//! Limits on what a guest's instances may grow to.

use wasmtime::ResourceLimiter;

use crate::settings::Limits;

/// Counts what one call's instances hold and ends the call when it is too much.
#[derive(Debug)]
pub(crate) struct Limiter {
    limits: Limits,
    memory_bytes: usize,
    table_elements: usize,
}

/// The limit that a guest reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("limit `{limit}` of {value} is reached")]
pub(crate) struct LimitReached {
    pub(crate) limit: &'static str,
    pub(crate) value: u64,
}

impl Limiter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            memory_bytes: 0,
            table_elements: 0,
        }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let limit = ("memory_bytes", self.limits.memory_bytes);
        grow(
            &mut self.memory_bytes,
            desired.saturating_sub(current),
            limit,
        )
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let limit = ("table_elements", self.limits.table_elements);
        grow(
            &mut self.table_elements,
            desired.saturating_sub(current),
            limit,
        )
    }

    fn instances(&self) -> usize {
        self.limits.instances
    }

    fn tables(&self) -> usize {
        self.limits.instances
    }

    fn memories(&self) -> usize {
        self.limits.instances
    }
}

/// Adds `more` to what is held, up to the limit of this name and value. Past it there is an error rather
/// than a refusal to grow: a guest would turn the refusal into a crash without a reason.
fn grow(
    held: &mut usize,
    more: usize,
    (limit, value): (&'static str, usize),
) -> wasmtime::Result<bool> {
    let grown = held.saturating_add(more);
    if grown > value {
        let value = value as u64;
        return Err(LimitReached { limit, value }.into());
    }
    *held = grown;
    Ok(true)
}
