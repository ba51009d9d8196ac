//! A guest whose `requires` has a field that no host could enforce.

use forge_sdk::{Output, Result, json};

forge_sdk::export!(describe, run);

/// A manifest with the unknown requirement `everything`.
#[must_use]
pub fn describe() -> String {
    json!({
        "manifest_version": 1,
        "name": "lying_requires",
        "version": "0.1.0",
        "summary": "Requires what nobody knows.",
        "operations": [{
            "name": "run",
            "summary": "Answers `ok`.",
            "input": {"type": "object", "additionalProperties": false},
            "requires": {"workspace": "read", "everything": true},
        }],
    })
    .to_string()
}

/// Answers `ok`.
///
/// # Errors
/// None.
pub fn run(_operation: &str, _input: &str) -> Result<Output> {
    Ok(Output::text("ok"))
}
