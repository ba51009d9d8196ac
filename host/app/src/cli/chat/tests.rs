//! The summary line and what a step is shown as.

use std::collections::BTreeSet;

use forge_contract::effect::FileAction;
use forge_core::trace::{CallRecord, RunRecord};

use super::*;

fn file(action: FileAction, error: Option<&str>) -> Effect {
    Effect::File(FileEffect {
        action,
        path: "/workspace/a".to_owned(),
        to: None,
        bytes: 0,
        error: error.map(str::to_owned),
    })
}

fn step(effects: Vec<Effect>) -> StepRecord {
    StepRecord {
        step: 1,
        router_tool: Some("files".to_owned()),
        operation: Some("read".to_owned()),
        router_content_preview: None,
        verdict: Some("allow".to_owned()),
        tool_ok: Some(true),
        tool_error: None,
        placeholder: None,
        call: Some(CallRecord {
            calls: Vec::new(),
            outcome: "done".to_owned(),
            effects,
            effects_omitted: 0,
            labels: BTreeSet::new(),
            sub_steps: Vec::new(),
            log: Vec::new(),
            duration_us: 20,
        }),
        llm: LlmRecord::default(),
        duration_ms: 3,
    }
}

fn report(ok: bool, tool: &str, error: Option<&str>, output: &str) -> TurnReport {
    let usage = LlmRecord {
        llm_calls: 1,
        llm_ms: 900,
        prompt_tokens: Some(812),
        cached_tokens: Some(800),
        completion_tokens: Some(1),
    };
    TurnReport {
        labels: BTreeSet::new(),
        approval: None,
        output: output.to_owned(),
        tool: tool.to_owned(),
        ok,
        error: error.map(str::to_owned),
        steps: 1,
        storable: ok,
        usage: usage.clone(),
        record: RunRecord {
            labels: std::collections::BTreeSet::new(),
            run_id: "6fa9b391".to_owned(),
            timestamp: String::new(),
            user_input_preview: String::new(),
            provider: "llama_cpp".to_owned(),
            model: None,
            steps: Vec::new(),
            final_tool: tool.to_owned(),
            ok,
            error: None,
            total_ms: 1234,
            llm: usage,
        },
    }
}

#[test]
fn the_summary_tells_what_it_cost() {
    let mut report = report(true, "files", None, "a");
    let model = "1 model call, 812 tokens in (800 cached), 1 out";
    assert_eq!(
        summary(&report),
        format!("· 1.2 s · {model} · run 6fa9b391")
    );
    report.record.steps = vec![
        step(vec![
            file(FileAction::Open, None),
            file(FileAction::List, None),
            file(FileAction::Open, Some("no-entry")),
        ]),
        step(vec![file(FileAction::Write, None)]),
    ];
    assert_eq!(
        summary(&report),
        format!(
            "· 1.2 s · {model} · 2 tool calls, 2 files looked at, 1 change made, 1 attempt failed · run 6fa9b391"
        )
    );
    report.usage = LlmRecord::default();
    report.record.steps.clear();
    assert_eq!(summary(&report), "· 1.2 s · 0 model calls · run 6fa9b391");
}

#[test]
fn the_exit_code_tells_a_missing_model_from_a_failed_tool() {
    assert_eq!(exit(&report(true, "chat", None, "a")), Exit::Answered);
    assert_eq!(
        exit(&report(false, "files", Some("x"), "x")),
        Exit::TurnFailed
    );
    assert_eq!(exit(&report(false, NO_TOOL, Some("x"), "x")), Exit::NoModel);
}

#[test]
fn a_failure_keeps_what_came_before() {
    let check = |error: &str, output: &str, expected: &str| {
        assert_eq!(
            failure(&report(false, "files", Some(error), output)),
            expected
        );
    };
    check("a\n\nb", "a\n\nb", "a\n\nb");
    check("gone", "The model could not be asked: gone.", "gone");
    check(
        "gone",
        "The model could not be asked: gone.\n\nBefore that, `files` answered:\n\na\n\nb",
        "gone\n\nBefore that, `files` answered:\n\na\n\nb",
    );
}
