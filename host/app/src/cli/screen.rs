//! What a person sees while a turn runs: the answer on standard output, everything else on standard
//! error.
//!
//! The answer is written as it decodes only where a person reads along. Into a pipe it goes whole,
//! once it is final, so that a withdrawn text never lands there.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use forge_contract::outcome::Outcome;
use forge_core::clock::Clock;
use forge_core::observer::{Event, Observer};
use forge_core::router;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::print::unless_closed;
use super::printable::{preview, printable};

/// Where things are written.
pub(super) struct Screen {
    clock: Box<dyn Clock>,
    state: Mutex<State>,
}

/// Who reads standard output while the turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// A person: pieces are written as they come.
    Live,
    /// A program or a file: the final answer is written at once.
    AtTheEnd,
}

/// Who reads standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    /// A person: a line may be begun before it is known how it ends.
    Live {
        /// The terminal's width. A line that fills it could not be taken back.
        columns: usize,
    },
    /// A file: whole lines.
    WholeLines,
    /// Nobody.
    Off,
}

struct State {
    answer: Answer,
    notes: Notes,
    output: Box<dyn Write + Send>,
    errors: Box<dyn Write + Send>,
    /// What stands on standard output of the answer that is being written.
    written: String,
    /// The call that is under way.
    call: Option<ShownCall>,
    /// A step that failed. Why stands in its line only if the run goes on: else it is the turn's error.
    failed: Option<FailedStep>,
    /// How many columns of an unfinished note stand on the terminal's line.
    unfinished_columns: usize,
}

struct ShownCall {
    line: String,
    began: Duration,
}

struct FailedStep {
    line: String,
    problem: String,
}

/// What a terminal writes behind an unfinished line when a key is pressed: `^C`.
const ECHO_COLUMNS: usize = 2;

const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();
const ODD: Style = AnsiColor::Yellow.on_default();

/// The longest input that a step's line shows, in characters.
const INPUT_CHARS: usize = 80;

/// The longest failure that a step's line shows, in characters.
const FAILURE_CHARS: usize = 300;

impl Screen {
    pub(super) fn new(
        clock: Box<dyn Clock>,
        (answer, output): (Answer, Box<dyn Write + Send>),
        (notes, errors): (Notes, Box<dyn Write + Send>),
    ) -> Self {
        let state = State {
            answer,
            notes,
            output,
            errors,
            written: String::new(),
            call: None,
            failed: None,
            unfinished_columns: 0,
        };
        Self {
            clock,
            state: Mutex::new(state),
        }
    }

    /// Writes what is still missing of the final answer.
    ///
    /// # Errors
    /// When standard output can't be written. A reader that has seen enough is no error.
    pub(super) fn finish(&self, answer: &str) -> io::Result<()> {
        let mut state = self.state();
        state.settle();
        let written = std::mem::take(&mut state.written);
        let rest = match answer.strip_prefix(written.as_str()) {
            Some(rest) => rest,
            // The tool put a frame around what was shown, such as a fence around source text.
            None if answer.contains(written.trim()) => "",
            None => {
                state.written.clone_from(&written);
                state.end_line();
                state.written.clear();
                answer
            }
        };
        let ends_with_newline = if rest.is_empty() { &written } else { rest }.ends_with('\n');
        let line_end = if ends_with_newline { "" } else { "\n" };
        let text = match state.answer {
            Answer::Live => printable(rest),
            Answer::AtTheEnd => rest.into(),
        };
        let result = write!(state.output, "{text}{line_end}").and_then(|()| state.output.flush());
        unless_closed(result)
    }

    /// Leaves the answer as it stands: there will be no more of it.
    pub(super) fn abandon(&self) {
        let mut state = self.state();
        state.settle();
        state.end_line();
        state.written.clear();
    }

    /// Writes one line of notes.
    pub(super) fn note(&self, line: &str) {
        self.state().note(DIM, line);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Screen {
    fn observe(&self, event: Event<'_>) {
        let mut state = self.state();
        if let Some(failed) = state.failed.take() {
            state.note(BAD, &format!("{}: {}", failed.line, failed.problem));
        }
        match event {
            Event::Deciding { .. } => state.begin_note("· thinking …"),
            Event::Chosen { tool, .. } => {
                if !is_text(tool) {
                    state.begin_note(&format!("· {tool} …"));
                }
            }
            Event::Delta { text } => state.piece(text),
            Event::Decided {
                tool,
                operation,
                input,
                ..
            } => {
                state.erase_note();
                if !is_text(tool) {
                    let line = format!("· {tool}.{operation} {}", preview(input, INPUT_CHARS));
                    state.begin_note(&format!("{line} …"));
                    let began = self.clock.elapsed();
                    state.call = Some(ShownCall { line, began });
                }
            }
            // Whoever asks settles the line first.
            Event::Asking { .. } => state.erase_note(),
            Event::SubStep { name, .. } => {
                let line = format!("  › {}", preview(name, INPUT_CHARS));
                state.note(DIM, &line);
            }
            Event::Finished { tool, outcome, .. } => {
                state.finished(tool, outcome, self.clock.elapsed());
            }
            Event::Retract { .. } => state.retract(),
        }
    }
}

impl State {
    fn piece(&mut self, text: &str) {
        if self.answer == Answer::AtTheEnd {
            return;
        }
        self.erase_note();
        self.written.push_str(text);
        // Whoever closed the terminal does not read along; the turn goes on to its record.
        let _ = write!(self.output, "{}", printable(text)).and_then(|()| self.output.flush());
    }

    fn finished(&mut self, tool: &str, outcome: &Outcome, now: Duration) {
        self.erase_note();
        let call = self.call.take();
        if outcome.is_done() && is_text(tool) {
            return;
        }
        // A step that was refused before its call has nothing to be timed.
        let line = call.map_or_else(
            || format!("· {tool}"),
            |call| {
                format!(
                    "{} · {} ms",
                    call.line,
                    now.saturating_sub(call.began).as_millis()
                )
            },
        );
        if outcome.is_done() {
            self.note(DIM, &line);
        } else {
            self.failed = Some(FailedStep {
                line: format!("{line} · {}", outcome.kind()),
                problem: preview(&outcome.to_string(), FAILURE_CHARS),
            });
        }
    }

    /// Writes what was held back, because nothing will follow.
    fn settle(&mut self) {
        self.erase_note();
        if let Some(failed) = self.failed.take() {
            self.note(BAD, &failed.line);
        }
    }

    /// Marks what stands there as withdrawn. It may be longer than the terminal, so it is not erased.
    fn retract(&mut self) {
        self.erase_note();
        if !self.written.is_empty() {
            self.end_line();
            self.written.clear();
            self.note(ODD, "· what stands above is no answer and is withdrawn");
        }
    }

    /// Ends the answer's line, so that something else can follow.
    fn end_line(&mut self) {
        if !self.written.is_empty() && !self.written.ends_with('\n') {
            let _ = writeln!(self.output).and_then(|()| self.output.flush());
            self.written.push('\n');
        }
    }

    fn note(&mut self, style: Style, line: &str) {
        if self.notes == Notes::Off {
            return;
        }
        self.erase_note();
        self.end_line();
        let _ = writeln!(self.errors, "{style}{line}{style:#}");
    }

    /// Begins a line that the next note or piece takes back. Only for a person's eyes.
    fn begin_note(&mut self, line: &str) {
        let Notes::Live { columns } = self.notes else {
            return;
        };
        self.erase_note();
        self.end_line();
        let line = cut_to_width(line, columns.saturating_sub(ECHO_COLUMNS + 1));
        let _ = write!(self.errors, "{DIM}{line}{DIM:#}").and_then(|()| self.errors.flush());
        self.unfinished_columns = line.width() + ECHO_COLUMNS;
    }

    /// Takes the unfinished note back. Blanks do it on every terminal, also without colours.
    fn erase_note(&mut self) {
        let columns = std::mem::take(&mut self.unfinished_columns);
        if columns > 0 {
            let _ = write!(self.errors, "\r{:columns$}\r", "").and_then(|()| self.errors.flush());
        }
    }
}

/// The beginning of `line` that takes no more than `columns` columns.
fn cut_to_width(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut cut = String::new();
    for c in line.chars() {
        if cut.width() + c.width().unwrap_or(0) >= columns {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// Whether a capability's answer is the text that it streams, so that its call needs no line.
pub(super) fn is_text(tool: &str) -> bool {
    tool == router::CHAT || tool == router::CODE
}

#[cfg(test)]
mod tests;
