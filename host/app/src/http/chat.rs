//! `POST /chat`: one turn, answered whole or as events.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use forge_contract::label::Label;
use forge_core::conversation::ConversationId;
use forge_core::observer::{Event, Observer};
use serde::Serialize;
use tokio::sync::SemaphorePermit;

use super::guard::RequestId;
use super::problem::Problem;
use super::{Shared, body, events};
use crate::app::{Before, ChatReport, ChatRequest, RunKind, Storage};

/// The most steps that a request may ask for.
const MAX_STEPS: u32 = 100;

pub(super) async fn chat(
    State(shared): State<Arc<Shared>>,
    Extension(RequestId(id)): Extension<RequestId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let limit = shared.settings.max_body_bytes;
    let asked = body::object(&headers, body, limit).await?;
    let message = body::text(&asked, "message")?.ok_or_else(|| Problem::Shape {
        field: "message".to_owned(),
        reason: "it is missing".to_owned(),
    })?;
    if message.trim().is_empty() {
        return Err(Problem::Blank { field: "message" });
    }
    let conversation = match body::text(&asked, "conversation")? {
        None => ConversationId::default(),
        Some(name) => ConversationId::parse(name).map_err(|error| Problem::Shape {
            field: "conversation".to_owned(),
            reason: error.to_string(),
        })?,
    };
    let request = ChatRequest {
        text: message.trim().to_owned(),
        before: Before::Conversation(conversation.clone()),
        kind: if body::switch(&asked, "agent")? {
            RunKind::Agent
        } else {
            RunKind::Routed
        },
        max_steps: body::count(&asked, "max_steps", MAX_STEPS)?,
        // Who reads events sees the question while the turn waits.
        attended: events::are_wanted(&headers),
    };
    if request.attended {
        return Ok(events::stream(shared, request, conversation, id).into_response());
    }
    let _places = admitted(&shared).await?;
    let report = shared.app.chat(&request, &Unwatched).await;
    Ok(Json(Answer::of(&report, &conversation)).into_response())
}

/// Waits for a turn's place among those that run; refused when too many wait already.
pub(super) async fn admitted(shared: &Shared) -> Result<[SemaphorePermit<'_>; 2], Problem> {
    let admitted = shared.admitted.try_acquire().map_err(|_| Problem::Busy)?;
    let running = shared.running.acquire().await;
    Ok([admitted, running.map_err(|_| Problem::Busy)?])
}

struct Unwatched;

impl Observer for Unwatched {
    fn observe(&self, _event: Event<'_>) {}
}

/// The answer to a turn. Fields are added, never taken away.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    output: &'a str,
    /// The tool of the last step; `none` when the model did not answer.
    tool: &'a str,
    ok: bool,
    steps: u32,
    error: Option<&'a str>,
    usage: Usage,
    run_id: &'a str,
    /// Under which the turn can be approved, if it ended for that.
    approval: Option<&'a str>,
    /// Where what is in it came from.
    labels: &'a BTreeSet<Label>,
    conversation: &'a str,
    /// Whether the turn is in its conversation.
    stored: bool,
    /// Why not, where it should be.
    not_stored: Option<&'a str>,
    user_id: Option<u64>,
    assistant_id: Option<u64>,
    total_ms: u64,
}

#[derive(Debug, Serialize)]
struct Usage {
    llm_calls: u32,
    llm_ms: u64,
    prompt_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    max_prompt_tokens: Option<u64>,
    /// Not known: no server is asked for it.
    context_limit: Option<u64>,
    /// Counts are the server's own.
    estimated: bool,
}

impl<'a> Answer<'a> {
    pub(super) fn of(report: &'a ChatReport, conversation: &'a ConversationId) -> Self {
        let turn = &report.turn;
        let (usage, steps) = (&turn.usage, turn.record.steps.iter());
        let ids = match &report.storage {
            Storage::Stored(ids) => Some(*ids),
            Storage::None | Storage::Failed { .. } => None,
        };
        Self {
            output: &turn.output,
            tool: &turn.tool,
            ok: turn.ok,
            steps: turn.steps,
            error: turn.error.as_deref(),
            usage: Usage {
                llm_calls: usage.llm_calls,
                llm_ms: usage.llm_ms,
                prompt_tokens: usage.prompt_tokens,
                cached_tokens: usage.cached_tokens,
                completion_tokens: usage.completion_tokens,
                total_tokens: usage
                    .prompt_tokens
                    .zip(usage.completion_tokens)
                    .map(|(read, written)| read + written),
                max_prompt_tokens: steps.filter_map(|step| step.llm.prompt_tokens).max(),
                context_limit: None,
                estimated: false,
            },
            run_id: &turn.record.run_id,
            approval: turn.approval.as_ref().map(|needed| needed.id.as_str()),
            labels: &turn.labels,
            conversation: conversation.as_str(),
            stored: ids.is_some(),
            not_stored: match &report.storage {
                Storage::Failed { reason } => Some(reason),
                Storage::Stored(_) | Storage::None => None,
            },
            user_id: ids.map(|ids| ids.user_id),
            assistant_id: ids.map(|ids| ids.assistant_id),
            total_ms: turn.record.total_ms,
        }
    }
}
