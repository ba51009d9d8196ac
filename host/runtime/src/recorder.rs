//! Notes what a call does, within bounds. Not here: requests, which go on while other things happen (`requests`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forge_contract::effect::{CallEffect, Effect, FileAction, FileEffect};
use forge_contract::label::Label;
use forge_contract::outcome::Outcome;
use forge_contract::report::{CallReport, LogLevel, LogLine};

use crate::limiter::LimitReached;
use crate::recorder::requests::RequestNotes;
use crate::settings::Limits;

pub(crate) mod requests;

/// The notes of one call.
pub(crate) struct Recorder {
    limits: Limits,
    effects: Vec<Effect>,
    effects_omitted: u64,
    /// Requests, where the call may send any: they go on beside everything else.
    requests: Option<Arc<RequestNotes>>,
    log: Vec<LogLine>,
    log_omitted: u64,
    steps: Vec<String>,
    /// Where what other capabilities brought came from.
    brought: BTreeSet<Label>,
    /// What the guest holds open, by the number of its handle.
    opened: Vec<(u32, Opened)>,
    /// Where to add the bytes that went through an opening, once the call is over.
    counters: Vec<(usize, Arc<AtomicU64>)>,
}

/// A file or folder that the guest holds open.
struct Opened {
    path: OpenedPath,
    /// Bytes read or written through it.
    bytes: Arc<AtomicU64>,
}

/// The guest's path of what it holds open.
enum OpenedPath {
    /// That of the effect with this index.
    OfEffect(usize),
    /// This one.
    Own(String),
}

/// The longest line or sub-step that is kept, in characters.
const LINE_CHARS: usize = 1000;

impl Recorder {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            effects: Vec::new(),
            effects_omitted: 0,
            requests: None,
            log: Vec::new(),
            log_omitted: 0,
            steps: Vec::new(),
            brought: BTreeSet::new(),
            opened: Vec::new(),
            counters: Vec::new(),
        }
    }

    /// Notes an opening or listing. Past the limit it is only counted.
    pub(crate) fn looked(&mut self, action: FileAction, path: String, error: Option<String>) {
        debug_assert!(!action.changes(), "a change is asked for before it is made");
        if self.has_room() {
            self.push_file(FileEffect {
                action,
                path,
                to: None,
                bytes: 0,
                error,
            });
        } else {
            self.effects_omitted += 1;
        }
    }

    /// Makes room for a change that is about to be tried: none happens without a note.
    pub(crate) fn before_change(&self) -> Result<(), LimitReached> {
        if self.has_room() {
            Ok(())
        } else {
            Err(LimitReached {
                limit: "effects",
                value: self.limits.effects as u64,
            })
        }
    }

    /// Notes a change, or one that failed.
    pub(crate) fn changed(
        &mut self,
        action: FileAction,
        path: String,
        to: Option<String>,
        error: Option<String>,
    ) {
        self.push_file(FileEffect {
            action,
            path,
            to,
            bytes: 0,
            error,
        });
    }

    /// Adds `bytes` to the change that was noted last.
    pub(crate) fn wrote(&mut self, bytes: u64) {
        if let Some(Effect::File(file)) = self.effects.last_mut() {
            file.bytes = bytes;
        }
    }

    /// Notes requests from now on in what is returned.
    pub(crate) fn note_requests(&mut self) -> Arc<RequestNotes> {
        self.requests.get_or_insert_default().clone()
    }

    /// Notes a call of a power that was refused.
    pub(crate) fn refused(&mut self, effect: Effect) {
        if self.has_room() {
            self.push(effect);
        } else {
            self.effects_omitted += 1;
        }
    }

    /// Notes a call of another capability, which brought data of `labels`.
    pub(crate) fn called(&mut self, effect: CallEffect, labels: &BTreeSet<Label>) {
        self.push(Effect::Call(effect));
        self.brought.extend(labels);
    }

    /// Where what the call has seen so far came from.
    pub(crate) fn labels(&self) -> BTreeSet<Label> {
        let has_looked = self.effects.iter().any(is_private) || self.effects_omitted > 0;
        let was_answered = self.requests.as_ref().is_some_and(|it| it.any_answered());
        let mut labels = self.brought.clone();
        labels.extend(has_looked.then_some(Label::Private));
        labels.extend(was_answered.then_some(Label::External));
        labels
    }

    /// Remembers that the handle `number` stands for the file whose opening was noted last. The bytes
    /// that go through it are added to that note.
    pub(crate) fn opened_noted(&mut self, number: u32) {
        let last = self.effects.len().saturating_sub(1);
        let bytes = Arc::new(AtomicU64::new(0));
        self.counters.push((last, bytes.clone()));
        let path = OpenedPath::OfEffect(last);
        self.opened.push((number, Opened { path, bytes }));
    }

    /// Remembers that the handle `number` stands for `path`, of whose opening there is no note.
    pub(crate) fn opened_unnoted(&mut self, number: u32, path: String) {
        let (path, bytes) = (OpenedPath::Own(path), Arc::default());
        self.opened.push((number, Opened { path, bytes }));
    }

    /// The guest's path of what the handle `number` stands for.
    pub(crate) fn path_of(&self, number: u32) -> &str {
        match self.handle(number).map(|opened| &opened.path) {
            Some(OpenedPath::Own(path)) => path,
            Some(OpenedPath::OfEffect(index)) => match self.effects.get(*index) {
                Some(Effect::File(file)) => &file.path,
                _ => "",
            },
            None => "",
        }
    }

    /// The counter of the bytes that go through the handle `number`.
    pub(crate) fn bytes_of(&self, number: u32) -> Arc<AtomicU64> {
        self.handle(number)
            .map(|opened| opened.bytes.clone())
            .unwrap_or_default()
    }

    /// Forgets a handle that was closed.
    pub(crate) fn closed(&mut self, number: u32) {
        self.opened.retain(|(opened, _)| *opened != number);
    }

    /// A guest holds few files open at once: looking through them is faster than a map.
    fn handle(&self, number: u32) -> Option<&Opened> {
        self.opened
            .iter()
            .rev()
            .find(|(opened, _)| *opened == number)
            .map(|(_, opened)| opened)
    }

    /// Whether another effect is kept.
    pub(crate) fn has_room(&self) -> bool {
        self.effects.len() < self.limits.effects
    }

    /// Keeps a line of log.
    pub(crate) fn logged(&mut self, level: LogLevel, message: &str) {
        if self.log.len() < self.limits.log_lines {
            self.log.push(LogLine {
                level,
                message: shortened(message),
            });
        } else {
            self.log_omitted += 1;
        }
    }

    /// Keeps a sub-step's name and returns it as it is kept.
    pub(crate) fn stepped(&mut self, name: &str) -> Option<String> {
        let name = shortened(name);
        if self.steps.len() >= self.limits.log_lines {
            return None;
        }
        self.steps.push(name.clone());
        Some(name)
    }

    /// The report of the call that ended in `outcome`.
    pub(crate) fn report(mut self, outcome: Outcome) -> CallReport {
        let labels = self.labels();
        for (index, bytes) in self.counters {
            if let Some(Effect::File(file)) = self.effects.get_mut(index) {
                file.bytes = bytes.load(Ordering::Relaxed);
            }
        }
        if let Some(requests) = &self.requests {
            requests.add_to(&mut self.effects);
        }
        CallReport {
            outcome,
            effects: self.effects,
            effects_omitted: self.effects_omitted,
            labels,
            log: self.log,
            log_omitted: self.log_omitted,
            steps: self.steps,
            duration_us: 0,
        }
    }

    fn push_file(&mut self, effect: FileEffect) {
        self.push(Effect::File(effect));
    }

    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
        if let Some(requests) = &self.requests {
            requests.follow(self.effects.len());
        }
    }
}

/// Whether something of the operator's own was seen. Also an opening that failed tells something, but nothing of what
/// is there.
fn is_private(effect: &Effect) -> bool {
    matches!(effect, Effect::File(file) if file.error.is_none())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
