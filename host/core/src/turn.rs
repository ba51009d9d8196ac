//! One turn: from the user's words to the answer.
//!
//! The one place that knows router, registry and policy. Each step asks the router for a decision, the
//! registry whether its input is valid, policy whether it may be, and then runs it with this operation's
//! grant only. Whatever fails is data: a turn always ends in a report and in exactly one record.

use std::collections::BTreeSet;
use std::mem;
use std::time::Duration;

use forge_contract::label::Label;
use forge_contract::outcome::NeedsApproval;

use crate::approval::Approver;
use crate::clock::Clock;
use crate::grounding;
use crate::observer::{Event, Observer};
use crate::policy::Policy;
use crate::provider::{Identity, Provider};
use crate::registry::{Grants, Registry};
use crate::router::Offer;
use crate::router::prompt::PastStep;
use crate::tools::Tools;
use crate::trace::{LlmRecord, RunRecord, StepRecord, TraceSink};
use prepared::Question;

pub use crate::router::prompt::{Exchange, history};
pub use offers::{Listing, capabilities};
pub use prepared::Prepared;

// In reading order: what may be chosen, one step, within it the question and the call, and the calls of tools.
mod offers;
mod prepared;
mod step;
mod ask;
mod call;
mod nested;
mod record;

/// Everything that a turn stands on.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The model.
    pub provider: &'a dyn Provider,
    /// The tools.
    pub tools: &'a dyn Tools,
    /// Where the record goes.
    pub trace: &'a dyn TraceSink,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Who watches.
    pub observer: &'a dyn Observer,
    /// Who offers what.
    pub registry: &'a Registry,
    /// What may be done.
    pub policy: &'a Policy,
    /// Who says yes where policy asks.
    pub approver: &'a dyn Approver,
    /// What each capability is let.
    pub grants: &'a Grants,
    /// What the model may choose under these two.
    pub prepared: &'a Prepared,
    /// How far a turn may go.
    pub settings: &'a TurnSettings,
}

/// How far a turn may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSettings {
    /// The most steps; at least one is made.
    pub max_steps: u32,
    /// Whether the provider is given the form of a decision. Off only for a provider that chokes on it.
    pub constrain: bool,
    /// The longest result, in characters, that the model sees whole; of a longer one it sees the head and
    /// the tail, two thirds and one third of this.
    pub inline_output_chars: usize,
}

impl Default for TurnSettings {
    fn default() -> Self {
        Self {
            max_steps: 1,
            constrain: true,
            inline_output_chars: 4000,
        }
    }
}

/// What a turn is about.
#[derive(Debug, Clone, Copy)]
pub struct TurnRequest<'a> {
    /// The run's id.
    pub run_id: &'a str,
    /// The user's words.
    pub input: &'a str,
    /// Earlier turns as the prompt has them: [`history`] of them.
    pub history: &'a str,
    /// Where what is in them came from.
    pub labels: &'a BTreeSet<Label>,
    /// What a failed step does.
    pub on_failure: OnFailure,
}

/// What a step does that brings no answer: a failure, a refusal, a tool that was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// It ends the turn: a routed turn.
    Stop,
    /// The model is told, and may try otherwise: an agent's run.
    FeedBack,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnReport {
    /// What the user reads.
    pub output: String,
    /// The tool whose output that is; `none` when there was no decision.
    pub tool: String,
    /// Whether the turn ended as it should.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// How many steps were begun.
    pub steps: u32,
    /// Whether `output` is an answer that belongs into the conversation's history.
    pub storable: bool,
    /// Where what is in the run came from, and so in its answer.
    pub labels: BTreeSet<Label>,
    /// The approval that the run waits for, if it ended for that.
    pub approval: Option<NeedsApproval>,
    /// What the model cost.
    pub usage: LlmRecord,
    /// The record that was handed to the trace.
    pub record: RunRecord,
}

/// The tool of a turn without a decision.
pub const NO_TOOL: &str = "none";

/// Runs one turn.
pub async fn run(host: &Host<'_>, request: &TurnRequest<'_>) -> TurnReport {
    let mut run = Run::begin(*host, *request).await;
    let ending = loop {
        if let Some(ending) = step::take(&mut run).await {
            break ending;
        }
    };
    run.finish(ending)
}

/// A turn while it runs.
struct Run<'a> {
    host: Host<'a>,
    request: TurnRequest<'a>,
    identity: Identity,
    offers: &'a [Offer],
    question: &'a Question,
    timestamp: String,
    began: Duration,
    /// The calls that were made, in canonical form.
    made: BTreeSet<String>,
    past: Vec<PastStep>,
    /// Where what is in the run came from.
    labels: BTreeSet<Label>,
    /// Paths that its calls have looked at.
    looked_at: BTreeSet<String>,
    /// The approval for which it ends.
    approval: Option<NeedsApproval>,
    /// The last output of a step that brought one.
    last_output: Option<(String, String)>,
    records: Vec<StepRecord>,
    is_recorded: bool,
}

/// How a run ends.
struct Ending {
    output: String,
    tool: String,
    /// `Err` holds why it did not end as it should.
    result: Result<Answered, String>,
}

/// What a run that ended well has for an answer.
enum Answered {
    Genuinely,
    WithPlaceholder,
}

impl<'a> Run<'a> {
    async fn begin(host: Host<'a>, request: TurnRequest<'a>) -> Self {
        let began = host.clock.elapsed();
        let timestamp = host.clock.timestamp();
        let identity = host.provider.identity().await;
        Self {
            host,
            request,
            identity,
            offers: &host.prepared.offers,
            question: host.prepared.question(host.settings.max_steps),
            timestamp,
            began,
            made: BTreeSet::new(),
            past: Vec::new(),
            labels: request.labels.clone(),
            approval: None,
            looked_at: BTreeSet::new(),
            last_output: None,
            records: Vec::new(),
            is_recorded: false,
        }
    }

    /// Whether a path was spoken of, or looked at in this run.
    fn knows(&self, path: &str) -> bool {
        let texts = [self.request.input, self.request.history];
        grounding::is_named(path, &texts) || self.looked_at.contains(grounding::plain(path))
    }

    /// The number of the step that is being made.
    fn step(&self) -> u32 {
        u32::try_from(self.records.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1)
    }

    fn observe(&self, event: Event<'_>) {
        self.host.observer.observe(event);
    }

    fn finish(mut self, ending: Ending) -> TurnReport {
        let (ok, storable, error) = match ending.result {
            Ok(Answered::Genuinely) => (true, true, None),
            Ok(Answered::WithPlaceholder) => (true, false, None),
            Err(error) => (false, false, Some(error)),
        };
        let steps = self.step() - 1;
        let record = self.record(&ending.tool, error.clone());
        TurnReport {
            output: ending.output,
            tool: ending.tool,
            ok,
            error,
            steps,
            storable,
            labels: self.labels.clone(),
            approval: self.approval.take(),
            usage: record.llm.clone(),
            record,
        }
    }

    /// Hands the run's one record to the trace.
    fn record(&mut self, final_tool: &str, error: Option<String>) -> RunRecord {
        self.is_recorded = true;
        let record = RunRecord {
            run_id: self.request.run_id.to_owned(),
            timestamp: mem::take(&mut self.timestamp),
            user_input_preview: record::preview(self.request.input),
            provider: mem::take(&mut self.identity.provider),
            model: self.identity.model.take(),
            llm: record::total(&self.records),
            steps: mem::take(&mut self.records),
            labels: self.labels.clone(),
            final_tool: final_tool.to_owned(),
            ok: error.is_none(),
            error,
            total_ms: record::ms_between(self.began, self.host.clock.elapsed()),
        };
        self.host.trace.record(&record);
        record
    }
}

/// A turn that is given up leaves its record too.
impl Drop for Run<'_> {
    fn drop(&mut self) {
        if !self.is_recorded {
            self.record(NO_TOOL, Some(INTERRUPTED.to_owned()));
        }
    }
}

/// The error in the record of a turn that was given up before its end.
const INTERRUPTED: &str = "interrupted";

#[cfg(test)]
mod tests;
