//! Approvals on a real file: asked here, answered there.

use std::path::Path;

use forge_contract::name::Name;
use forge_core::approval::call_hash;
use forge_core::policy::Ask;
use serde_json::{Value, json};

use super::*;
use crate::store::SqliteStore;

fn open(folder: &Path) -> Approvals {
    Approvals::new(Arc::new(
        SqliteStore::open(&folder.join("forge.db")).unwrap(),
    ))
}

struct Call {
    capability: Name,
    operation: Name,
    input: Value,
    asks: Vec<Ask>,
}

impl Call {
    fn new(input: Value, gate: Gate) -> Self {
        Self {
            capability: Name::parse("files").unwrap(),
            operation: Name::parse("write").unwrap(),
            input,
            asks: vec![Ask {
                gate,
                reason: "because".to_owned(),
            }],
        }
    }

    fn request(&self) -> ApprovalRequest<'_> {
        ApprovalRequest {
            run_id: "r",
            capability: &self.capability,
            operation: &self.operation,
            input: &self.input,
            asks: &self.asks,
            hash: call_hash(&self.capability, &self.operation, &self.input),
        }
    }
}

fn proves(_: &Pending, _: &RuleText) -> bool {
    true
}

#[tokio::test]
async fn a_yes_from_another_process_is_good_for_one_call_once() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (open(folder.path()), open(folder.path()));
    let call = Call::new(json!({"path": "a"}), Gate::Label);
    let asked = here.ask(&call.request()).await.unwrap();
    assert_eq!(there.pending().await.unwrap(), std::slice::from_ref(&asked));
    assert!(!here.is_given(&call.request()).await.unwrap());
    there.answer(&asked.id, Answer::Once, proves).await.unwrap();
    let other = Call::new(json!({"path": "b"}), Gate::Label);
    assert!(!here.is_given(&other.request()).await.unwrap());
    assert!(here.is_given(&call.request()).await.unwrap());
    assert!(!here.is_given(&call.request()).await.unwrap());
    assert!(!there.is_given(&call.request()).await.unwrap());
    let again = there
        .answer(&asked.id, Answer::Once, proves)
        .await
        .unwrap_err();
    assert!(
        again
            .to_string()
            .starts_with(&format!("nothing waits under `{}`", asked.id))
    );
}

#[tokio::test]
async fn who_waits_is_told_from_here_and_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (open(folder.path()), open(folder.path()));
    for (answer, expected) in [(Answer::Once, true), (Answer::No, false)] {
        for from_here in [true, false] {
            let call = Call::new(json!({"path": "a"}), Gate::Mode);
            let request = call.request();
            let asked = here.ask(&request).await.unwrap();
            let told = here.listen(&asked.id);
            let answering = async {
                let by = if from_here { &here } else { &there };
                by.answer(&asked.id, answer, proves).await.unwrap();
            };
            let (heard, ()) = tokio::join!(here.wait(&asked, &request, told), answering);
            assert_eq!(heard.is_some_and(|heard| heard != Answer::No), expected);
            // It is used up.
            assert!(!here.is_given(&request).await.unwrap());
        }
    }
}

#[tokio::test]
async fn a_yes_for_a_session_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = open(folder.path());
    let call = Call::new(json!({"path": "a"}), Gate::Mode);
    let asked = here.ask(&call.request()).await.unwrap();
    here.answer(&asked.id, Answer::Session, proves)
        .await
        .unwrap();
    assert!(here.is_given(&call.request()).await.unwrap());
    assert!(here.is_given(&call.request()).await.unwrap());
    // For what was asked, and not for more.
    let label = Call::new(json!({"path": "a"}), Gate::Label);
    assert!(!here.is_given(&label.request()).await.unwrap());
    assert!(!open(folder.path()).is_given(&call.request()).await.unwrap());
}

#[tokio::test]
async fn a_yes_for_ever_is_a_rule_that_was_proved() {
    let folder = tempfile::tempdir().unwrap();
    let here = open(folder.path());
    let call = Call::new(json!({"path": "a"}), Gate::Mode);
    let asked = here.ask(&call.request()).await.unwrap();
    let refused = here.answer(&asked.id, Answer::Always, |_, _| false).await;
    assert!(matches!(refused, Err(AnswerError::NotAlways { .. })));
    here.answer(&asked.id, Answer::Always, proves)
        .await
        .unwrap();
    let there = open(folder.path());
    assert_eq!(there.rules().await.unwrap().len(), 1);
    for _ in 0..2 {
        assert!(there.is_given(&call.request()).await.unwrap());
    }
    let other = Call::new(json!({"path": "b"}), Gate::Mode);
    assert!(!there.is_given(&other.request()).await.unwrap());
    let label = Call::new(json!({"path": "a"}), Gate::Label);
    let asked = here.ask(&label.request()).await.unwrap();
    let refused = here
        .answer(&asked.id, Answer::Always, proves)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("a label asks"), "{refused}");
    assert_eq!(here.rules().await.unwrap().len(), 1);
}
