//! A guest that calls other tools: what it may call, and whose time passes meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use forge_contract::label::Label;
use forge_contract::nested::{NestedAnswer, NestedCall};
use forge_contract::outcome::Outcome;
use forge_runtime::{Calling, Limits};
use forge_tests::guest::{answered, effects, load, load_with};
use serde_json::json;

/// Answers every call after a while, with data from outside.
#[derive(Default)]
struct Answering {
    after: Duration,
    calls: Mutex<Vec<NestedCall>>,
}

#[async_trait]
impl Calling for Answering {
    async fn invoke(&self, call: NestedCall) -> NestedAnswer {
        self.calls.lock().unwrap().push(call);
        tokio::time::sleep(self.after).await;
        NestedAnswer {
            outcome: Outcome::text("noon"),
            labels: [Label::External].into(),
        }
    }
}

#[tokio::test]
async fn a_guest_calls_what_it_declares_and_was_granted() {
    let guest = load("caller").await;
    let check = async |capability: &str, grant: &str, expected: &str, effect: &str, made: usize| {
        let calling = Arc::new(Answering::default());
        let input = json!({"capability": capability, "operation": "run"}).to_string();
        let report = guest
            .call_calling("run", &input, grant, calling.clone())
            .await;
        let answer = answered(&report).to_string();
        assert!(answer.contains(expected), "{capability} {grant}: {answer}");
        assert_eq!(effects(&report), [effect], "{capability} {grant}");
        assert_eq!(calling.calls.lock().unwrap().len(), made);
        assert_eq!(report.labels.contains(&Label::External), made == 1);
    };
    let both = r#"{"calls": ["clock", "files"]}"#;
    check("clock", both, "noon", "call clock.run: done", 1).await;
    let undeclared = "this call may not call `files`: it is not declared under `calls`";
    check("files", both, undeclared, "call files.run: failed", 0).await;
    let not_granted = "the operator did not grant it";
    let refused = "refused forge:tool/capabilities";
    check("clock", "{}", not_granted, refused, 0).await;
}

#[tokio::test]
async fn the_time_of_the_caller_stands_still_meanwhile() {
    let limits = Limits {
        deadline_ms: 1_000,
        ..Limits::default()
    };
    let guest = load_with("caller", limits).await.unwrap();
    let calling = Arc::new(Answering {
        after: Duration::from_millis(1_500),
        ..Answering::default()
    });
    let input = r#"{"capability": "clock", "operation": "run"}"#;
    let report = guest
        .call_calling("run", input, r#"{"calls": ["clock"]}"#, calling)
        .await;
    assert_eq!(answered(&report), json!({"answered": "noon"}));
}
