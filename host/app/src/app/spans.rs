//! The spans of a turn: one for each step, and in it one for each call. Whatever is logged meanwhile carries their
//! fields. What the user said is in none of them.

use std::sync::{Mutex, PoisonError};

use forge_core::observer::{Event, Observer};
use forge_core::tools::Call;
use tracing::Span;

/// Watches a turn for its spans and hands each event on.
pub(super) struct Spans<'a> {
    observer: &'a dyn Observer,
    turn: Span,
    step: Mutex<Span>,
}

impl<'a> Spans<'a> {
    /// The spans in `turn`.
    pub(super) fn new(turn: Span, observer: &'a dyn Observer) -> Self {
        Self {
            observer,
            step: Mutex::new(turn.clone()),
            turn,
        }
    }

    /// A span for `call` in the step that is being made.
    pub(super) fn call(&self, call: &Call) -> Span {
        tracing::info_span!(
            parent: &self.current(),
            "call",
            call.capability = %call.capability,
            call.operation = %call.operation,
        )
    }

    fn current(&self) -> Span {
        self.step
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn enter(&self, span: Span) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = span;
    }
}

impl Observer for Spans<'_> {
    fn observe(&self, event: Event<'_>) {
        match &event {
            Event::Deciding { step } => {
                self.enter(tracing::info_span!(parent: &self.turn, "step", step.number = step));
            }
            Event::Finished {
                tool,
                outcome,
                duration_ms,
                ..
            } => {
                tracing::debug!(
                    parent: &self.current(),
                    step.tool = tool,
                    step.outcome = outcome.kind(),
                    step.duration_ms = duration_ms,
                    "step by `{tool}`: {}",
                    outcome.kind()
                );
                self.enter(self.turn.clone());
            }
            Event::Chosen { .. }
            | Event::Delta { .. }
            | Event::Decided { .. }
            | Event::SubStep { .. }
            | Event::Asking { .. }
            | Event::Retract { .. } => {}
        }
        self.observer.observe(event);
    }
}
