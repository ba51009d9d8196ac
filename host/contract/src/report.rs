//! What one call left behind: its outcome with everything that was seen on the way.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::effect::Effect;
use crate::label::Label;
use crate::outcome::Outcome;

/// What one call left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallReport {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What crossed the sandbox's border, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Openings and listings past the limit that were counted but not kept. A change is never left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub effects_omitted: u64,
    /// Where what the tool brought came from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<Label>,
    /// Lines that the tool logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
    /// Lines past the limit that were counted but not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub log_omitted: u64,
    /// Sub-steps that the tool named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// From the call to its end, in microseconds.
    pub duration_us: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One line that a tool logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// How important it is.
    pub level: LogLevel,
    /// What it says.
    pub message: String,
}

/// How important a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For the tool's author.
    Debug,
    /// For whoever looks.
    Info,
    /// Something is odd.
    Warn,
    /// Something failed.
    Error,
}

/// News from a running tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A named sub-step has begun.
    Step(String),
    /// A piece of the answer.
    Delta(String),
}

impl LogLevel {
    /// The level as it stands in `wit/`; one that is not known there is `info`.
    #[must_use]
    pub fn parse(level: &str) -> Self {
        match level {
            "debug" => Self::Debug,
            "warn" => Self::Warn,
            "error" => Self::Error,
            _ => Self::Info,
        }
    }
}

impl CallReport {
    /// The report of a call whose tool never ran.
    #[must_use]
    pub fn not_run(outcome: Outcome) -> Self {
        Self {
            outcome,
            effects: Vec::new(),
            effects_omitted: 0,
            labels: BTreeSet::new(),
            log: Vec::new(),
            log_omitted: 0,
            steps: Vec::new(),
            duration_us: 0,
        }
    }
}
