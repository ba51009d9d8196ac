//! A guest that does nothing, for benches: `run` answers `ok`.

use forge_sdk::{NoInput, Requires};

forge_sdk::tool! {
    name: "noop",
    summary: "Does nothing.",
    operations: {
        run(NoInput) => ok {
            summary: "Answers `ok`.",
            requires: Requires::none(),
        },
    },
}

fn ok(_input: NoInput) -> &'static str {
    "ok"
}
