//! Turns in which policy asks: who answers, what follows from it, and what a run carries with it.

use forge_contract::label::Label;
use forge_contract::outcome::{FailureCode, Outcome};
use serde_json::json;

use super::super::*;
use super::scripted::{Stage, decide, decide_and_go_on, say};
use crate::approval::Approval;
use crate::policy::Mode;

fn write() -> serde_json::Value {
    json!({"action": "write", "path": "a", "text": "x"})
}

fn stage(script: Vec<super::scripted::Say>, approvals: &[Approval]) -> Stage {
    let stage = Stage::new(script);
    stage
        .approvals
        .lock()
        .unwrap()
        .extend(approvals.iter().cloned());
    stage
}

fn pending() -> Approval {
    Approval::Pending {
        id: "a1".to_owned(),
        remedy: "approve `a1`".to_owned(),
    }
}

#[test]
fn a_question_is_answered_before_the_tool_runs() {
    let check = |approval: Approval, ok: bool, verdict: &str, calls: usize| {
        let mut stage = stage(vec![decide("files", write())], &[approval]);
        stage.policy.mode = Mode::Ask;
        let report = stage.run();
        assert_eq!(report.ok, ok);
        assert_eq!(stage.calls().len(), calls);
        assert_eq!(report.record.steps[0].verdict.as_deref(), Some(verdict));
        assert_eq!(
            *stage.asked.lock().unwrap(),
            [r#"files.write {"path":"a","text":"x"} mode"#]
        );
        report
    };
    check(Approval::Given, true, "approved: mode", 1);
    check(
        Approval::Refused,
        false,
        "`files.write` was asked about and not approved",
        0,
    );
    let report = check(pending(), false, "needs approval: mode", 0);
    assert_eq!(report.approval.as_ref().unwrap().id, "a1");
    assert!(
        report.output.starts_with("`files.write` needs approval: "),
        "{}",
        report.output
    );
    assert!(
        report.output.ends_with("; approve `a1`"),
        "{}",
        report.output
    );
    assert_eq!(report.record.steps[0].tool_ok, None);
    assert!(!report.storable);
}

#[test]
fn an_agent_does_not_go_on_without_the_answer() {
    let mut stage = stage(vec![decide_and_go_on("git", json!({}))], &[pending()]);
    stage.policy.mode = Mode::Auto;
    stage.on_failure = OnFailure::FeedBack;
    let report = stage.run();
    assert_eq!((report.ok, report.steps), (false, 1));
    assert!(report.approval.is_some());
}

#[test]
fn a_path_that_came_from_nowhere_is_asked_about() {
    let read = |path: &str| decide_and_go_on("files", json!({"action": "read", "path": path}));
    let write = |path: &str| {
        decide(
            "files",
            json!({"action": "write", "path": path, "text": "x"}),
        )
    };
    let check = |script: Vec<super::scripted::Say>, asked: usize| {
        let mut stage = stage(script, &[Approval::Given]);
        stage.policy.rules.clear();
        let report = stage.run();
        assert!(report.ok, "{}", report.output);
        let questions = stage.asked.lock().unwrap();
        assert_eq!(questions.len(), asked, "{questions:?}");
        assert!(questions.iter().all(|question| question.ends_with(" path")));
    };
    // The user says: do it.
    check(vec![write("it")], 0);
    check(vec![write("./it")], 0);
    check(vec![write("made/up")], 1);
    check(vec![read("src/a"), write("/src/a")], 0);
    check(vec![read("src/b"), write("src/a")], 1);
    check(
        vec![decide(
            "files",
            json!({"action": "read", "path": "made/up"}),
        )],
        0,
    );
    // What could not be read names nothing.
    let mut missing = stage(vec![read("src/a"), write("src/a")], &[pending()]);
    missing.policy.rules.clear();
    missing.on_failure = OnFailure::FeedBack;
    let failure = Outcome::failed(FailureCode::NotFound, "no such file");
    missing.outcomes.lock().unwrap().push_back(failure);
    assert!(missing.run().approval.is_some());
    let mut sentence = stage(vec![write("A file, which")], &[]);
    sentence.policy.rules.clear();
    let report = sentence.run();
    assert!(
        report
            .output
            .contains("`A file, which` is no path of a file"),
        "{}",
        report.output
    );
}

#[test]
fn nobody_is_asked_about_an_input_that_is_wrong() {
    let mut stage = stage(
        vec![decide("files", json!({"action": "write", "path": "a"}))],
        &[],
    );
    stage.policy.mode = Mode::Ask;
    let report = stage.run();
    assert!(report.output.contains("text"), "{}", report.output);
}

#[test]
fn what_came_from_outside_makes_changes_ask() {
    let labelled = |labels: &[Label], script, approvals: &[Approval]| {
        let stage = stage(script, approvals);
        stage.labels.lock().unwrap().extend(labels);
        stage
    };
    // In the same run.
    let script = vec![
        decide_and_go_on("upper", json!("page")),
        decide("files", write()),
    ];
    let stage = labelled(&[Label::External], script, &[pending()]);
    let report = stage.run();
    assert_eq!(
        *stage.asked.lock().unwrap(),
        [r#"files.write {"path":"a","text":"x"} label"#]
    );
    assert_eq!((report.ok, stage.calls().len()), (false, 1));
    assert!(report.labels.contains(&Label::External));
    assert_eq!(report.record.labels, report.labels);
    // In a later one, where it is in the history.
    let mut stage = labelled(&[], vec![decide("git", json!({}))], &[Approval::Given]);
    stage.earlier_labels.insert(Label::External);
    let report = stage.run();
    assert_eq!(*stage.asked.lock().unwrap(), ["git.run {} label"]);
    assert!(report.ok && report.labels.contains(&Label::External));
    // What only looks or answers is not asked about.
    let mut stage = labelled(&[], vec![say(r#"{"tool":"chat","content":"hi"}"#)], &[]);
    stage
        .earlier_labels
        .extend([Label::External, Label::Private]);
    assert!(stage.run().ok);
    let mut stage = labelled(&[], vec![decide("files", json!({"action": "list"}))], &[]);
    stage.earlier_labels.insert(Label::External);
    assert!(stage.run().ok);
}

#[test]
fn what_is_denied_here_is_not_offered() {
    let mut stage = stage(vec![decide("git", json!({"args": ["log"]}))], &[]);
    stage.policy.denied.insert("git".to_owned());
    stage.policy.denied.insert("files.write".to_owned());
    let report = stage.run();
    assert!(
        report
            .output
            .contains("`git.run` is denied here: run it without `--deny git`"),
        "{}",
        report.output
    );
    let prompt = stage.last_prompt();
    assert!(
        !prompt.contains("git") && !prompt.contains("\"write\"") && prompt.contains("files"),
        "{prompt}"
    );
    assert_eq!(stage.calls(), Vec::<String>::new());
}
