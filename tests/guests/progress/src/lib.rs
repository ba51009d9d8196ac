//! A guest that tells how far it is: two steps, two deltas, one log line of each level; then it answers its
//! settings as JSON.

use forge_sdk::{NoInput, Requires, Result, Value, log, progress, settings};

forge_sdk::tool! {
    name: "progress",
    summary: "Tells how far it is.",
    operations: {
        run(NoInput) => tell {
            summary: "Tells, and answers its settings.",
            requires: Requires::none(),
        },
    },
}

fn tell(_input: NoInput) -> Result<Value> {
    progress::step("first");
    progress::delta("Hel");
    progress::step("second");
    progress::delta("lo");
    log::debug("a debug line");
    log::info("an info line");
    log::warn("a warn line");
    log::error("an error line");
    settings::read()
}
