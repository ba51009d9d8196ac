//! Calls that a running tool asks for: what it asks, and what it gets. Not here: whether one may be made; that is the
//! core.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::label::Label;
use crate::outcome::Outcome;

/// How many tools may stand between a call and the model: 1 for a tool that a called tool calls.
pub const DEEPEST: u32 = 3;

/// A call that a running tool asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedCall {
    /// The capability, as the tool names it.
    pub capability: String,
    /// The operation, as the tool names it.
    pub operation: String,
    /// The input, not checked yet.
    pub input: Value,
    /// Where what the tool has seen so far came from.
    pub labels: BTreeSet<Label>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedAnswer {
    /// How it ended.
    pub outcome: Outcome,
    /// Where what it brought came from.
    pub labels: BTreeSet<Label>,
}

impl NestedAnswer {
    /// The answer to a call that was not made.
    #[must_use]
    pub fn not_made(outcome: Outcome) -> Self {
        Self {
            outcome,
            labels: BTreeSet::new(),
        }
    }
}
