//! What the model may choose: what the registry has, less what policy denies.

use std::sync::LazyLock;

use forge_contract::manifest::{InputKind, Operation};
use forge_contract::name::Name;
use forge_contract::requirements::Requirements;
use serde_json::{Value, json};

use crate::policy::{Policy, Verdict};
use crate::registry::{Capability, Registry};
use crate::router::{CHAT, CODE, Offer, OfferedOperation};

/// The offers for the router. `chat` is always among them, since a model must be able to answer; `code`
/// too, unless a plugin provides it and policy denies that.
pub(super) fn offers(registry: &Registry, policy: &Policy) -> Vec<Offer> {
    let mut offers: Vec<Offer> = registry
        .capabilities()
        .filter_map(|(name, capability)| offer(name, capability, policy))
        .collect();
    let has_chat = offers.iter().any(|offer| offer.capability == CHAT);
    if !has_chat {
        offers.push(in_words(CHAT, "Talk with the user and answer questions."));
    }
    if registry.get(CODE).is_none() {
        offers.push(in_words(
            CODE,
            "Write source code. Only the code, without a fence.",
        ));
    }
    offers.sort_by(|a, b| a.capability.cmp(&b.capability));
    offers
}

/// One operation of one capability, as an operator looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The capability.
    pub capability: Name,
    /// What it is for.
    pub summary: String,
    /// The plugin that provides it.
    pub source: String,
    /// The operation.
    pub operation: Name,
    /// What that does.
    pub operation_summary: String,
    /// What it declares to need; `None` when it declares nothing at all.
    pub requires: Option<Requirements>,
    /// What policy says.
    pub verdict: Verdict,
}

/// Every operation that is there, with policy's verdict, in the order of the names.
#[must_use]
pub fn capabilities(registry: &Registry, policy: &Policy) -> Vec<Listing> {
    registry
        .capabilities()
        .flat_map(|(name, capability)| {
            capability
                .manifest
                .operations
                .iter()
                .map(|operation| Listing {
                    capability: name.clone(),
                    summary: capability.manifest.summary.clone(),
                    source: capability.source.clone(),
                    operation: operation.name.clone(),
                    operation_summary: operation.summary.clone(),
                    requires: operation.requires.clone(),
                    verdict: policy.of_operation(name, operation),
                })
        })
        .collect()
}

fn offer(name: &Name, capability: &Capability, policy: &Policy) -> Option<Offer> {
    let operations: Vec<OfferedOperation> = capability
        .manifest
        .operations
        .iter()
        .filter(|operation| !matches!(policy.of_operation(name, operation), Verdict::Deny(_)))
        .map(offered)
        .collect();
    (!operations.is_empty()).then(|| Offer {
        capability: name.to_string(),
        summary: capability.manifest.summary.clone(),
        operations,
        names_operation: capability.names_operation(),
    })
}

fn offered(operation: &Operation) -> OfferedOperation {
    OfferedOperation {
        name: operation.name.to_string(),
        summary: operation.summary.clone(),
        input: operation.input.clone(),
        kind: operation.input_kind(),
        examples: operation.examples.clone(),
    }
}

/// A capability without a provider, whose content is the answer.
fn in_words(capability: &str, summary: &str) -> Offer {
    static TEXT: LazyLock<Value> = LazyLock::new(|| json!({"type": "string"}));
    Offer {
        capability: capability.to_owned(),
        summary: summary.to_owned(),
        operations: vec![OfferedOperation {
            name: Operation::ONLY.to_owned(),
            summary: summary.to_owned(),
            input: TEXT.clone(),
            kind: InputKind::Text,
            examples: Vec::new(),
        }],
        names_operation: false,
    }
}
