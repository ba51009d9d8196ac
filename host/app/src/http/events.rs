//! A turn as server-sent events: what happens in it, as it happens, and the answer at the end.
//!
//! `deciding`, `chosen`, `delta`, `decision`, `asking`, `substep`, `step`, `retract`, and at last `done` with what
//! the plain answer would be, or `error` with a problem. Who goes away stops the turn.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::response::sse::{self, KeepAlive, Sse};
use forge_core::approval::shown;
use forge_core::conversation::ConversationId;
use forge_core::observer::{Event, Observer};
use futures_util::{FutureExt, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::Shared;
use super::chat::{Answer, admitted};
use super::problem;
use crate::app::ChatRequest;

/// How often a quiet stream tells that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Whether the client asks for events.
pub(super) fn are_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.to_ascii_lowercase().contains("text/event-stream"))
}

pub(super) fn stream(
    shared: Arc<Shared>,
    request: ChatRequest,
    conversation: ConversationId,
    id: String,
) -> impl IntoResponse {
    let (sender, receiver) = mpsc::unbounded_channel();
    let turn = async move {
        let told = Told(sender);
        let taken = async {
            let _places = admitted(&shared).await?;
            let report = shared.app.chat(&request, &told).await;
            told.tell("done", &json!(Answer::of(&report, &conversation)));
            Ok(())
        };
        // No layer sees a panic here: the head of the answer is long gone.
        let taken = AssertUnwindSafe(taken).catch_unwind().await;
        if let Err(problem) = taken.unwrap_or_else(|payload| Err(problem::of_panic(&*payload))) {
            told.tell("error", &problem.to_json(&id));
        }
    };
    // The task ends with the stream, which ends with the connection.
    let turn = AbortOnDropHandle::new(tokio::spawn(turn.in_current_span()));
    let events = stream::unfold((receiver, turn), async |(mut receiver, turn)| {
        let event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), (receiver, turn)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// Hands events to the stream.
struct Told(mpsc::UnboundedSender<sse::Event>);

impl Told {
    fn tell(&self, name: &'static str, data: &Value) {
        // Nobody listens any more once the client is gone.
        let _ = self
            .0
            .send(sse::Event::default().event(name).data(data.to_string()));
    }
}

impl Observer for Told {
    fn observe(&self, event: Event<'_>) {
        let (name, data) = match event {
            Event::Deciding { step } => ("deciding", json!({ "step": step })),
            Event::Chosen { step, tool } => ("chosen", json!({"step": step, "tool": tool})),
            Event::Delta { text } => ("delta", json!({ "text": text })),
            Event::Decided {
                step,
                tool,
                operation,
                input,
                done,
            } => (
                "decision",
                json!({"step": step, "tool": tool, "operation": operation, "input": input, "done": done}),
            ),
            Event::Asking {
                id,
                call,
                input,
                diff,
                reasons,
                may_be_always,
            } => (
                "asking",
                json!({
                    "id": id,
                    "call": call,
                    "input": input,
                    "shown": shown(input),
                    "diff": diff,
                    "reasons": reasons,
                    "may_be_always": may_be_always,
                }),
            ),
            Event::SubStep { step, name } => ("substep", json!({"step": step, "name": name})),
            Event::Finished {
                step,
                tool,
                outcome,
                duration_ms,
            } => (
                "step",
                json!({
                    "step": step,
                    "tool": tool,
                    "outcome": outcome.kind(),
                    "text": outcome.to_string(),
                    "duration_ms": duration_ms,
                }),
            ),
            Event::Retract { replacement } => ("retract", json!({ "replacement": replacement })),
        };
        self.tell(name, &data);
    }
}
