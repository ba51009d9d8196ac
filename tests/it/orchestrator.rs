//! Whole runs, case by case: what a message and a model's scripted answers come to.

mod asking;

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use forge_app::providers::scripted::{FailureKind, Line, Scripted};
use forge_core::turn::TurnReport;
use forge_tests::forge::{Forge, Setup};
use serde_json::Value;

const CASES: &str = include_str!("../cases/orchestrator.jsonl");

/// Rows for tools or guards that this Forge does not have yet, by what they wait for. Rows marked with a
/// star give a tool a text where Forge wants an object; they are to be run with the object.
const LATER: [(&str, &[&str]); 7] = [
    ("run in `asking`", &asking::ROWS),
    ("review", &["026", "027"]),
    ("test*", &["028"]),
    ("shell*", &["029", "050"]),
    ("git*", &["030", "051"]),
    (
        "research*, a guard against searching on and on, and tools that are not there",
        &["034", "035", "036", "040", "041", "044", "047"],
    ),
    ("web_fetch* and sysadmin", &["048", "049"]),
];

#[tokio::test]
async fn runs_come_to_what_their_cases_say() {
    let later: BTreeSet<String> = LATER
        .iter()
        .flat_map(|(_, rows)| rows.iter())
        .map(|row| format!("orchestrator-{row}"))
        .collect();
    let (mut run, mut put_off) = (0, 0);
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if later.contains(case["id"].as_str().unwrap()) {
            put_off += 1;
        } else {
            check(&case).await;
            run += 1;
        }
    }
    assert_eq!(
        (run, put_off),
        (14, later.len()),
        "each row is run or listed"
    );
}

async fn check(case: &Value) {
    let id = &case["id"];
    let files = case["files_before"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let setup = Setup {
        max_steps: Some(u32::try_from(case["max_steps"].as_u64().unwrap()).unwrap()),
        files: files
            .into_iter()
            .map(|(path, text)| (path, text.as_str().unwrap().to_owned()))
            .collect(),
        ..Setup::default()
    };
    let lines = case["model_outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(scripted);
    let forge = setup.start(Arc::new(Scripted::new(lines))).await;
    let (report, events) = forge.chat(case["message"].as_str().unwrap(), &[]).await;
    let found = found(&report, &forge);
    for (key, expected) in expected(case) {
        assert_eq!(
            found[&key], expected,
            "{id} `{key}`: {report:#?} {events:#?}"
        );
    }
    assert_eq!(forge.traces().len(), 1, "{id}: one record for one run");
}

/// What a case expects, `better` before `expect`, without what only an HTTP answer has.
fn expected(case: &Value) -> Vec<(String, Value)> {
    let mut expected = case["expect"].as_object().unwrap().clone();
    let better = case["better"].as_object().cloned().unwrap_or_default();
    // What is kept as a failure by the old system may be none: what follows from it goes too.
    if better.get("ok") == Some(&Value::Bool(true)) {
        for follows in ["output_kind", "has_error", "stored", "trace_steps"] {
            expected.remove(follows);
        }
    }
    if better.contains_key("output_kind") {
        expected.remove("output");
    }
    expected.extend(better);
    expected.remove("status");
    expected.into_iter().collect()
}

fn found(report: &TurnReport, forge: &Forge) -> Value {
    let steps: Vec<Value> = report
        .record
        .steps
        .iter()
        .map(|step| {
            serde_json::json!({
                "tool": step.router_tool, "tool_ok": step.tool_ok, "has_error": step.tool_error.is_some(),
            })
        })
        .collect();
    let mut files = serde_json::Map::new();
    for entry in fs::read_dir(forge.workspace()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        files.insert(name, Value::String(fs::read_to_string(path).unwrap()));
    }
    serde_json::json!({
        "tool": report.tool,
        "ok": report.ok,
        "steps": report.steps,
        "output_kind": kind(report),
        "has_error": report.error.is_some(),
        "llm_calls": report.usage.llm_calls,
        "stored": report.storable,
        "trace_steps": steps,
        "output": report.output,
        "files_after": files,
    })
}

/// The class of an output, in the words of the cases.
fn kind(report: &TurnReport) -> &'static str {
    let last = report.record.steps.last().unwrap();
    let is_loop = last
        .tool_error
        .as_deref()
        .is_some_and(|error| error.contains("same call"));
    match (&last.placeholder, report.tool.as_str(), last.tool_ok) {
        (Some(placeholder), ..) if placeholder == "repeated" => "repetition",
        (Some(_), ..) => "leak_or_empty",
        (None, "none", _) => "backend_unavailable",
        (None, _, None) if is_loop => "loop_guard",
        (None, _, Some(false)) => "tool_error",
        _ => "text",
    }
}

/// A model's answer in a case: a text, a failing server, or an answer without text.
fn scripted(output: &Value) -> Line {
    match (output.as_str(), output["status"].as_u64()) {
        (Some(text), _) => Line::answer(text),
        (None, Some(status)) => Line::failure(FailureKind::Refused {
            status: u16::try_from(status).unwrap(),
            message: output["body"].as_str().unwrap().to_owned(),
        }),
        (None, None) => Line::answer(output["content"].as_str().unwrap()),
    }
}
