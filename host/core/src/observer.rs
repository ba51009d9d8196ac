//! The port to whoever watches a turn while it runs: a terminal, a stream of events.

use forge_contract::outcome::Outcome;
use serde_json::Value;

/// Watches a turn. Must not fail and must not wait.
pub trait Observer: Send + Sync {
    /// Takes one event.
    fn observe(&self, event: Event<'_>);
}

/// What happens in a turn, in order. Steps count from 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The model began to decide.
    Deciding {
        /// Which step.
        step: u32,
    },
    /// It is known which tool was chosen; for a text capability its answer may still be coming.
    Chosen {
        /// Which step.
        step: u32,
        /// The capability.
        tool: &'a str,
    },
    /// A piece of the answer, as it decodes or as the tool sends it.
    Delta {
        /// The piece.
        text: &'a str,
    },
    /// The decision is complete, and the tool will be run unless a guard or policy says no.
    Decided {
        /// Which step.
        step: u32,
        /// The capability.
        tool: &'a str,
        /// Its operation.
        operation: &'a str,
        /// The input as JSON, or the text of a text capability.
        input: &'a str,
        /// Whether the model wants no further step.
        done: bool,
    },
    /// A call waits for a person's yes.
    Asking {
        /// Under which it is answered.
        id: &'a str,
        /// The call: `files.write`.
        call: &'a str,
        /// Its whole input.
        input: &'a Value,
        /// What it would change in a file, where that can be told.
        diff: Option<&'a str>,
        /// Why it is asked.
        reasons: &'a [String],
        /// Whether a yes for ever is possible.
        may_be_always: bool,
    },
    /// A running tool named a sub-step.
    SubStep {
        /// Which step.
        step: u32,
        /// The sub-step.
        name: &'a str,
    },
    /// A step is over.
    Finished {
        /// Which step.
        step: u32,
        /// The capability.
        tool: &'a str,
        /// How it ended.
        outcome: &'a Outcome,
        /// Time since the step began, in milliseconds.
        duration_ms: u64,
    },
    /// What was streamed as the answer is no answer; this stands in its place.
    Retract {
        /// The replacement.
        replacement: &'a str,
    },
}
