//! `forge approve` and `forge approvals`: the operator's answers from the command line, and from within `forge chat`.

use std::io::{self, Write};

use forge_core::approval::{Answer, shown};

use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{ApproveArguments, Exit};
use crate::app::App;
use crate::config::Config;

/// Answers one question.
pub(super) async fn run(config: &Config, arguments: &ApproveArguments) -> Result<Exit, CliError> {
    let app = App::start(config).await?;
    let answer = match (arguments.no, arguments.always) {
        (true, _) => Answer::No,
        (false, true) => Answer::Always,
        (false, false) => Answer::Once,
    };
    let answered = app.answer_approval(&arguments.id, answer).await;
    answered.map_err(|error| CliError::NotPossible(error.to_string()))?;
    let told = match answer {
        Answer::No => "refused",
        Answer::Always => "approved for ever, for just this call",
        Answer::Once | Answer::Session => "approved once: ask for it again",
    };
    print(&format!("{}: {told}\n", arguments.id))?;
    Ok(Exit::Answered)
}

/// Lists what waits.
pub(super) async fn list(config: &Config) -> Result<Exit, CliError> {
    let app = App::start(config).await?;
    let pending = app.pending_approvals().await;
    let pending = pending.map_err(|error| CliError::NotPossible(error.with_cause()))?;
    let mut text = String::new();
    for asked in &pending {
        text += &format!(
            "{}  {}\n{}\n  {}\n\n",
            asked.id,
            asked.call(),
            wanted(&shown(&asked.input), app.preview(asked).as_deref()),
            asked.reasons().join("; ")
        );
    }
    if pending.is_empty() {
        "nothing waits for an answer\n".clone_into(&mut text);
    }
    print(&printable(&text))?;
    Ok(Exit::Answered)
}

/// A question as it is put to a person on a terminal.
pub(super) struct Question {
    pub(super) id: String,
    pub(super) call: String,
    /// The whole input, with what deceives spelt out.
    pub(super) input: String,
    /// What it would change in a file, where that can be told.
    pub(super) diff: Option<String>,
    pub(super) reasons: Vec<String>,
    pub(super) may_be_always: bool,
}

/// Puts the question and waits for an answer. Whoever says nothing says no.
pub(super) async fn ask(question: &Question) -> Answer {
    let text = format!(
        "\n`{}` wants to be run with\n{}\n{}\n",
        question.call,
        wanted(&question.input, question.diff.as_deref()),
        question.reasons.join("\n"),
    );
    let always = if question.may_be_always {
        ", [a]lways for just this call"
    } else {
        ""
    };
    let prompt = format!("Allow it? [o]nce, as long as this [r]uns{always}, [N]o: ");
    let may_be_always = question.may_be_always;
    let answered = tokio::task::spawn_blocking(move || {
        let mut errors = anstream::stderr();
        write!(errors, "{}{prompt}", printable(&text))?;
        errors.flush()?;
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        Ok::<_, io::Error>(line)
    });
    let line = answered.await.ok().and_then(Result::ok).unwrap_or_default();
    match line.trim().to_lowercase().as_str() {
        "o" | "once" | "y" | "yes" => Answer::Once,
        "r" | "runs" => Answer::Session,
        "a" | "always" if may_be_always => Answer::Always,
        _ => Answer::No,
    }
}

/// The input of a call, and what that would change.
fn wanted(input: &str, diff: Option<&str>) -> String {
    let input = indented(input);
    match diff {
        Some(diff) => format!("{input}\nwhich changes\n{}", indented(diff)),
        None => input,
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
