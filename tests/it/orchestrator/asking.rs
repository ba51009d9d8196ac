//! The runs in which the first version had a guard of its own: here policy asks, and without a yes nothing happens.

use std::sync::Arc;

use forge_app::providers::scripted::{Line, Scripted};
use forge_core::turn::{Exchange, TurnReport};
use forge_tests::forge::{SHIPPED, Setup};
use forge_tests::rig::Rig;
use serde_json::{Value, json};

use super::CASES;

/// Rows that are run here, as `OURS` says where they end otherwise.
pub(super) const ROWS: [&str; 15] = [
    "014", "015", "016", "017", "019", "020", "021", "022", "023", "024", "037", "038", "042",
    "043", "045",
];

/// What is decided otherwise, and why.
fn ours(row: &str) -> Option<&'static str> {
    match row {
        // A failed step ends a routed turn, before anything could be written.
        "017" => Some("error"),
        // No tool changes a file of variables.
        "024" => Some("error"),
        _ => None,
    }
}

#[tokio::test]
async fn guards_of_the_first_version_are_questions() {
    let rig = Rig::start("127.0.0.1").await;
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let row = case["id"]
            .as_str()
            .unwrap()
            .rsplit('-')
            .next()
            .unwrap()
            .to_owned();
        if ROWS.contains(&row.as_str()) {
            check(&row, &case, &rig).await;
            count += 1;
        }
    }
    assert_eq!(count, ROWS.len(), "each row is there");
}

async fn check(row: &str, case: &Value, rig: &Rig) {
    let files = case["files_before"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let mut setup = Setup {
        max_steps: Some(u32::try_from(case["max_steps"].as_u64().unwrap()).unwrap()),
        components: SHIPPED.to_vec(),
        enabled: SHIPPED.to_vec(),
        rules: Vec::new(),
        files: files
            .into_iter()
            .map(|(path, text)| (path, text.as_str().unwrap().to_owned()))
            .collect(),
        ..Setup::default()
    };
    setup.web.search.url = format!("http://127.0.0.1:{}", rig.port());
    let lines = case["model_outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| Line::answer(ours_form(output)));
    let forge = setup.start(Arc::new(Scripted::new(lines))).await;
    let (report, _) = forge
        .chat(case["message"].as_str().unwrap(), &history(case))
        .await;
    let better = &case["better"]["output_kind"];
    let expected = ours(row)
        .or(better.as_str())
        .or(case["expect"]["output_kind"].as_str())
        .unwrap();
    assert_eq!(
        kind(&report),
        if expected == "text" { "[ok]" } else { expected },
        "{row}: {report:#?}"
    );
    assert_eq!(report.storable, report.ok, "{row}");
    let files_after = case["better"]["files_after"]
        .as_object()
        .or(case["expect"]["files_after"].as_object());
    for (path, text) in files_after.into_iter().flatten() {
        let found = std::fs::read_to_string(forge.workspace().join(path)).ok();
        assert_eq!(found.as_deref(), text.as_str(), "{row} {path}");
    }
}

/// A text where Forge's tool wants an object.
fn ours_form(output: &Value) -> String {
    let mut decision: Value = serde_json::from_str(output.as_str().unwrap()).unwrap();
    if decision["tool"] == "web_search" {
        decision["content"] = json!({ "query": decision["content"] });
    }
    decision.to_string()
}

fn history(case: &Value) -> Vec<Exchange> {
    let pairs = case["history"].as_array().into_iter().flatten();
    let text = |text: &Value| text.as_str().unwrap().to_owned();
    pairs
        .map(|pair| Exchange {
            user: text(&pair[0]),
            answer: text(&pair[1]),
        })
        .collect()
}

/// How it ended, in the words of the cases.
fn kind(report: &TurnReport) -> &'static str {
    let Some(needed) = &report.approval else {
        return if report.ok { "[ok]" } else { "error" };
    };
    let asks = |what: &str| needed.reasons.iter().any(|reason| reason.contains(what));
    if asks("data from outside") {
        "escalation_guard"
    } else if asks("which nobody has named") {
        "grounding_guard"
    } else {
        "another question"
    }
}
