//! The router: asks the model for one decision, and reads what comes back.
//!
//! A decision is `{"tool": …, "content": …, "done": …}`. Not here: who offers a tool and whether it may
//! run. The router is handed [`Offer`]s and knows nothing behind them.

use forge_contract::manifest::{Example, InputKind};
use serde_json::Value;

// In reading order: what the model is sent, how it is bound, what is made of its answer.
pub mod prompt;
mod shape;
pub mod constraint;
mod gbnf;
mod schema;
mod range;
pub mod stream;
pub mod parser;
pub mod placeholder;
pub mod proposal;
pub mod json;

/// The capability that answers in words. The model can always choose it.
pub const CHAT: &str = "chat";
/// The capability that answers with source text.
pub const CODE: &str = "code";
/// The key that names the operation where a capability has several.
pub const ACTION: &str = "action";

/// A capability that the model may choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its name.
    pub capability: String,
    /// What it is for, in one sentence.
    pub summary: String,
    /// The operations that may be chosen; one at least.
    pub operations: Vec<OfferedOperation>,
    /// Whether `action` names the operation. True for a capability that has several, also when only
    /// one of them is offered, so that its inputs look the same whatever policy leaves.
    pub names_operation: bool,
}

/// One operation of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedOperation {
    /// Its name.
    pub name: String,
    /// What it does, in one sentence.
    pub summary: String,
    /// The JSON Schema of its input.
    pub input: Value,
    /// What it takes.
    pub kind: InputKind,
    /// What a person might say, and the input that serves it.
    pub examples: Vec<Example>,
}

impl Offer {
    /// Whether the content of a decision for it is text.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.operations
            .iter()
            .all(|operation| operation.kind == InputKind::Text)
    }
}

/// The offer called `capability`.
#[must_use]
pub fn find<'a>(offers: &'a [Offer], capability: &str) -> Option<&'a Offer> {
    offers.iter().find(|offer| offer.capability == capability)
}

#[cfg(test)]
pub(crate) mod tests;
