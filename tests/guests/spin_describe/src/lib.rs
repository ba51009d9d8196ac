//! A guest whose `describe` never returns, so that it can't even be loaded.

use forge_sdk::{Output, Result};

forge_sdk::export!(describe, run);

/// Never returns.
#[must_use]
pub fn describe() -> String {
    let mut count = 0_u64;
    loop {
        count = std::hint::black_box(count.wrapping_add(1));
    }
}

/// Is never reached.
///
/// # Errors
/// None.
pub fn run(_operation: &str, _input: &str) -> Result<Output> {
    Ok(Output::text("ok"))
}
