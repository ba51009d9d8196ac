//! A request's body as JSON: bounded, in time, and of the right shape. Not here: what is in it.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, header};
use http_body_util::LengthLimitError;
use serde_json::{Map, Value};

use super::problem::Problem;

/// The longest time for a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// The object in `body`. A form of a foreign page can't send one: it can't set the media type.
pub(super) async fn object(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Map<String, Value>, Problem> {
    if !is_json(headers) {
        return Err(Problem::MediaType);
    }
    let read = tokio::time::timeout(PATIENCE, to_bytes(body, limit)).await;
    let bytes = read
        .map_err(|_| Problem::TooSlow { limit: PATIENCE })?
        .map_err(|error| {
            let is_too_large = error
                .source()
                .is_some_and(|cause| cause.is::<LengthLimitError>());
            if is_too_large {
                Problem::TooLarge { limit }
            } else {
                Problem::Interrupted
            }
        })?;
    let value = serde_json::from_slice(&bytes).map_err(|error| Problem::NotJson {
        reason: error.to_string(),
    })?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(Problem::Shape {
            field: String::new(),
            reason: "the body must be an object".to_owned(),
        }),
    }
}

/// The text in `field`.
pub(super) fn text<'a>(
    object: &'a Map<String, Value>,
    field: &'static str,
) -> Result<Option<&'a str>, Problem> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(shape(field, "a string", other)),
    }
}

/// The switch in `field`; off when it is not there.
pub(super) fn switch(object: &Map<String, Value>, field: &'static str) -> Result<bool, Problem> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is_on)) => Ok(*is_on),
        Some(other) => Err(shape(field, "`true` or `false`", other)),
    }
}

/// The whole number from 1 to `most` in `field`.
pub(super) fn count(
    object: &Map<String, Value>,
    field: &'static str,
    most: u32,
) -> Result<Option<u32>, Problem> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            let number = number.filter(|number| (1..=most).contains(number));
            let wanted = format!("a whole number from 1 to {most}");
            number.map(Some).ok_or_else(|| shape(field, &wanted, value))
        }
    }
}

fn shape(field: &str, wanted: &str, found: &Value) -> Problem {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a switch",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Problem::Shape {
        field: field.to_owned(),
        reason: format!("it must be {wanted}, and is {found}"),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let media = value.and_then(|value| value.split(';').next());
    media.is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}
