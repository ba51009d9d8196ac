//! What a guest keeps for its conversation, and how much.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use forge_runtime::{KEY_BYTES, Keeping, VALUE_BYTES};
use forge_tests::guest::load;
use serde_json::json;

#[derive(Default)]
struct Kept(Mutex<BTreeMap<String, String>>);

impl Keeping for Kept {
    fn get(&self, key: &str) -> Option<String> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn set(&self, key: &str, value: Option<&str>) {
        let mut kept = self.0.lock().unwrap();
        match value {
            Some(value) => kept.insert(key.to_owned(), value.to_owned()),
            None => kept.remove(key),
        };
    }
}

#[tokio::test]
async fn what_a_guest_keeps_is_found_in_the_same_conversation_alone() {
    let guest = load("keeper").await;
    let here: Arc<dyn Keeping> = Arc::new(Kept::default());
    let elsewhere: Arc<dyn Keeping> = Arc::new(Kept::default());
    let check = async |operation: &str, input: serde_json::Value, kept, expected: &str| {
        let report = guest
            .call_keeping(operation, &input.to_string(), kept)
            .await;
        assert_eq!(report.outcome.to_string(), expected, "{operation} {input}");
    };
    check("get", json!({"key": "a"}), &here, "null").await;
    check("set", json!({"key": "a", "length": 3}), &here, "ok").await;
    check("get", json!({"key": "a"}), &here, "3").await;
    check("get", json!({"key": "a"}), &elsewhere, "null").await;
    check("set", json!({"key": "a"}), &here, "ok").await;
    check("get", json!({"key": "a"}), &here, "null").await;

    let largest = json!({"key": "k".repeat(KEY_BYTES), "length": VALUE_BYTES});
    check("set", largest, &here, "ok").await;
    let long_key = json!({"key": "k".repeat(KEY_BYTES + 1), "length": 1});
    let too_long = |key: usize, value: usize| {
        format!(
            "invalid-input: a key of {key} bytes with a value of {value} bytes can't be kept: at most 1024 and 4096 fit"
        )
    };
    check("set", long_key, &here, &too_long(KEY_BYTES + 1, 1)).await;
    let long_value = json!({"key": "b", "length": VALUE_BYTES + 1});
    check("set", long_value, &here, &too_long(1, VALUE_BYTES + 1)).await;
    check("get", json!({"key": "b"}), &here, "null").await;
}

#[tokio::test]
async fn without_a_conversation_nothing_is_kept() {
    let guest = load("keeper").await;
    let report = guest
        .call("set", r#"{"key": "a", "length": 1}"#, "{}")
        .await;
    assert_eq!(
        report.outcome.to_string(),
        "unavailable: nothing is kept: this call belongs to no conversation"
    );
    let report = guest.call("get", r#"{"key": "a"}"#, "{}").await;
    assert_eq!(report.outcome.to_string(), "null");
}
