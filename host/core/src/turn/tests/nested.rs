//! Calls that tools ask for while they run.

use forge_contract::nested::NestedCall;
use forge_contract::outcome::{FailureCode, NeedsApproval, Outcome};
use forge_contract::report::Progress;
use serde_json::json;

use super::super::*;
use super::scripted::{Stage, decide};
use super::tools::text_tool;
use crate::approval::Approval;
use crate::policy::Mode;

fn nested(capability: &str, operation: &str, input: serde_json::Value) -> NestedCall {
    NestedCall {
        capability: capability.to_owned(),
        operation: operation.to_owned(),
        input,
        labels: BTreeSet::new(),
    }
}

fn read() -> NestedCall {
    nested("files", "read", json!({"path": "a"}))
}

/// A turn in which the model chooses `upper`, and each capability calls what stands beside it.
fn stage(calls: &[(&str, &[NestedCall])]) -> Stage {
    let mut stage = Stage::new(vec![decide("upper", json!("x"))]);
    for (capability, nested) in calls {
        let nested = nested.to_vec();
        stage.nested.insert((*capability).to_owned(), nested);
    }
    stage
}

/// What the tools got for their calls, in the order in which these ended.
fn check(stage: &Stage, expected: &[&str]) -> TurnReport {
    let report = stage.run();
    assert_eq!(*stage.answers.lock().unwrap(), expected);
    report
}

#[test]
fn a_nested_call_has_its_own_grant_and_is_in_the_record() {
    let stage = stage(&[("upper", &[read()])]);
    let report = check(&stage, &["files answered"]);
    assert_eq!(
        stage.calls(),
        [
            r#"upper.run "x" with nothing"#,
            r#"files.read {"path":"a"} with workspace: read"#
        ]
    );
    assert_eq!(stage.calls.lock().unwrap()[1].0.depth, 1);
    assert_eq!(report.output, "upper answered");
    let record = serde_json::to_value(&report.record.steps[0].call).unwrap();
    assert_eq!(
        record["calls"],
        json!([{
            "capability": "files", "operation": "read", "input_preview": r#"{"path":"a"}"#, "verdict": "allow",
            "error": null, "call": {"outcome": "done", "effects_omitted": 0, "duration_us": 7},
        }])
    );
    assert!(stage.events().contains(&"sub-step 1 files.read".to_owned()));
}

#[test]
fn a_nested_call_passes_registry_and_policy() {
    let refused = |call: NestedCall, expected: &str| {
        let mut stage = stage(&[("upper", &[call])]);
        stage.policy.mode = Mode::ReadOnly;
        stage.policy.allow_subprocess = false;
        let report = check(&stage, &[expected]);
        // Only the tool that asked has run, and what became of its call is told.
        assert_eq!(stage.calls().len(), 1, "{expected}");
        let record = report.record.steps[0].call.as_ref().unwrap();
        assert_eq!(record.calls[0].error.as_deref(), Some(expected));
        assert_eq!(record.calls[0].call, None);
    };
    refused(
        nested("nobody", "run", json!({})),
        "not-found: no tool offers `nobody`",
    );
    refused(
        nested("files", "burn", json!({})),
        "invalid-input: there is no operation `burn`: there is `list`, `read`, `write`",
    );
    refused(
        nested("files", "read", json!({})),
        "invalid-input: the input is not valid: \"path\" is a required property",
    );
    refused(
        nested("files", "write", json!({"path": "a", "text": ""})),
        "denied: `files.write` needs `workspace: write`, and this run only reads: run it without the mode `read-only`",
    );
    refused(
        nested("git", "run", json!({})),
        "denied: `git.run` needs `programs: git`, and running programs is switched off: set `POLICY_ALLOW_SUBPROCESS=true`",
    );
}

#[test]
fn circles_and_depth_are_refused() {
    let call = |capability: &str| nested(capability, "run", json!("x"));
    check(
        &stage(&[("upper", &[call("upper")])]),
        &["denied: `upper` → `upper` is a circle: a tool can't be called from within its own call"],
    );
    check(
        &stage(&[("upper", &[call("summary")]), ("summary", &[call("upper")])]),
        &[
            "denied: `upper` → `summary` → `upper` is a circle: a tool can't be called from within its own call",
            "summary answered",
        ],
    );
    let mut deep = stage(&[
        ("upper", &[call("a")]),
        ("a", &[call("b")]),
        ("b", &[call("c")]),
        ("c", &[call("summary")]),
    ]);
    for name in ["a", "b", "c"] {
        let added = deep.registry.add(text_tool(name, &json!({})));
        added.unwrap();
        deep.policy.enabled.insert(super::name(name));
    }
    check(
        &deep,
        &[
            "denied: `upper` → `a` → `b` → `c` is as deep as calls of tools go: at most 3 tools may stand between a call and the model",
            "c answered",
            "b answered",
            "a answered",
        ],
    );
}

#[test]
fn the_calls_of_a_step_are_counted_over_all_depths() {
    let reads: Vec<NestedCall> = (0..40).map(|_| read()).collect();
    let summary = nested("summary", "run", json!("x"));
    let stage = stage(&[("upper", &[summary, read()]), ("summary", &reads)]);
    stage.run();
    let answers = stage.answers.lock().unwrap();
    let answered = answers.iter().filter(|it| *it == "files answered").count();
    // With the call of `summary` itself.
    assert_eq!(answered, 31);
    assert_eq!(
        answers.last().unwrap(),
        "denied: tools have asked for 32 calls in this step: ask for less at once"
    );
}

#[test]
fn what_a_tool_has_seen_counts_for_what_it_calls() {
    let write = |labels: &[Label]| NestedCall {
        labels: labels.iter().copied().collect(),
        ..nested("files", "write", json!({"path": "a", "text": ""}))
    };
    let check = |call: NestedCall, asked: usize| {
        let stage = stage(&[("upper", &[call])]);
        let approvals = (0..asked).map(|_| Approval::Given);
        stage.approvals.lock().unwrap().extend(approvals);
        stage.run();
        assert_eq!(stage.asked.lock().unwrap().len(), asked);
        // It runs under them, too.
        let calls = stage.calls.lock().unwrap();
        assert_eq!(calls[1].0.labels.len(), asked);
    };
    check(write(&[]), 0);
    check(write(&[Label::External]), 1);
    // And what a call deeper down has seen counts there, too.
    let through = NestedCall {
        labels: [Label::External].into(),
        ..nested("summary", "run", json!("x"))
    };
    let stage = stage(&[("upper", &[through]), ("summary", &[write(&[])])]);
    stage.approvals.lock().unwrap().push_back(Approval::Given);
    stage.run();
    assert_eq!(stage.asked.lock().unwrap().len(), 1);
}

#[test]
fn what_a_nested_call_brought_is_in_the_run() {
    let stage = stage(&[("upper", &[read()])]);
    stage.labels.lock().unwrap().push_back(Label::External);
    assert_eq!(stage.run().labels, [Label::External].into());
}

#[test]
fn a_run_whose_nested_call_needs_a_yes_waits_for_it() {
    let pending = Approval::Pending {
        id: "a1".to_owned(),
        remedy: "approve `a1`".to_owned(),
    };
    let run = |outcome: Outcome| {
        let mut stage = stage(&[("upper", &[nested("git", "run", json!({}))])]);
        stage.policy.mode = Mode::Auto;
        stage.approvals.lock().unwrap().push_back(pending.clone());
        stage.outcomes.lock().unwrap().push_back(outcome);
        stage.run()
    };
    let report = run(Outcome::failed(FailureCode::Denied, "it would not let me"));
    let needed: Option<&NeedsApproval> = report.approval.as_ref();
    assert_eq!(needed.map(|it| it.call.as_str()), Some("git.run"));
    assert!(!report.ok);
    // A tool that can do without goes on.
    let report = run(Outcome::text("done without"));
    assert_eq!(
        (report.approval, report.output),
        (None, "done without".to_owned())
    );
}

#[test]
fn a_caller_hears_of_sub_steps_but_not_of_another_tools_answer() {
    let mut stage = stage(&[("upper", &[read()])]);
    stage.progress = vec![
        Progress::Step("half".to_owned()),
        Progress::Delta("ab".to_owned()),
    ];
    stage.run();
    let events = stage.events();
    let news: Vec<&str> = events
        .iter()
        .map(String::as_str)
        .filter(|event| event.starts_with("sub-step") || event.starts_with("delta ab"))
        .collect();
    assert_eq!(
        news,
        [
            "sub-step 1 half",
            "delta ab",
            "sub-step 1 files.read",
            "sub-step 1 files: half"
        ]
    );
}
