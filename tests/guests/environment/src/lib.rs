//! A guest that looks at what surrounds it and answers as JSON what it sees: `variables`, `arguments`, `cwd`,
//! `stdin` and the entries of `/`.

use std::env;
use std::io::Read as _;

use forge_sdk::{NoInput, Requires, Value, json};

forge_sdk::tool! {
    name: "environment",
    summary: "Looks around.",
    operations: {
        run(NoInput) => look {
            summary: "Tells what surrounds it.",
            requires: Requires::none(),
        },
    },
}

#[expect(
    clippy::disallowed_methods,
    reason = "the house rule is the host's; the guest's surroundings are what is tested"
)]
fn look(_input: NoInput) -> Value {
    let variables: Vec<[String; 2]> = env::vars_os()
        .map(|(name, value)| [name, value].map(|text| text.to_string_lossy().into_owned()))
        .collect();
    let arguments: Vec<String> = env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let mut stdin = Vec::new();
    let stdin = std::io::stdin()
        .read_to_end(&mut stdin)
        .map(|_| String::from_utf8_lossy(&stdin).into_owned());
    let root = std::fs::read_dir("/").map(|entries| entries.count());
    json!({
        "variables": variables,
        "arguments": arguments,
        "cwd": env::current_dir().map_or_else(|error| error.to_string(), |path| path.display().to_string()),
        "stdin": stdin.unwrap_or_else(|error| format!("error: {error}")),
        "root": root.map_or_else(|error| json!(error.to_string()), |count| json!(count)),
    })
}
