//! The port to whoever may say yes to a call about which policy asks, and the ledger of what was said. Not here: what
//! is asked about; that is policy.

mod ledger;

use async_trait::async_trait;
use forge_contract::name::Name;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub use ledger::{Answer, Event, Ledger, Pending, STREAM, covers, shown, spelt_out};

use crate::policy::Ask;
use crate::router::json::canonical;

/// A call that waits for a yes.
#[derive(Debug, Clone)]
pub struct ApprovalRequest<'a> {
    /// The run that it belongs to.
    pub run_id: &'a str,
    /// Whose operation it is.
    pub capability: &'a Name,
    /// Which operation.
    pub operation: &'a Name,
    /// Its input.
    pub input: &'a Value,
    /// What is asked; there is at least one.
    pub asks: &'a [Ask],
    /// [`call_hash`] of the three: a yes is for this call and no other.
    pub hash: String,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// Somebody said yes, now or before.
    Given,
    /// Somebody said no.
    Refused,
    /// Nobody is there to say anything.
    Pending {
        /// Under which it can be approved later.
        id: String,
        /// How.
        remedy: String,
    },
}

/// Finds out whether a call is approved.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Whether everything that `request` asks was answered with a yes. May wait for a person, where one is there.
    async fn approve(&self, request: &ApprovalRequest<'_>) -> Approval;
}

/// The SHA-256 of a call in canonical form, in hexadecimal: two calls that differ in one byte of their arguments have
/// two, and the order of fields makes none.
#[must_use]
pub fn call_hash(capability: &Name, operation: &Name, input: &Value) -> String {
    let call = json!([capability.as_str(), operation.as_str(), input]);
    let digest = Sha256::digest(canonical(&call).as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any JSON of some depth.
    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(".{0,4}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// The same value with the fields of each object in the opposite order.
    fn turned_round(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().rev();
                Value::Object(
                    fields
                        .map(|(name, value)| (name.clone(), turned_round(value)))
                        .collect(),
                )
            }
            Value::Array(items) => items.iter().map(turned_round).collect(),
            scalar => scalar.clone(),
        }
    }

    proptest! {
        #[test]
        fn equal_inputs_and_only_those_have_one_hash(one in json(), other in json()) {
            let hash = |input: &Value| {
                let name = |text: &str| Name::parse(text).unwrap();
                call_hash(&name("files"), &name("write"), input)
            };
            prop_assert_eq!(hash(&one), hash(&turned_round(&one)));
            prop_assert_eq!(hash(&one) == hash(&other), one == other);
        }
    }

    #[test]
    fn a_hash_is_of_one_call() {
        let hash = |capability: &str, operation: &str, input: Value| {
            let name = |text: &str| Name::parse(text).unwrap();
            call_hash(&name(capability), &name(operation), &input)
        };
        let one = hash("files", "write", json!({"path": "a", "content": "b"}));
        assert_eq!(one.len(), 64);
        assert_eq!(
            one,
            hash("files", "write", json!({"content": "b", "path": "a"}))
        );
        for other in [
            hash("files", "write", json!({"path": "a", "content": "b "})),
            hash("files", "write", json!({"path": "b", "content": "a"})),
            hash(
                "files",
                "write",
                json!({"path": "a", "content": "b", "all": null}),
            ),
            hash("files", "edit", json!({"path": "a", "content": "b"})),
            hash("file", "write", json!({"path": "a", "content": "b"})),
            hash("files", "write", json!(r#"{"path":"a","content":"b"}"#)),
        ] {
            assert_ne!(one, other);
        }
    }
}
