//! A guest that looks at the clocks and rolls dice. `run` answers as JSON `wall_ns`, `monotonic_ns` (how long an
//! empty stretch took) and `random`. Its summary holds the time and a random number too: a sealed instance must
//! describe itself the same way each time.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use forge_sdk::{IntoOutput as _, Output, Result, json};

forge_sdk::export!(describe, run);

/// A manifest whose summary tells the time.
#[must_use]
pub fn describe() -> String {
    json!({
        "manifest_version": 1,
        "name": "clock",
        "version": "0.1.0",
        "summary": format!("Loaded at {} with the number {}.", wall_ns(), random()),
        "operations": [{
            "name": "run",
            "summary": "Tells the time.",
            "input": {"type": "object", "additionalProperties": false},
            "requires": {},
        }],
    })
    .to_string()
}

/// Tells the time.
///
/// # Errors
/// None.
pub fn run(_operation: &str, _input: &str) -> Result<Output> {
    let start = Instant::now();
    json!({
        "wall_ns": wall_ns(),
        "random": [random(), random()],
        "monotonic_ns": start.elapsed().as_nanos().to_string(),
    })
    .into_output()
}

/// Nanoseconds since 1970, as text: they are more than a JSON number holds.
#[expect(
    clippy::disallowed_methods,
    reason = "the house rule is the host's; the guest's clock is what is tested"
)]
fn wall_ns() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or_else(
        |error| error.to_string(),
        |since| since.as_nanos().to_string(),
    )
}

/// The seed of the standard library's maps is all the randomness that it gives away.
fn random() -> String {
    RandomState::new().hash_one(0_u8).to_string()
}
