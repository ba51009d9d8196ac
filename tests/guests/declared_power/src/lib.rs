//! A guest that declares the language model and asks it. Its twin `undeclared_power` differs in the
//! declaration alone.

use forge_sdk::{NoInput, Requires, Result, llm};

forge_sdk::tool! {
    name: "declared_power",
    summary: "Asks the model under a declaration.",
    operations: {
        run(NoInput) => ask {
            summary: "Asks the model to say hello.",
            requires: Requires::none().llm(),
        },
    },
}

fn ask(_input: NoInput) -> Result<String> {
    Ok(llm::generate("Say hello.")?.text)
}
