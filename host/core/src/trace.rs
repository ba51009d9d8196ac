//! The record of a run, and the port that keeps it. Not here: the file.

use std::collections::BTreeSet;

use forge_contract::label::Label;
use forge_contract::report::CallReport;
use serde::{Deserialize, Serialize};

/// Keeps records. Must not fail: a trace that can't be written never breaks a turn.
pub trait TraceSink: Send + Sync {
    /// Keeps one record.
    fn record(&self, run: &RunRecord);
}

/// One run, from the user's words to the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run's id.
    pub run_id: String,
    /// When it began: RFC 3339 with offset.
    pub timestamp: String,
    /// The beginning of what the user said, at most [`PREVIEW_CHARS`] characters.
    pub user_input_preview: String,
    /// The kind of provider.
    pub provider: String,
    /// The model's name, where its server tells it.
    pub model: Option<String>,
    /// The steps, in order.
    pub steps: Vec<StepRecord>,
    /// Where what was in the run at its end came from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<Label>,
    /// The tool whose answer was given; `none` when there was no decision.
    pub final_tool: String,
    /// Whether the run ended as it should.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// From the user's words to the answer, in milliseconds.
    pub total_ms: u64,
    /// What the model cost over all steps.
    pub llm: LlmRecord,
}

impl RunRecord {
    /// The run without anything that was said, read or done in it: which tools, how they ended, and what it cost.
    #[must_use]
    pub fn outline(mut self) -> Self {
        self.user_input_preview.clear();
        self.error = self.error.map(|_| "failed".to_owned());
        self.steps = self.steps.into_iter().map(StepRecord::outline).collect();
        self
    }
}

impl StepRecord {
    fn outline(self) -> Self {
        Self {
            router_content_preview: None,
            verdict: None,
            tool_error: self.tool_error.map(|_| "failed".to_owned()),
            call: self.call.map(|call| CallRecord {
                effects: Vec::new(),
                effects_omitted: 0,
                sub_steps: Vec::new(),
                calls: Vec::new(),
                log: Vec::new(),
                ..call
            }),
            ..self
        }
    }
}

/// The longest preview of a text in a record, in characters.
pub const PREVIEW_CHARS: usize = 120;

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Counted from 1.
    pub step: u32,
    /// The tool that the model chose, if it did.
    pub router_tool: Option<String>,
    /// The operation of it.
    pub operation: Option<String>,
    /// The beginning of the input.
    pub router_content_preview: Option<String>,
    /// What policy said: `allow`, or the reason of the refusal.
    pub verdict: Option<String>,
    /// Whether the tool answered; absent when a guard or policy kept it from running.
    pub tool_ok: Option<bool>,
    /// Why the tool was not run or did not answer.
    pub tool_error: Option<String>,
    /// Why the model's text is no answer, in one word; absent when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// What the call left behind, without its content; absent when no tool was run.
    pub call: Option<CallRecord>,
    /// What the decision cost.
    pub llm: LlmRecord,
    /// Time of the step, in milliseconds.
    pub duration_ms: u64,
}

/// A call's report, without what the tool answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// `done`, `failed`, `stopped` or `denied`.
    pub outcome: String,
    /// What crossed the sandbox's border.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<forge_contract::effect::Effect>,
    /// How many openings and listings were counted but not kept.
    #[serde(default)]
    pub effects_omitted: u64,
    /// Where what the tool brought came from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub labels: BTreeSet<Label>,
    /// Sub-steps that the tool named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_steps: Vec<String>,
    /// Calls of other capabilities that the tool asked for, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<NestedRecord>,
    /// Lines that the tool logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<forge_contract::report::LogLine>,
    /// Time in the sandbox, in microseconds.
    pub duration_us: u64,
}

/// A call that a tool asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NestedRecord {
    /// The beginning of the capability's name, as the tool gave it.
    pub capability: String,
    /// The beginning of the operation's name, as the tool gave it.
    pub operation: String,
    /// The beginning of the input.
    pub input_preview: String,
    /// What policy said; absent when it was not asked.
    pub verdict: Option<String>,
    /// Why it was not made or brought no answer.
    pub error: Option<String>,
    /// What it left behind, without its content; absent when no tool was run.
    pub call: Option<CallRecord>,
}

/// What model calls cost. Sums leave out what the server did not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LlmRecord {
    /// Calls that brought a completion.
    pub llm_calls: u32,
    /// Time spent in them, in milliseconds.
    pub llm_ms: u64,
    /// Tokens of the prompts, those from the cache included.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the prompts that came from the server's cache.
    pub cached_tokens: Option<u64>,
    /// Tokens produced.
    pub completion_tokens: Option<u64>,
}

impl CallRecord {
    /// The record of a call that left `report` behind and asked for `calls`.
    #[must_use]
    pub fn new(report: &CallReport, calls: Vec<NestedRecord>) -> Self {
        Self {
            calls,
            outcome: report.outcome.kind().to_owned(),
            effects: report.effects.clone(),
            effects_omitted: report.effects_omitted,
            labels: report.labels.clone(),
            sub_steps: report.steps.clone(),
            log: report.log.clone(),
            duration_us: report.duration_us,
        }
    }
}
