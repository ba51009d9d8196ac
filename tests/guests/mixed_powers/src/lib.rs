//! A guest with an operation that may `ask` the model and a `plain` one that may not and tries all the same.
//! Both answer what they were told, as JSON.

use forge_sdk::{NoInput, Requires, Value, json, llm};

forge_sdk::tool! {
    name: "mixed_powers",
    summary: "Asks the model, with and without the right to.",
    operations: {
        plain(NoInput) => ask {
            summary: "Asks the model without a declaration.",
            requires: Requires::none(),
        },
        ask(NoInput) => ask {
            summary: "Asks the model under a declaration.",
            requires: Requires::none().llm(),
        },
    },
}

fn ask(_input: NoInput) -> Value {
    match llm::generate("Say hello.") {
        Ok(answer) => json!({ "text": answer.text }),
        Err(error) => json!({ "code": error.code().as_str(), "message": error.message() }),
    }
}
