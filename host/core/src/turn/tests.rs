//! Turns against a scripted model, scripted tools and a scripted clock.

use forge_contract::outcome::{FailureCode, Outcome, Stop};
use serde_json::{Value, json};

use super::*;
use crate::policy::Verdict;

mod scripted;
mod asking;
mod tools;
mod guards;
mod nested;
mod streaming;

use scripted::{Stage, decide, decide_and_go_on, fail, name, say};

/// A turn's end in one line: tool, ok, storable, steps, output.
fn ending(report: &TurnReport) -> String {
    let ok = if report.ok { "ok" } else { "not ok" };
    let storable = if report.storable {
        "storable"
    } else {
        "not storable"
    };
    format!(
        "{} {ok} {storable} {}: {}",
        report.tool, report.steps, report.output
    )
}

fn check(stage: &Stage, expected: &str) -> TurnReport {
    let report = stage.run();
    assert_eq!(ending(&report), expected);
    report
}

#[test]
fn words_are_the_answer_where_no_plugin_provides_them() {
    check(
        &Stage::new(vec![decide("chat", json!("Hello"))]),
        "chat ok storable 1: Hello",
    );
    check(
        &Stage::new(vec![say("plain words")]),
        "chat ok storable 1: plain words",
    );
    check(
        &Stage::new(vec![decide("email", json!("to Paul"))]),
        "chat ok storable 1: to Paul",
    );
    check(
        &Stage::new(vec![decide("code", json!("fn main(){}\n"))]),
        "code ok storable 1: ```\nfn main(){}\n```",
    );
    check(
        &Stage::new(vec![decide("code", json!("a\n```\nb"))]),
        "code ok storable 1: ````\na\n```\nb\n````",
    );
}

#[test]
fn a_tool_runs_with_its_operations_grant_only() {
    let check = |tool: &str, content: Value, expected: &str| {
        let stage = Stage::new(vec![decide(tool, content)]);
        assert!(stage.run().storable);
        assert_eq!(stage.calls(), [expected]);
    };
    check(
        "files",
        json!({"action": "read", "path": "a"}),
        r#"files.read {"path":"a"} with workspace: read"#,
    );
    check(
        "files",
        json!({"action": "write", "path": "a", "text": ""}),
        r#"files.write {"path":"a","text":""} with workspace: write"#,
    );
    check(
        "git",
        json!({"args": ["log"]}),
        r#"git.run {"args":["log"]} with programs: git"#,
    );
    check(
        "git",
        json!("{\"args\": []}"),
        r#"git.run {"args":[]} with programs: git"#,
    );
    check(
        "shell",
        json!({"line": "ls"}),
        r#"shell.run {"line":"ls"} with nothing"#,
    );
    check("upper", json!("abc"), r#"upper.run "abc" with nothing"#);
}

#[test]
fn several_steps_see_what_came_before() {
    let stage = Stage::new(vec![
        decide_and_go_on("files", json!({"action": "list"})),
        decide_and_go_on("git", json!({})),
        decide("chat", json!("done")),
    ]);
    let report = check(&stage, "chat ok storable 3: done");
    let prompt = stage.last_prompt();
    assert!(
        prompt.contains("=== result of step 1: files.list ===\n  files answered\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains("=== result of step 2: git ===\n  git answered\n"),
        "{prompt}"
    );
    assert_eq!(report.usage.llm_calls, 3);
    assert_eq!(report.usage.prompt_tokens, Some(300));
    assert_eq!(report.usage.completion_tokens, Some(30));
    assert_eq!(report.usage.cached_tokens, None);
    let tools: Vec<_> = report
        .record
        .steps
        .iter()
        .map(|step| step.router_tool.as_deref())
        .collect();
    assert_eq!(tools, [Some("files"), Some("git"), Some("chat")]);
}

#[test]
fn the_last_step_ends_the_run_whatever_it_asks_for() {
    let mut stage = Stage::new(vec![decide_and_go_on("git", json!({}))]);
    stage.settings.max_steps = 1;
    check(&stage, "git ok storable 1: git answered");
    assert!(!stage.last_prompt().contains("\"done\""));
}

#[test]
fn a_long_result_is_shown_by_its_ends() {
    let mut stage = Stage::new(vec![
        decide_and_go_on("git", json!({})),
        decide("chat", json!("done")),
    ]);
    stage.settings.inline_output_chars = 9;
    stage
        .outcomes
        .lock()
        .unwrap()
        .push_back(Outcome::text("abcdefghéjklmn"));
    stage.run();
    let prompt = stage.last_prompt();
    assert!(
        prompt.contains("  abcdef\n  [… 5 characters left out …]\n  lmn\n"),
        "{prompt}"
    );
}

#[test]
fn what_is_no_answer_stops_a_routed_turn() {
    let check = |outcome: Outcome, expected: &str| {
        let stage = Stage::new(vec![decide_and_go_on("git", json!({}))]);
        stage.outcomes.lock().unwrap().push_back(outcome);
        let report = check(&stage, expected);
        assert_eq!(report.error.as_deref(), Some(report.output.as_str()));
        assert_eq!(report.record.steps[0].tool_ok, Some(false));
    };
    check(
        Outcome::failed(FailureCode::NotFound, "no repository"),
        "git not ok not storable 1: not-found: no repository",
    );
    check(
        Outcome::Stopped(Stop::Deadline { limit_ms: 5 }),
        "git not ok not storable 1: the tool was stopped after 5 ms, its limit `deadline_ms`",
    );
}

#[test]
fn an_agent_is_told_what_failed() {
    let mut stage = Stage::new(vec![
        decide("git", json!({})),
        decide("files", json!({"action": "read"})),
        decide("chat", json!("it failed")),
    ]);
    stage.on_failure = OnFailure::FeedBack;
    stage
        .outcomes
        .lock()
        .unwrap()
        .push_back(Outcome::failed(FailureCode::NotFound, "no repository"));
    check(&stage, "chat ok storable 3: it failed");
    let prompt = stage.last_prompt();
    assert!(
        prompt.contains("=== result of step 1: git ===\n  not-found: no repository\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains("\"path\" is a required property"),
        "{prompt}"
    );
}

#[test]
fn an_agents_last_failure_ends_the_run() {
    let mut stage = Stage::new(vec![decide("git", json!({}))]);
    stage.on_failure = OnFailure::FeedBack;
    stage.settings.max_steps = 1;
    stage
        .outcomes
        .lock()
        .unwrap()
        .push_back(Outcome::failed(FailureCode::Failed, "no"));
    check(&stage, "git not ok not storable 1: failed: no");
}

#[test]
fn a_model_that_does_not_answer_ends_the_run() {
    let report = check(
        &Stage::new(vec![fail()]),
        "none not ok not storable 1: The model could not be asked: the model at `http://llm` answered nothing.",
    );
    assert_eq!(
        report.error.as_deref(),
        Some("the model at `http://llm` answered nothing")
    );
    assert_eq!(
        (
            report.usage.llm_calls,
            report.record.steps[0].router_tool.as_deref()
        ),
        (0, None)
    );
    let report = check(
        &Stage::new(vec![decide_and_go_on("git", json!({})), fail()]),
        "none not ok not storable 2: The model could not be asked: the model at `http://llm` answered nothing.\n\nBefore that, `git` answered:\n\ngit answered",
    );
    assert_eq!(report.usage.llm_calls, 1);
}

#[test]
fn the_record_tells_the_run() {
    let stage = Stage::new(vec![decide("git", json!({"args": ["log"]}))]);
    let record = serde_json::to_value(stage.run().record).unwrap();
    let expected = json!({
        "run_id": "run-1", "timestamp": "2026-11-30T20:58:08+01:00", "user_input_preview": "do it",
        "provider": "scripted", "model": "script",
        "steps": [{
            "step": 1, "router_tool": "git", "operation": "run", "router_content_preview": "{\"args\":[\"log\"]}",
            "verdict": "allow", "tool_ok": true, "tool_error": null,
            "call": {"outcome": "done", "effects_omitted": 0, "duration_us": 7},
            "llm": {"llm_calls": 1, "llm_ms": 1, "prompt_tokens": 100, "cached_tokens": null, "completion_tokens": 10},
            "duration_ms": 3,
        }],
        "final_tool": "git", "ok": true, "error": null, "total_ms": 5,
        "llm": {"llm_calls": 1, "llm_ms": 1, "prompt_tokens": 100, "cached_tokens": null, "completion_tokens": 10},
    });
    assert_eq!(record, expected);
}

#[test]
fn the_listing_shows_every_operation_with_its_verdict() {
    let mut stage = Stage::new(Vec::new());
    stage.policy.allow_workspace_writes = false;
    let rows: Vec<String> = capabilities(&stage.registry, &stage.policy)
        .into_iter()
        .map(|row| {
            let requires = row
                .requires
                .map_or_else(|| "?".to_owned(), |requires| requires.to_string());
            let verdict = match row.verdict {
                Verdict::Allow => "allow",
                Verdict::Ask(_) => "ask",
                Verdict::Deny(_) => "deny",
            };
            format!("{}.{} {requires} {verdict}", row.capability, row.operation)
        })
        .collect();
    let expected = [
        "files.read workspace: read allow",
        "files.list workspace: read allow",
        "files.write workspace: write deny",
        "git.run programs: git allow",
        "shell.run ? deny",
        "summary.run llm allow",
        "upper.run nothing allow",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_turn_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn check(host: &Host<'_>, request: &TurnRequest<'_>) {
        is_send(&run(host, request));
    }
    let _ = check;
}
