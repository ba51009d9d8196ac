//! A guest whose `run` never returns.

use forge_sdk::{NoInput, Requires};

forge_sdk::tool! {
    name: "spin",
    summary: "Never returns.",
    operations: {
        run(NoInput) => spin {
            summary: "Counts for ever.",
            requires: Requires::none(),
        },
    },
}

fn spin(_input: NoInput) -> String {
    let mut count = 0_u64;
    loop {
        count = std::hint::black_box(count.wrapping_add(1));
    }
}
