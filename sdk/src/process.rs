//! Programs. Declared by [`Requires::programs`](crate::Requires::programs). Not here: a shell;
//! arguments reach the program as they are.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::bindings::forge::tool::process as host;
use crate::component::on_host;
use crate::error::Result;

/// A program to run.
///
/// ```no_run
/// # fn log() -> forge_sdk::Result<String> {
/// use forge_sdk::process::Command;
///
/// let outcome = Command::new("git").args(["log", "--oneline", "-15"]).run()?;
/// # Ok(String::from_utf8_lossy(&outcome.stdout).into_owned())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Command {
    program: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<String>,
    #[serde(rename = "cwd", skip_serializing_if = "Option::is_none")]
    current_dir: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip)]
    stdin: Option<Vec<u8>>,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; 128 plus the signal's number when a signal ended it.
    pub exit_code: i32,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// Whether output was cut at the host's limit.
    pub truncated: bool,
}

impl Command {
    /// A declared program, by bare name.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }

    /// With these arguments after those it has.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// In this folder, relative to the workspace; the workspace itself without this.
    #[must_use]
    pub fn current_dir(self, path: impl Into<String>) -> Self {
        Self {
            current_dir: Some(path.into()),
            ..self
        }
    }

    /// With one more environment variable, if the operator's list allows it.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With a deadline earlier than the call's own.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self {
            timeout_ms: Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            ..self
        }
    }

    /// With these bytes as its standard input.
    #[must_use]
    pub fn stdin(self, stdin: impl Into<Vec<u8>>) -> Self {
        Self {
            stdin: Some(stdin.into()),
            ..self
        }
    }

    /// Runs it to its end. A non-zero exit is no error.
    ///
    /// # Errors
    /// `denied` when the program may not run, `timeout` past the deadline, `unavailable` when it is not
    /// installed.
    pub fn run(&self) -> Result<Outcome> {
        let command = serde_json::to_string(self)?;
        let outcome = on_host("process", || host::exec(&command, self.stdin.as_deref()))?;
        Ok(Outcome {
            exit_code: outcome.exit_code,
            stdout: outcome.stdout,
            stderr: outcome.stderr,
            truncated: outcome.truncated,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_has_the_contracts_form() {
        let check = |command: Command, expected| assert_eq!(json!(command), expected);
        check(Command::new("git"), json!({"program": "git"}));
        check(
            Command::new("git")
                .args(["log"])
                .args(["-1"])
                .current_dir("sub")
                .env("LANG", "C")
                .timeout(Duration::from_secs(2))
                .stdin("not in the document"),
            json!({
                "program": "git", "args": ["log", "-1"], "cwd": "sub",
                "env": {"LANG": "C"}, "timeout_ms": 2000,
            }),
        );
    }
}
