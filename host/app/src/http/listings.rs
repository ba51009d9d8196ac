//! What can be looked at: health, tools, traces, conversations, artifacts. Nothing here changes anything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use forge_core::conversation::{ConversationId, Message};
use forge_core::store::BlobDigest;
use forge_core::trace::RunRecord;
use serde_json::{Value, json};

use super::Shared;
use super::guard::Scope;
use super::problem::Problem;
use crate::app::Row;

/// How long a look at the model's server may take.
const GLANCE: Duration = Duration::from_millis(500);
/// How many traces are given at most.
const MOST_TRACES: u64 = 1000;
/// How many messages are given at most.
const MOST_MESSAGES: u64 = 1000;

pub(super) async fn health(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let identity = shared.app.provider().identity();
    let identity = tokio::time::timeout(GLANCE, identity).await.ok();
    let (provider, model) = identity.map_or((None, None), |identity| {
        (Some(identity.provider), identity.model)
    });
    Json(json!({"status": "ok", "provider": provider, "model": model}))
}

/// The names of what can be called, and of what is enabled and refused.
pub(super) async fn tools(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let mut is_available: BTreeMap<String, bool> = BTreeMap::new();
    for offered in shared.app.capabilities() {
        let name = offered.listing.capability.to_string();
        *is_available.entry(name).or_default() |= offered.blocked.is_none();
    }
    let names = |wanted: bool| -> Vec<&String> {
        let named = is_available.iter();
        named
            .filter(|(_, available)| **available == wanted)
            .map(|(name, _)| name)
            .collect()
    };
    Json(json!({"tools": names(true), "denied": names(false), "graphs": []}))
}

pub(super) async fn capabilities(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let offered = shared.app.capabilities();
    let rows: Vec<Row<'_>> = offered.iter().map(Row::from).collect();
    let broken: Vec<Value> = shared
        .app
        .broken()
        .iter()
        .map(|broken| json!({"provider": broken.source, "problem": broken.problem}))
        .collect();
    Json(json!({"capabilities": rows, "broken": broken}))
}

/// The last runs, the oldest first. A user sees their outlines.
pub(super) async fn traces(
    State(shared): State<Arc<Shared>>,
    Extension(scope): Extension<Scope>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Problem> {
    let count = number(query.as_deref(), "n", 10, 1..=MOST_TRACES)?;
    let app = shared.app.clone();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let reading = tokio::task::spawn_blocking(move || app.traces(count)).await;
    let mut records = reading
        .map_err(|_| Problem::Internal)?
        .map_err(Problem::Traces)?;
    records.reverse();
    if scope == Scope::User {
        records = records.into_iter().map(RunRecord::outline).collect();
    }
    Ok(Json(json!({ "traces": records })))
}

pub(super) async fn conversations(
    State(shared): State<Arc<Shared>>,
) -> Result<Json<Value>, Problem> {
    let listed = shared.app.conversations().await.map_err(Problem::Store)?;
    let listed: Vec<Value> = listed
        .iter()
        .map(|it| json!({"id": it.id.as_str(), "messages": it.messages, "updated_at": it.updated_at}))
        .collect();
    Ok(Json(json!({ "conversations": listed })))
}

/// The messages of one conversation, the oldest first.
pub(super) async fn history(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Problem> {
    let query = query.as_deref();
    let id = match parameter(query, "conversation") {
        None => ConversationId::default(),
        Some(name) => ConversationId::parse(&name).map_err(|error| Problem::Parameter {
            name: "conversation",
            reason: error.to_string(),
        })?,
    };
    let after = number(query, "after", 0, 0..=u64::MAX)?;
    let limit = number(query, "limit", 100, 1..=MOST_MESSAGES)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let messages = shared.app.messages(&id, after, limit).await;
    let messages = messages.map_err(Problem::Store)?;
    let messages: Vec<Value> = messages.iter().map(message).collect();
    Ok(Json(Value::Array(messages)))
}

/// A long output, whole.
pub(super) async fn artifact(
    State(shared): State<Arc<Shared>>,
    Path(digest): Path<String>,
) -> Result<Response, Problem> {
    let digest = BlobDigest::parse(&digest).map_err(|error| Problem::NotFound {
        what: format!("such artifact: {error}"),
    })?;
    let content = shared.app.artifact(&digest).await.map_err(Problem::Store)?;
    let content = content.ok_or_else(|| Problem::NotFound {
        what: format!("artifact `{digest}`"),
    })?;
    let media = (header::CONTENT_TYPE, "text/plain; charset=utf-8");
    Ok(([media], content).into_response())
}

fn message(message: &Message) -> Value {
    json!({
        "id": message.id,
        "role": message.role.as_str(),
        "content": message.content,
        "at": message.at,
        "run_id": message.run_id,
        "tool": message.tool,
    })
}

fn number(
    query: Option<&str>,
    name: &'static str,
    default: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, Problem> {
    let Some(text) = parameter(query, name) else {
        return Ok(default);
    };
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| Problem::Parameter {
        name,
        reason: format!(
            "`{}` is no whole number from {} to {}",
            text.chars().take(40).collect::<String>(),
            range.start(),
            range.end()
        ),
    })
}

fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
    pairs
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}
