//! A guest that imports the language model without declaring it. Its twin `declared_power` differs in the
//! declaration alone.

use forge_sdk::{NoInput, Requires, Result, llm};

forge_sdk::tool! {
    name: "undeclared_power",
    summary: "Asks the model without a declaration.",
    operations: {
        run(NoInput) => ask {
            summary: "Asks the model to say hello.",
            requires: Requires::none(),
        },
    },
}

fn ask(_input: NoInput) -> Result<String> {
    Ok(llm::generate("Say hello.")?.text)
}
