//! The port to the tools. Not here: how a tool is run, and whether it may.

use std::collections::BTreeSet;

use async_trait::async_trait;
use forge_contract::grant::Grant;
use forge_contract::label::Label;
use forge_contract::name::Name;
use forge_contract::nested::{NestedAnswer, NestedCall};
use forge_contract::report::{CallReport, Progress};
use serde_json::Value;

/// Runs operations of capabilities.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Runs one call with `grant` and nothing more. Whatever happens is an outcome of the report.
    async fn run(&self, call: &Call, grant: &Grant, caller: &dyn Caller) -> CallReport;
}

/// Who made a call, as the tool reaches them while it runs.
#[async_trait]
pub trait Caller: Send + Sync {
    /// Hears of a sub-step or a piece of the answer. Must not wait.
    fn hear(&self, progress: Progress);

    /// Makes a call that the tool asks for, if it may be made.
    async fn invoke(&self, call: NestedCall) -> NestedAnswer;
}

/// One call of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The capability.
    pub capability: Name,
    /// One of its operations.
    pub operation: Name,
    /// The input, valid under the operation's schema.
    pub input: Value,
    /// Where what is in its run came from.
    pub labels: BTreeSet<Label>,
    /// How many tools stand between it and the model, at most [`DEEPEST`](forge_contract::nested::DEEPEST).
    pub depth: u32,
}
