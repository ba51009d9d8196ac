//! How a failure is told: `application/problem+json` (RFC 9457). The one place that renders them.
//!
//! `detail` says what to do; `instance` is the request's id, under which the log has more.

use std::any::Any;
use std::time::Duration;

use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::app::MemoryError;

/// Why a request was not answered as it was meant.
#[derive(Debug)]
pub(super) enum Problem {
    NoSuchPath {
        path: String,
    },
    NoSuchMethod {
        method: String,
    },
    /// The body is no JSON.
    NotJson {
        reason: String,
    },
    /// It is JSON of another shape.
    Shape {
        field: String,
        reason: String,
    },
    /// A query's parameter can't be used.
    Parameter {
        name: &'static str,
        reason: String,
    },
    Blank {
        field: &'static str,
    },
    MediaType,
    TooLarge {
        limit: usize,
    },
    TooSlow {
        limit: Duration,
    },
    Interrupted,
    BadHost {
        host: String,
    },
    ForeignOrigin {
        origin: String,
    },
    NoToken,
    WrongToken,
    NotOperator,
    /// What was asked about is answered or over.
    Gone {
        reason: String,
    },
    Unstored {
        reason: String,
    },
    Busy,
    NotFound {
        what: String,
    },
    Store(MemoryError),
    Traces(std::io::Error),
    Internal,
}

impl Problem {
    fn parts(&self) -> (StatusCode, String) {
        match self {
            Self::NoSuchPath { path } => (
                StatusCode::NOT_FOUND,
                format!(
                    "there is no `{path}`: `/` is the page, `/chat` takes turns, `/tools` lists tools"
                ),
            ),
            Self::NoSuchMethod { method } => (
                StatusCode::METHOD_NOT_ALLOWED,
                format!("`{method}` is not possible here: the header `Allow` says what is"),
            ),
            Self::NotJson { reason } => (
                StatusCode::BAD_REQUEST,
                format!("the body is no JSON: {reason}"),
            ),
            Self::Shape { field, reason } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("`{field}`: {reason}"),
            ),
            Self::Parameter { name, reason } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("`{name}`: {reason}"),
            ),
            Self::Blank { field } => (
                StatusCode::BAD_REQUEST,
                format!("`{field}` is blank: say what you want"),
            ),
            Self::MediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send JSON, with the header `content-type: application/json`".to_owned(),
            ),
            Self::TooLarge { limit } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!(
                    "the body has more than {limit} bytes, the setting `FORGE_MAX_BODY_BYTES`: put long text into a file of the workspace"
                ),
            ),
            Self::TooSlow { limit } => (
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body did not come within {} seconds: send it again",
                    limit.as_secs()
                ),
            ),
            Self::Interrupted => (
                StatusCode::BAD_REQUEST,
                "the body ended too early: send it again".to_owned(),
            ),
            Self::BadHost { host } => (
                StatusCode::MISDIRECTED_REQUEST,
                format!(
                    "this server is not `{host}`: ask it by the address that it listens on, or as `localhost`"
                ),
            ),
            Self::ForeignOrigin { origin } => (
                StatusCode::FORBIDDEN,
                format!("a page of `{origin}` may not ask this server: use its own page"),
            ),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "send the header `authorization: Bearer` with the token of the setting `API_TOKEN`"
                    .to_owned(),
            ),
            Self::WrongToken => (
                StatusCode::UNAUTHORIZED,
                "this is not the token of the setting `API_TOKEN`".to_owned(),
            ),
            Self::NotOperator => (
                StatusCode::FORBIDDEN,
                "this is the operator's: send the header `authorization: Bearer` with the token in the file `operator-token` of Forge's data folder, or open the link that `forge serve` prints".to_owned(),
            ),
            Self::Gone { reason } => (StatusCode::NOT_FOUND, reason.clone()),
            Self::Unstored { reason } => (StatusCode::INTERNAL_SERVER_ERROR, reason.clone()),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many turns are waiting: try again in a few seconds".to_owned(),
            ),
            Self::NotFound { what } => (StatusCode::NOT_FOUND, format!("there is no {what}")),
            Self::Store(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.with_cause()),
            Self::Traces(error) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("the file of traces can't be read: {error}"),
            ),
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Forge failed here: its log says more under this request's id".to_owned(),
            ),
        }
    }

    /// The problem as JSON, for request `id`.
    pub(super) fn to_json(&self, id: &str) -> Value {
        let (status, detail) = self.parts();
        let mut problem = json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": detail,
            "instance": id,
        });
        if let Self::Shape { field, reason } = self {
            problem["errors"] = json!([{"pointer": format!("/{field}"), "detail": reason}]);
        }
        problem
    }
}

/// A problem that still lacks its request's id; [`super::guard::identified`] writes the body.
#[derive(Clone)]
pub(super) struct Unwritten(pub(super) std::sync::Arc<Problem>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, _) = self.parts();
        let mut response = status.into_response();
        let headers = response.headers_mut();
        match self {
            Self::NoToken | Self::WrongToken => {
                let scheme = HeaderValue::from_static("Bearer");
                headers.insert(header::WWW_AUTHENTICATE, scheme);
            }
            Self::Busy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
            }
            _ => {}
        }
        let unwritten = Unwritten(std::sync::Arc::new(self));
        response.extensions_mut().insert(unwritten);
        response
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Problem {
    Problem::NoSuchPath {
        path: uri.path().chars().take(200).collect(),
    }
}

pub(super) async fn no_such_method(method: Method) -> Problem {
    Problem::NoSuchMethod {
        method: method.to_string(),
    }
}

/// A handler panicked. The server goes on.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer hands the payload over"
)]
pub(super) fn panicked(payload: Box<dyn Any + Send + 'static>) -> Response {
    of_panic(&*payload).into_response()
}

/// What a panic with this payload is told as.
pub(super) fn of_panic(payload: &(dyn Any + Send)) -> Problem {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no text");
    tracing::error!("a request made Forge panic: {text}");
    Problem::Internal
}
