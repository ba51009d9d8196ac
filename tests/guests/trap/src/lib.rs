//! A guest that ends in a trap: `panic` with a message on standard error, `unreachable` without a word.
//! `overflow` runs out of stack.

use forge_sdk::{NoInput, Requires};

forge_sdk::tool! {
    name: "trap",
    summary: "Ends in a trap.",
    operations: {
        panic(NoInput) => panic_with_message {
            summary: "Panics with a message.",
            requires: Requires::none(),
        },
        unreachable(NoInput) => reach_the_unreachable {
            summary: "Executes what can't be reached.",
            requires: Requires::none(),
        },
        overflow(NoInput) => overflow {
            summary: "Calls itself for ever.",
            requires: Requires::none(),
        },
    },
}

fn panic_with_message(_input: NoInput) -> String {
    panic!("the guest panicked on purpose")
}

fn reach_the_unreachable(_input: NoInput) -> String {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::process::abort()
}

fn overflow(_input: NoInput) -> String {
    deeper(1).to_string()
}

fn deeper(depth: u64) -> u64 {
    if std::hint::black_box(depth) == 0 {
        return 0;
    }
    std::hint::black_box(deeper(depth + 1)) + 1
}
