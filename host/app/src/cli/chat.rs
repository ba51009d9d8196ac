//! `forge chat`: one turn.

use std::convert::Infallible;
use std::io::{self, IsTerminal, Read, Write};

use forge_contract::effect::{Effect, FileEffect, RequestEffect};
use forge_core::approval::shown;
use forge_core::observer::{Event, Observer};
use forge_core::trace::{LlmRecord, StepRecord};
use forge_core::turn::{NO_TOOL, TurnReport};
use tokio::sync::mpsc;

use super::approve::{self, Question};
use super::error::{self, CliError};
use super::screen::{Answer, Notes, Screen, is_text};
use super::{ChatArguments, Exit, result};
use crate::app::{App, Before, ChatRequest, RunKind, Storage};
use crate::clock::SystemClock;
use crate::config::Config;

/// The longest text that is taken from standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// The width of a terminal that does not tell it.
const DEFAULT_COLUMNS: usize = 80;

pub(super) async fn run(config: &Config, arguments: &ChatArguments) -> Result<Exit, CliError> {
    let request = ChatRequest {
        text: text(arguments)?,
        before: match &arguments.conversation {
            Some(id) => Before::Conversation(id.clone()),
            None => Before::Exchanges(Vec::new()),
        },
        max_steps: None,
        attended: !arguments.json && io::stdin().is_terminal() && io::stderr().is_terminal(),
        kind: if arguments.agent {
            RunKind::Agent
        } else {
            RunKind::Routed
        },
    };
    let app = App::start(config).await?;
    for warning in app.warnings() {
        tracing::warn!("{warning}");
    }
    let screen = screen(arguments);
    let (sender, questions) = mpsc::unbounded_channel();
    let watching = Watching {
        screen: &screen,
        questions: sender,
    };
    let report = tokio::select! {
        report = app.chat(&request, &watching) => report,
        never = answer(&app, questions) => match never {},
        Ok(()) = tokio::signal::ctrl_c() => {
            screen.abandon();
            screen.note("· stopped");
            return Ok(Exit::Interrupted);
        }
    };
    if let Storage::Failed { reason } = &report.storage {
        screen.note(&format!("· not stored: {reason}"));
    }
    let report = report.turn;
    if arguments.json {
        result::print(&report).map_err(CliError::Output)?;
    } else if report.ok {
        screen.finish(&report.output).map_err(CliError::Output)?;
    } else {
        screen.abandon();
        error::say(&failure(&report));
    }
    screen.note(&summary(&report));
    Ok(exit(&report))
}

/// Hands questions on, and everything to the screen.
struct Watching<'a> {
    screen: &'a Screen,
    questions: mpsc::UnboundedSender<Question>,
}

impl Observer for Watching<'_> {
    fn observe(&self, event: Event<'_>) {
        if let Event::Asking {
            id,
            call,
            input,
            diff,
            reasons,
            may_be_always,
        } = &event
        {
            // Nobody answers any more once the turn is over.
            let _ = self.questions.send(Question {
                id: (*id).to_owned(),
                call: (*call).to_owned(),
                input: shown(input),
                diff: diff.map(str::to_owned),
                reasons: reasons.to_vec(),
                may_be_always: *may_be_always,
            });
        }
        self.screen.observe(event);
    }
}

/// Puts questions to the person at the terminal, one after the other.
async fn answer(app: &App, mut questions: mpsc::UnboundedReceiver<Question>) -> Infallible {
    loop {
        let Some(question) = questions.recv().await else {
            return std::future::pending().await;
        };
        let answer = approve::ask(&question).await;
        if let Err(error) = app.answer_approval(&question.id, answer).await {
            tracing::warn!("{error}");
        }
    }
}

fn exit(report: &TurnReport) -> Exit {
    if report.approval.is_some() {
        return Exit::NeedsApproval;
    }
    match (report.ok, report.tool.as_str()) {
        (true, _) => Exit::Answered,
        (false, NO_TOOL) => Exit::NoModel,
        (false, _) => Exit::TurnFailed,
    }
}

fn text(arguments: &ChatArguments) -> Result<String, CliError> {
    let text = match arguments.text.as_slice() {
        [only] if only == "-" => standard_input()?,
        words => words.join(" "),
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(CliError::NoText);
    }
    Ok(text.to_owned())
}

/// What comes on standard input, to its end.
pub(super) fn standard_input() -> Result<String, CliError> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(MAX_INPUT_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(CliError::Input)?;
    if text.len() as u64 > MAX_INPUT_BYTES {
        return Err(CliError::InputTooLong {
            limit: MAX_INPUT_BYTES,
        });
    }
    Ok(text)
}

fn screen(arguments: &ChatArguments) -> Screen {
    let answer = if io::stdout().is_terminal() {
        Answer::Live
    } else {
        Answer::AtTheEnd
    };
    let notes = match (arguments.json, io::stderr().is_terminal()) {
        (true, _) => Notes::Off,
        (false, true) => Notes::Live {
            columns: terminal_size::terminal_size_of(io::stderr())
                .map_or(DEFAULT_COLUMNS, |(width, _)| usize::from(width.0)),
        },
        (false, false) => Notes::WholeLines,
    };
    // An answer for a program is not shown by the screen at all.
    let answer = if arguments.json {
        Answer::AtTheEnd
    } else {
        answer
    };
    let output: Box<dyn Write + Send> = Box::new(io::stdout());
    let errors: Box<dyn Write + Send> = Box::new(anstream::stderr());
    Screen::new(
        Box::new(SystemClock::start()),
        (answer, output),
        (notes, errors),
    )
}

/// Why the turn failed, with what came before where that is of use.
fn failure(report: &TurnReport) -> String {
    let error = report.error.as_deref().unwrap_or(&report.output);
    match report.output.split_once("\n\n") {
        Some((_, before)) if report.output != error => format!("{error}\n\n{before}"),
        _ => error.to_owned(),
    }
}

/// What the turn cost: `· 1.2 s · 1 model call, 812 tokens in (800 cached), 20 out · …`.
fn summary(report: &TurnReport) -> String {
    let mut parts = vec![seconds(report.record.total_ms)];
    parts.push(model_part(&report.usage));
    parts.extend(tools_part(&report.record.steps));
    parts.push(format!("run {}", report.record.run_id));
    format!("· {}", parts.join(" · "))
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

fn model_part(usage: &LlmRecord) -> String {
    let mut part = counted(u64::from(usage.llm_calls), "model call");
    if let Some(read) = usage.prompt_tokens {
        part.push_str(&format!(", {} in", counted(read, "token")));
    }
    if let Some(cached) = usage.cached_tokens {
        part.push_str(&format!(" ({cached} cached)"));
    }
    if let Some(written) = usage.completion_tokens {
        part.push_str(&format!(", {written} out"));
    }
    part
}

fn tools_part(steps: &[StepRecord]) -> Option<String> {
    // A tool that hands on the model's words is no news.
    let acts = |step: &&StepRecord| !step.router_tool.as_deref().is_some_and(is_text);
    let calls: Vec<_> = steps
        .iter()
        .filter(acts)
        .filter_map(|step| step.call.as_ref())
        .collect();
    if calls.is_empty() {
        return None;
    }
    let mut part = counted(calls.len() as u64, "tool call");
    let effects = || calls.iter().flat_map(|call| &call.effects);
    let files = |is_counted: fn(&FileEffect) -> bool| {
        let used =
            effects().filter(|effect| matches!(effect, Effect::File(file) if is_counted(file)));
        used.count() as u64
    };
    let omitted: u64 = calls.iter().map(|call| call.effects_omitted).sum();
    let refused = effects().filter(|effect| matches!(effect, Effect::Refused { .. }));
    let requests = |is_counted: fn(&RequestEffect) -> bool| {
        let sent = effects()
            .filter(|effect| matches!(effect, Effect::Request(request) if is_counted(request)));
        sent.count() as u64
    };
    let counts = [
        (
            files(|file| !file.action.changes() && file.error.is_none()) + omitted,
            "file",
            "looked at",
        ),
        (
            files(|file| file.action.changes() && file.error.is_none()),
            "change",
            "made",
        ),
        (files(|file| file.error.is_some()), "attempt", "failed"),
        (
            requests(|request| request.status.is_some()),
            "request",
            "answered",
        ),
        (
            requests(|request| request.status.is_none()),
            "request",
            "refused or failed",
        ),
        (refused.count() as u64, "power", "refused"),
    ];
    for (count, what, done) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        part.push_str(&format!(", {} {done}", counted(count, what)));
    }
    Some(part)
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests;
