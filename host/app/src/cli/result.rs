//! The one JSON object that `forge chat --json` prints.

use std::collections::BTreeSet;
use std::io::{self, Write};

use forge_contract::effect::Effect;
use forge_contract::label::Label;
use forge_core::trace::{LlmRecord, StepRecord};
use forge_core::turn::{NO_TOOL, TurnReport};
use serde::Serialize;

use super::error::CliError;
use super::print::unless_closed;

/// A turn for a program. Fields are added, never taken away.
#[derive(Debug, Serialize)]
struct ChatResult<'a> {
    run_id: Option<&'a str>,
    ok: bool,
    tool: &'a str,
    output: &'a str,
    error: Option<&'a str>,
    /// Under which the turn can be approved, if it ended for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'a str>,
    /// Whether `output` is an answer, and no replacement for one.
    storable: bool,
    provider: Option<&'a str>,
    model: Option<&'a str>,
    steps: Vec<Step<'a>>,
    usage: LlmRecord,
    total_ms: u64,
}

#[derive(Debug, Serialize)]
struct Step<'a> {
    step: u32,
    /// What the model chose.
    decision: Option<Decision<'a>>,
    /// `allow`, or the reason of the refusal; absent when policy was not asked.
    verdict: Option<&'a str>,
    /// `done`, `failed`, `stopped` or `denied`; absent when nothing was called.
    outcome: Option<&'a str>,
    error: Option<&'a str>,
    effects: &'a [Effect],
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a BTreeSet<Label>>,
    sub_steps: &'a [String],
    usage: &'a LlmRecord,
    duration_ms: u64,
}

#[derive(Debug, Serialize)]
struct Decision<'a> {
    tool: &'a str,
    operation: Option<&'a str>,
    content_preview: Option<&'a str>,
}

/// Prints the result of a turn.
///
/// # Errors
/// When standard output can't be written.
pub(super) fn print(report: &TurnReport) -> io::Result<()> {
    let record = &report.record;
    write(&ChatResult {
        run_id: Some(&record.run_id),
        ok: report.ok,
        tool: &report.tool,
        output: &report.output,
        error: report.error.as_deref(),
        approval: report.approval.as_ref().map(|needed| needed.id.as_str()),
        storable: report.storable,
        provider: Some(&record.provider),
        model: record.model.as_deref(),
        steps: record.steps.iter().map(step).collect(),
        usage: report.usage.clone(),
        total_ms: record.total_ms,
    })
}

/// Prints the result of a turn that never began. The error is told on standard error as well, so
/// that nothing is lost if standard output can't be written.
pub(super) fn print_failure(error: &CliError) {
    let text = error.text();
    let _ = write(&ChatResult {
        run_id: None,
        ok: false,
        tool: NO_TOOL,
        output: "",
        error: Some(&text),
        approval: None,
        storable: false,
        provider: None,
        model: None,
        steps: Vec::new(),
        usage: LlmRecord::default(),
        total_ms: 0,
    });
}

fn step(record: &StepRecord) -> Step<'_> {
    let call = record.call.as_ref();
    let was_denied = record
        .verdict
        .as_deref()
        .is_some_and(|verdict| verdict != "allow");
    Step {
        step: record.step,
        decision: record.router_tool.as_deref().map(|tool| Decision {
            tool,
            operation: record.operation.as_deref(),
            content_preview: record.router_content_preview.as_deref(),
        }),
        verdict: record.verdict.as_deref(),
        outcome: match call {
            Some(call) => Some(call.outcome.as_str()),
            None => was_denied.then_some("denied"),
        },
        error: record.tool_error.as_deref(),
        effects: call.map_or(&[], |call| &call.effects),
        labels: call.map(|call| &call.labels),
        sub_steps: call.map_or(&[], |call| &call.sub_steps),
        usage: &record.llm,
        duration_ms: record.duration_ms,
    }
}

fn write(result: &ChatResult<'_>) -> io::Result<()> {
    let mut line = serde_json::to_vec(result)?;
    line.push(b'\n');
    unless_closed(io::stdout().lock().write_all(&line))
}
