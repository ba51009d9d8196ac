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
        let grown = self
            .memory_bytes
            .saturating_add(desired.saturating_sub(current));
        within(grown, "memory_bytes", self.limits.memory_bytes)?;
        self.memory_bytes = grown;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let grown = self
            .table_elements
            .saturating_add(desired.saturating_sub(current));
        within(grown, "table_elements", self.limits.table_elements)?;
        self.table_elements = grown;
        Ok(true)
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

/// An error rather than a refusal to grow: a guest would turn the refusal into a crash without a reason.
fn within(wanted: usize, limit: &'static str, value: usize) -> wasmtime::Result<()> {
    if wanted <= value {
        Ok(())
    } else {
        Err(LimitReached {
            limit,
            value: value as u64,
        }
        .into())
    }
}
