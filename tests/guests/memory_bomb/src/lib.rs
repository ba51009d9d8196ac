//! A guest that allocates for ever, and touches what it gets.

use forge_sdk::{NoInput, Requires};

forge_sdk::tool! {
    name: "memory_bomb",
    summary: "Takes all the memory there is.",
    operations: {
        run(NoInput) => take {
            summary: "Takes memory, 1 MiB at a time.",
            requires: Requires::none(),
        },
    },
}

fn take(_input: NoInput) -> String {
    let mut taken = Vec::new();
    loop {
        taken.push(std::hint::black_box(vec![1_u8; 1024 * 1024]));
    }
}
