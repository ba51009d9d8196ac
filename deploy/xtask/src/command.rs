//! Other programs: run, read, run within a time, replace this one.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::environment;
use crate::progress::say;

/// Says what is run, runs it on this terminal and fails where it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    say(format_args!("$ {}", line(command)));
    let status = command.status().with_context(|| not_started(command))?;
    if !status.success() {
        bail!("`{}` failed: {status}", line(command));
    }
    Ok(())
}

/// Runs it without a word and returns its standard output; an error carries its standard error.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| not_started(command))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{}` failed: {}: {}",
            line(command),
            output.status,
            said.trim()
        );
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` did not write UTF-8", line(command)))
}

/// Whether the program is there and answers this call with success.
pub(crate) fn answers(command: &mut Command) -> bool {
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Runs it for at most `limit`; true when it ended in time and with success.
pub(crate) fn succeeds_within(command: &mut Command, limit: Duration) -> Result<bool> {
    say(format_args!("$ {}", line(command)));
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| not_started(command))?;
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(100));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

/// Replaces this program, so that signals and the exit code are the other's own.
#[cfg(unix)]
pub(crate) fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;

    say(format_args!("$ {}", line(command)));
    Err(command.exec()).with_context(|| not_started(command))
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(environment::cargo())
}

/// The command as one would type it; words with blanks are quoted.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// One word for a shell.
pub(crate) fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn not_started(command: &Command) -> String {
    format!(
        "`{}` could not be started",
        command.get_program().to_string_lossy()
    )
}
