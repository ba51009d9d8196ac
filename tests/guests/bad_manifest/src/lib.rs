//! A guest that describes itself with what is no manifest.

use forge_sdk::{Output, Result};

forge_sdk::export!(describe, run);

/// What is no manifest.
#[must_use]
pub fn describe() -> String {
    "this tool is wonderful, trust it".to_owned()
}

/// Answers `ok`.
///
/// # Errors
/// None.
pub fn run(_operation: &str, _input: &str) -> Result<Output> {
    Ok(Output::text("ok"))
}
