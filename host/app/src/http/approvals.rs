//! `GET /approvals` and `POST /approvals/{id}`: what waits for a yes, and the operator's answer. Not here: who the
//! operator is (`guard`).

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use forge_core::approval::{Answer, Pending, shown};
use serde_json::{Value, json};

use super::problem::Problem;
use super::{Shared, body};
use crate::approvals::AnswerError;

/// What waits for an answer, the oldest first.
pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Result<Json<Value>, Problem> {
    let pending = shared.app.pending_approvals().await;
    let pending = pending.map_err(Problem::Store)?;
    let row = |asked: &Pending| row(asked, shared.app.preview(asked));
    let pending: Vec<Value> = pending.iter().map(row).collect();
    Ok(Json(json!({ "approvals": pending })))
}

/// The answer to one: `{"answer": "once"}`, `session`, `always` or `no`.
pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, Problem> {
    let limit = shared.settings.max_body_bytes;
    let asked = body::object(&headers, body, limit).await?;
    let answer = match body::text(&asked, "answer")? {
        Some("once") => Answer::Once,
        Some("session") => Answer::Session,
        Some("always") => Answer::Always,
        Some("no") => Answer::No,
        _ => {
            return Err(Problem::Shape {
                field: "answer".to_owned(),
                reason: "say `once`, `session`, `always` or `no`".to_owned(),
            });
        }
    };
    match shared.app.answer_approval(&id, answer).await {
        Ok(()) => Ok(Json(json!({"id": id, "answer": answer}))),
        Err(error @ AnswerError::NotThere { .. }) => Err(Problem::Gone {
            reason: error.to_string(),
        }),
        Err(error @ AnswerError::NotAlways { .. }) => Err(Problem::Shape {
            field: "answer".to_owned(),
            reason: error.to_string(),
        }),
        Err(error) => Err(Problem::Unstored {
            reason: error.to_string(),
        }),
    }
}

fn row(pending: &Pending, diff: Option<String>) -> Value {
    json!({
        "id": pending.id,
        "run_id": pending.run_id,
        "call": pending.call(),
        "input": pending.input,
        "shown": shown(&pending.input),
        "diff": diff,
        "reasons": pending.reasons(),
        "may_be_always": pending.rule().is_some(),
        "hash": pending.hash,
        "expires_at": pending.expires_at,
    })
}
