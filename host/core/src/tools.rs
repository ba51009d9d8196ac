//! The port to the tools. Not here: how a tool is run, and whether it may.

use std::collections::BTreeSet;

use async_trait::async_trait;
use forge_contract::grant::Grant;
use forge_contract::label::Label;
use forge_contract::name::Name;
use forge_contract::report::{CallReport, Progress};
use serde_json::Value;

/// Runs operations of capabilities.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Runs one call with `grant` and nothing more. Whatever happens is an outcome of the report.
    /// `on_progress` hears of sub-steps and pieces of the answer while the tool runs.
    async fn run(
        &self,
        call: &Call,
        grant: &Grant,
        on_progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> CallReport;
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
}
