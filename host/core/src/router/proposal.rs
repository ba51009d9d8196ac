//! From a decision's content to the operation and its input. Not here: whether the input is valid.

use serde_json::Value;

use super::parser::Content;
use super::{ACTION, Offer};

/// One call, as the model proposes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The operation, as the model names it. It may be one that is not offered.
    pub operation: String,
    /// Its input, without `action`.
    pub input: Value,
}

/// Content from which no call can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadContent {
    /// It is no object.
    #[error("`{capability}` takes a JSON object as `content`, with {wanted}")]
    NotAnObject {
        /// Which capability.
        capability: String,
        /// What should have been in it.
        wanted: String,
    },
    /// It does not name its operation.
    #[error("`content` for `{capability}` must hold {wanted}")]
    NoAction {
        /// Which capability.
        capability: String,
        /// The names that it has.
        wanted: String,
    },
}

/// The call that `content` proposes to what is offered.
///
/// # Errors
/// When `content` is no object where one is taken, or does not name one of several operations.
pub fn propose(content: &Content, offer: &Offer) -> Result<Proposal, BadContent> {
    let capability = || offer.capability.clone();
    let only = || {
        offer
            .operations
            .first()
            .map_or_else(String::new, |first| first.name.clone())
    };
    let fields = match content {
        Content::Text(text) => {
            return Ok(Proposal {
                operation: only(),
                input: Value::String(text.clone()),
            });
        }
        Content::Payload(Value::Object(fields)) => fields,
        Content::Payload(_) => {
            return Err(BadContent::NotAnObject {
                capability: capability(),
                wanted: wanted(offer),
            });
        }
    };
    if !offer.names_operation {
        return Ok(Proposal {
            operation: only(),
            input: Value::Object(fields.clone()),
        });
    }
    let mut fields = fields.clone();
    let action = fields.shift_remove(ACTION);
    match action.as_ref().and_then(Value::as_str) {
        Some(action) if !action.trim().is_empty() => Ok(Proposal {
            operation: action.trim().to_ascii_lowercase(),
            input: Value::Object(fields),
        }),
        _ => Err(BadContent::NoAction {
            capability: capability(),
            wanted: wanted(offer),
        }),
    }
}

/// What an object for `offer` must hold, in words.
fn wanted(offer: &Offer) -> String {
    if !offer.names_operation {
        return "the fields of its input".to_owned();
    }
    let names: Vec<String> = offer
        .operations
        .iter()
        .map(|operation| format!("`{}`", operation.name))
        .collect();
    format!("`{ACTION}`, one of {}", names.join(", "))
}
