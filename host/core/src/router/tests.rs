//! Offers for the tests of the router's parts.

use serde_json::json;

use super::*;

/// An offer that takes text.
pub(crate) fn text_offer(capability: &str) -> Offer {
    object_offer(capability, vec![("run", json!({"type": "string"}))])
}

/// An offer with these operations.
pub(crate) fn object_offer(capability: &str, operations: Vec<(&str, Value)>) -> Offer {
    Offer {
        capability: capability.to_owned(),
        summary: format!("Does {capability}."),
        names_operation: operations.len() > 1,
        operations: operations
            .into_iter()
            .map(|(name, input)| OfferedOperation {
                name: name.to_owned(),
                summary: format!("Does {name}."),
                kind: if input["type"] == "string" {
                    InputKind::Text
                } else {
                    InputKind::Object
                },
                input,
                examples: Vec::new(),
            })
            .collect(),
    }
}

/// The fourteen tools of the cases, with permissive inputs: four take an object.
pub(crate) fn case_offers() -> Vec<Offer> {
    let any = || json!({"type": "object"});
    let texts = [
        "chat",
        "code",
        "delegate",
        "git",
        "recall",
        "research",
        "shell",
        "test",
        "web_fetch",
        "web_search",
    ];
    let mut offers: Vec<Offer> = texts.into_iter().map(text_offer).collect();
    let path = || json!({"type": "object", "properties": {"path": {"type": "string"}}});
    offers.push(object_offer(
        "files",
        vec![("read", path()), ("list", path()), ("write", any())],
    ));
    offers.push(object_offer(
        "memory",
        vec![("remember", any()), ("recall", any())],
    ));
    offers.push(object_offer("review", vec![("run", any())]));
    offers.push(object_offer("sysadmin", vec![("run", any())]));
    offers
}
