//! The tools as one turn sees them: with what they keep in its conversation, with the artifacts of it, and with
//! long outputs made into artifacts. Not here: how a tool is run.

use std::sync::Arc;

use async_trait::async_trait;
use forge_contract::effect::Effect;
use forge_contract::grant::Grant;
use forge_contract::label::Label;
use forge_contract::outcome::{Content, Outcome, Output};
use forge_contract::report::CallReport;
use forge_core::conversation::{ConversationId, TurnNotes};
use forge_core::tools::{Call, Caller, Tools};
use forge_runtime::Keeping;
use tracing::Instrument;

use super::memory::Memory;
use super::spans::Spans;
use crate::artifacts::Artifacts;
use crate::plugins::{Plugins, Surroundings};

/// The tools of one turn.
pub(super) struct TurnTools<'a> {
    pub(super) plugins: &'a Plugins,
    pub(super) spans: &'a Spans<'a>,
    pub(super) memory: &'a Memory,
    /// The conversation that the turn belongs to, if it belongs to one.
    pub(super) place: Option<Place<'a>>,
    /// The longest output that is handed on whole, in bytes.
    pub(super) inline_bytes: usize,
}

/// The conversation of a turn, as its tools need it.
pub(super) struct Place<'a> {
    pub(super) id: &'a ConversationId,
    pub(super) notes: &'a Arc<TurnNotes>,
    pub(super) artifacts: &'a Artifacts,
}

#[async_trait]
impl Tools for TurnTools<'_> {
    async fn run(&self, call: &Call, grant: &Grant, caller: &dyn Caller) -> CallReport {
        let surroundings = self
            .place
            .as_ref()
            .map_or_else(Surroundings::default, |place| {
                let notes = Kept {
                    notes: place.notes.clone(),
                    capability: call.capability.to_string(),
                };
                Surroundings {
                    keeping: Some(Arc::new(notes)),
                    artifacts: place.artifacts.folder(place.id),
                }
            });
        let span = self.spans.call(call);
        let running = self.plugins.call(call, grant, surroundings, caller);
        let mut report = running.instrument(span.clone()).await;
        tracing::debug!(
            parent: &span,
            call.outcome = report.outcome.kind(),
            call.effects = report.effects.len(),
            call.duration_us = report.duration_us,
            "`{}` ended",
            call.capability
        );
        self.label(call, &mut report).await;
        // What another tool asked for it can read whole.
        if call.depth == 0
            && let Outcome::Done(output) = &report.outcome
            && let Some(shortened) = self.shortened(output).await
        {
            report.outcome = Outcome::Done(shortened);
        }
        report
    }
}

impl TurnTools<'_> {
    /// Labels what came of the call by the files that it used.
    async fn label(&self, call: &Call, report: &mut CallReport) {
        let uses_files = report
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::File(_)));
        if !uses_files {
            return;
        }
        let root = self.plugins.root();
        let followed = match self.memory.file_labels().await {
            Ok(labels) => labels
                .follow(root, &call.labels, report)
                .await
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.with_cause()),
        };
        if let Err(reason) = followed {
            tracing::warn!("it is not known where files came from: {reason}");
            // Then they might have come from anywhere.
            report.labels.insert(Label::External);
        }
    }

    /// `output` with its middle kept as an artifact, where it is too long to be handed on whole.
    async fn shortened(&self, output: &Output) -> Option<Output> {
        let place = self.place.as_ref()?;
        let text = output.to_string();
        if text.len() <= self.inline_bytes {
            return None;
        }
        let artifact = match place.artifacts.keep(place.id, &text).await {
            Ok(artifact) => artifact,
            Err(error) => {
                tracing::warn!("a long output was not kept as an artifact: {error}");
                return None;
            }
        };
        let (head, tail) = head_and_tail(&text, self.inline_bytes);
        let left_out = text[head.len()..text.len() - tail.len()].lines().count();
        let (bytes, name) = (text.len(), &artifact.name);
        let note = format!(
            "[… {left_out} lines left out; all {bytes} bytes are kept as `artifact:{name}`: `files.read` shows any lines of it]"
        );
        let text = format!("{head}\n{note}\n{tail}");
        Some(Output {
            content: vec![Content::Text { text }],
            structured: None,
        })
    }
}

/// The first two thirds and the last third of what fits into `bytes`, cut at the ends of lines where there
/// are some.
fn head_and_tail(text: &str, bytes: usize) -> (&str, &str) {
    let bytes = bytes.saturating_sub(NOTE_BYTES);
    let head = &text[..text.floor_char_boundary(bytes - bytes / 3)];
    let tail = &text[text.ceil_char_boundary(text.len() - bytes / 3)..];
    let head = head.rfind('\n').map_or(head, |end| &head[..end]);
    let tail = tail.find('\n').map_or(tail, |end| &tail[end + 1..]);
    (head, tail)
}

/// Room for the note between them.
const NOTE_BYTES: usize = 200;

/// What one tool keeps in the turn's conversation.
struct Kept {
    notes: Arc<TurnNotes>,
    capability: String,
}

impl Keeping for Kept {
    fn get(&self, key: &str) -> Option<String> {
        self.notes.get(&self.capability, key)
    }

    fn set(&self, key: &str, value: Option<&str>) {
        // The runtime has the same limits and has held them already.
        let _ = self.notes.set(&self.capability, key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_the_ends_of_lines() {
        let check = |text: &str, bytes: usize, expected: (&str, &str)| {
            assert_eq!(head_and_tail(text, NOTE_BYTES + bytes), expected);
        };
        check("aa\nbb\ncc\ndd\nee", 12, ("aa\nbb", "ee"));
        check("aaaaaaaaaaaaaaaa", 6, ("aaaa", "aa"));
        check("éééééééé", 6, ("éé", "é"));
    }
}
