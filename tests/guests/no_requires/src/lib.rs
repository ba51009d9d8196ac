//! A guest whose manifest has no `requires`. It tries the workspace, the host's files and the language
//! model, and answers as JSON what came of each.

use forge_sdk::{Error, IntoOutput as _, Output, Result, Value, files, json, llm};

forge_sdk::export!(describe, run);

/// A manifest without `requires`.
#[must_use]
pub fn describe() -> String {
    json!({
        "manifest_version": 1,
        "name": "no_requires",
        "version": "0.1.0",
        "summary": "Declares nothing and tries everything.",
        "operations": [{
            "name": "run",
            "summary": "Tries everything.",
            "input": {"type": "object", "additionalProperties": false},
        }],
    })
    .to_string()
}

/// Tries everything.
///
/// # Errors
/// None.
pub fn run(_operation: &str, _input: &str) -> Result<Output> {
    let read_dir = || {
        let entries: std::io::Result<Vec<_>> = std::fs::read_dir("/workspace")?.collect();
        Ok(format!("{} entries", entries?.len()))
    };
    json!({
        "workspace": told(read_dir()),
        "files": told(files::list("").map(|names| names.join(", "))),
        "llm": told(llm::generate("Say hello.").map(|answer| answer.text)),
    })
    .into_output()
}

fn told(result: Result<String, Error>) -> Value {
    match result {
        Ok(text) => json!({ "ok": text }),
        Err(error) => json!({ "code": error.code().as_str(), "message": error.message() }),
    }
}
