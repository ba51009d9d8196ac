//! The calls that a running tool asks for. Each passes the registry and policy like one of the model's, with the labels
//! of what the tool has seen; their number, their depth and circles among them are bounded here. Not here: that the tool
//! declared and was granted them; that is the runtime.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use forge_contract::name::Name;
use forge_contract::nested::{DEEPEST, NestedAnswer, NestedCall};
use forge_contract::outcome::{Denial, FailureCode, NeedsApproval, Outcome};
use forge_contract::report::Progress;

use super::call::{Called, Position, make};
use super::record;
use crate::observer::Event;
use crate::tools::Caller;
use crate::trace::{CallRecord, NestedRecord};

/// The most calls that tools may ask for in one step, over all depths.
const MOST_IN_A_STEP: u32 = 32;

/// A call while its tool runs.
pub(super) struct RunningCall<'a> {
    position: &'a Position<'a>,
    /// Its capability after those above it.
    chain: Vec<Name>,
    asked_for: &'a AtomicU32,
    left: Mutex<Left>,
}

/// What the calls of a tool leave behind.
#[derive(Default)]
struct Left {
    records: Vec<NestedRecord>,
    /// The last one that needs a person's yes.
    waiting: Option<NeedsApproval>,
}

impl<'a> RunningCall<'a> {
    /// A call of `capability` that is asked for at `position`.
    pub(super) fn new(position: &'a Position<'a>, capability: &Name) -> Self {
        let mut chain = position.above.clone();
        chain.push(capability.clone());
        Self {
            position,
            chain,
            asked_for: position.asked_for,
            left: Mutex::default(),
        }
    }

    /// The records of the calls that the tool asked for, and the approval that one of them needs.
    pub(super) fn end(self) -> (Vec<NestedRecord>, Option<NeedsApproval>) {
        let left = self
            .left
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        (left.records, left.waiting)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn observe(&self, sub_step: &str) {
        let run = self.position.run;
        run.observe(Event::SubStep {
            step: run.step(),
            name: sub_step,
        });
    }

    async fn called(&self, call: &NestedCall) -> Called {
        let run = self.position.run;
        if let Some(denial) = self.bound(&call.capability) {
            return Called::denied(denial);
        }
        let Some(capability) = run.host.registry.get(&call.capability) else {
            let problem = format!("no tool offers `{}`", record::preview(&call.capability));
            return Called::without_tool(Outcome::failed(FailureCode::NotFound, problem));
        };
        let below = Position {
            run,
            labels: self.position.labels.union(&call.labels).copied().collect(),
            above: self.chain.clone(),
            asked_for: self.asked_for,
        };
        make(&below, capability, &call.operation, call.input.clone()).await
    }

    /// Why there is no further call of `capability` here.
    fn bound(&self, capability: &str) -> Option<Denial> {
        let chain: Vec<&str> = self.chain.iter().map(Name::as_str).collect();
        let shown = chain.join("` → `");
        if chain.contains(&capability) {
            return Some(Denial {
                reason: format!("`{shown}` → `{capability}` is a circle"),
                remedy: "a tool can't be called from within its own call".to_owned(),
            });
        }
        if chain.len() > DEEPEST as usize {
            return Some(Denial {
                reason: format!("`{shown}` is as deep as calls of tools go"),
                remedy: format!("at most {DEEPEST} tools may stand between a call and the model"),
            });
        }
        // Only those that are asked for count: what runs at the same time must not slip through between two looks.
        if self.asked_for.fetch_add(1, Ordering::Relaxed) >= MOST_IN_A_STEP {
            return Some(Denial {
                reason: format!("tools have asked for {MOST_IN_A_STEP} calls in this step"),
                remedy: "ask for less at once".to_owned(),
            });
        }
        None
    }
}

#[async_trait]
impl Caller for RunningCall<'_> {
    fn hear(&self, progress: Progress) {
        match progress {
            Progress::Step(name) if self.position.above.is_empty() => self.observe(&name),
            Progress::Step(name) => {
                let chain: Vec<&str> = self.chain[1..].iter().map(Name::as_str).collect();
                self.observe(&format!("{}: {name}", chain.join(": ")));
            }
            Progress::Delta(text) if self.position.above.is_empty() => {
                self.position.run.observe(Event::Delta { text: &text });
            }
            // Pieces of an answer that the calling tool reads are not pieces of the answer.
            Progress::Delta(_) => {}
        }
    }

    async fn invoke(&self, call: NestedCall) -> NestedAnswer {
        let (capability, operation) = (
            record::preview(&call.capability),
            record::preview(&call.operation),
        );
        self.observe(&format!("{capability}.{operation}"));
        let input_preview = record::preview(&call.input.to_string());
        let called = self.called(&call).await;
        let outcome = called.outcome;
        let error = (!outcome.is_done()).then(|| outcome.to_string());
        let mut left = self.left();
        if let Outcome::NeedsApproval(needed) = &outcome {
            left.waiting = Some(needed.clone());
        }
        let report = called.report.as_ref();
        left.records.push(NestedRecord {
            capability,
            operation,
            input_preview,
            verdict: called.verdict,
            error,
            call: report.map(|report| CallRecord::new(report, called.nested)),
        });
        NestedAnswer {
            labels: report
                .map(|report| report.labels.clone())
                .unwrap_or_default(),
            outcome,
        }
    }
}
