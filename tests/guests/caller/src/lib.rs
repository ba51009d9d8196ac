//! A guest that calls what its input says, under a declaration for `clock` alone.

use forge_sdk::{Requires, Value, capabilities, json};

/// A call.
#[forge_sdk::input]
struct Call {
    /// The capability.
    capability: String,
    /// The operation.
    operation: String,
}

forge_sdk::tool! {
    name: "caller",
    summary: "Calls other tools.",
    operations: {
        run(Call) => run {
            summary: "Calls what it is told to.",
            requires: Requires::none().calls(["clock"]),
        },
    },
}

fn run(input: Call) -> Value {
    match capabilities::invoke(&input.capability, &input.operation, &json!({"a": 1})) {
        Ok(output) => json!({ "answered": output.as_text() }),
        Err(error) => json!({ "code": error.code().as_str(), "message": error.message() }),
    }
}
