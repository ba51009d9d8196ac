//! `forge explain`: what happened in a run, and why it was let.

use clap::Args;
use forge_contract::effect::Effect;
use forge_core::trace::{CallRecord, NestedRecord, RunRecord, StepRecord};

use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{Exit, SettingsArguments};
use crate::config::Config;
use crate::trace::TraceFile;

/// How far back a run is looked for.
const RUNS: usize = 10_000;

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The run, as `forge chat` tells it; without it the last one
    run: Option<String>,
    #[command(flatten)]
    pub(super) settings: SettingsArguments,
}

pub(super) fn run(config: &Config, arguments: &ExplainArguments) -> Result<Exit, CliError> {
    let file = config.trace_file.clone().ok_or_else(|| {
        CliError::NotPossible("no record of runs is kept: `TRACE_ENABLED` is false".to_owned())
    })?;
    let shown = file.display().to_string();
    let records = TraceFile::at(file).last(RUNS);
    let records = records
        .map_err(|error| CliError::NotPossible(format!("`{shown}` can't be read: {error}")))?;
    let wanted = arguments.run.as_deref();
    let is_it = |record: &&RunRecord| wanted.is_none_or(|id| record.run_id == id);
    let record = records.iter().find(is_it).ok_or_else(|| {
        let what = wanted.map_or("no run".to_owned(), |id| format!("no run `{id}`"));
        CliError::NotPossible(format!("{what} is among the last {RUNS} in `{shown}`"))
    })?;
    print(&printable(&explained(record)))?;
    Ok(Exit::Answered)
}

fn explained(record: &RunRecord) -> String {
    let model = record.model.as_deref().unwrap_or("no model");
    let mut text = format!(
        "run {} at {}, {model} on {}\n“{}”\n",
        record.run_id, record.timestamp, record.provider, record.user_input_preview
    );
    for step in &record.steps {
        text += &step_explained(step);
    }
    let end = match &record.error {
        None => format!("ended well by `{}`", record.final_tool),
        Some(error) => format!("failed: {error}"),
    };
    text += &format!("{end}, after {} ms\n", record.total_ms);
    let labels: Vec<&str> = record.labels.iter().map(|label| label.as_str()).collect();
    if !labels.is_empty() {
        text += &format!("data in it: {}\n", labels.join(", "));
    }
    text
}

fn step_explained(step: &StepRecord) -> String {
    let tool = step.router_tool.as_deref().unwrap_or("no decision");
    let operation = step.operation.as_deref().map(|name| format!(".{name}"));
    let input = step.router_content_preview.as_deref().unwrap_or_default();
    let mut text = format!(
        "{}. {tool}{} {input}\n",
        step.step,
        operation.unwrap_or_default()
    );
    if let Some(verdict) = &step.verdict {
        text += &format!("   policy: {verdict}\n");
    }
    if let Some(call) = &step.call {
        text += &call_explained(call, "   ");
    }
    if let Some(error) = &step.tool_error {
        text += &format!("   {error}\n");
    }
    text
}

/// What a call did, and the calls that its tool asked for, each below it.
fn call_explained(call: &CallRecord, indent: &str) -> String {
    let mut text = String::new();
    for effect in &call.effects {
        text += &format!("{indent}{}\n", effect_explained(effect));
    }
    for nested in &call.calls {
        let NestedRecord {
            capability,
            operation,
            input_preview,
            ..
        } = nested;
        text += &format!("{indent}- {capability}.{operation} {input_preview}\n");
        let indent = format!("{indent}  ");
        if let Some(verdict) = &nested.verdict {
            text += &format!("{indent}policy: {verdict}\n");
        }
        if let Some(call) = &nested.call {
            text += &call_explained(call, &indent);
        }
        if let Some(error) = &nested.error {
            text += &format!("{indent}{error}\n");
        }
    }
    let labels: Vec<&str> = call.labels.iter().map(|label| label.as_str()).collect();
    if !labels.is_empty() {
        text += &format!("{indent}brought data: {}\n", labels.join(", "));
    }
    text
}

fn effect_explained(effect: &Effect) -> String {
    let failed = |error: &Option<String>| {
        let error = error.as_ref();
        error.map_or_else(String::new, |error| format!(": {error}"))
    };
    match effect {
        Effect::Refused { power } => format!("refused `{power}`"),
        Effect::Call(call) => {
            let (capability, operation) = (&call.capability, &call.operation);
            format!("asked for `{capability}.{operation}`: {}", call.outcome)
        }
        Effect::Request(request) => {
            let address = request.address.map(|address| format!(" at {address}"));
            let status = request
                .status
                .map(|status| format!(": {status}, {} bytes", request.bytes));
            format!(
                "{} {}{}{}{}",
                request.method,
                request.url,
                address.unwrap_or_default(),
                status.unwrap_or_default(),
                failed(&request.error)
            )
        }
        Effect::File(file) => {
            let action = serde_json::to_value(file.action).unwrap_or_default();
            let action = action.as_str().unwrap_or_default().to_owned();
            let to = file.to.as_ref().map(|to| format!(" to {to}"));
            let (to, error) = (to.unwrap_or_default(), failed(&file.error));
            format!("{action} {}{to}{error}", file.path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_with_its_reasons() {
        let record = serde_json::json!({
            "run_id": "r1", "timestamp": "2026-11-30T20:58:08+01:00", "user_input_preview": "write it",
            "provider": "scripted", "model": null, "final_tool": "files", "ok": false, "error": "no", "total_ms": 7,
            "labels": ["external"],
            "llm": {"llm_calls": 1, "llm_ms": 1, "prompt_tokens": null, "cached_tokens": null, "completion_tokens": null},
            "steps": [{
                "step": 1, "router_tool": "web_fetch", "operation": "run", "router_content_preview": "{}",
                "verdict": "allow", "tool_ok": true, "tool_error": null, "duration_ms": 3,
                "llm": {"llm_calls": 1, "llm_ms": 1, "prompt_tokens": null, "cached_tokens": null, "completion_tokens": null},
                "call": {"outcome": "done", "duration_us": 7, "labels": ["external"], "effects": [
                    {"effect": "request", "method": "GET", "url": "http://x/", "address": "127.0.0.1", "status": 200, "bytes": 5},
                    {"effect": "file", "action": "open", "path": "/workspace/a", "error": "no-entry"},
                    {"effect": "call", "capability": "files", "operation": "read", "outcome": "done"},
                ], "calls": [{
                    "capability": "files", "operation": "read", "input_preview": "{\"path\":\"a\"}", "verdict": "allow",
                    "error": null, "call": {"outcome": "done", "duration_us": 1, "labels": ["private"]},
                }]},
            }],
        });
        let record: RunRecord = serde_json::from_value(record).unwrap();
        assert_eq!(
            explained(&record),
            "run r1 at 2026-11-30T20:58:08+01:00, no model on scripted\n“write it”\n1. web_fetch.run {}\n   policy: allow\n   GET http://x/ at 127.0.0.1: 200, 5 bytes\n   open /workspace/a: no-entry\n   asked for `files.read`: done\n   - files.read {\"path\":\"a\"}\n     policy: allow\n     brought data: private\n   brought data: external\nfailed: no, after 7 ms\ndata in it: external\n"
        );
    }
}
