//! `forge:tool/http`: a request and its whole answer. Not here: what may be asked and of whom (`crate::http`).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forge_contract::header::is_of_connection;
use forge_contract::outcome::FailureCode;
use http::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};
use http_body_util::{BodyExt, Full};
use serde::Deserialize;

use crate::bindings::forge::tool::http::{Host, Request, Response};
use crate::bindings::forge::tool::types::Error;
use crate::http::{self as network, Access, Patience, Refusal, Target, Wanted, collect, shortened};
use crate::limiter::LimitReached;
use crate::recorder::requests::{RequestNote, RequestNotes};
use crate::state::State;

impl Host for State {
    async fn fetch(&mut self, request: Request) -> wasmtime::Result<Result<Response, Error>> {
        let Some(web) = &self.web else {
            return Err(wasmtime::Error::msg(
                "the power was linked without its grant",
            ));
        };
        let Some(note) = web.begin(request.method.as_str(), &request.url) else {
            let value = self.limits.requests as u64;
            return Err(LimitReached {
                limit: "requests",
                value,
            }
            .into());
        };
        let fetched = fetch(&web.access, request, &note).await;
        Ok(fetched.inspect_err(|refused| note.failed(refused.message.clone())))
    }
}

/// The network as one call has it.
pub(crate) struct Web {
    access: Access,
    notes: Arc<RequestNotes>,
    most_requests: usize,
}

impl Web {
    pub(crate) fn new(access: Access, notes: Arc<RequestNotes>, most_requests: usize) -> Self {
        Self {
            access,
            notes,
            most_requests,
        }
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Notes that a request is about to be sent; `None` when there were too many.
    pub(crate) fn begin(&self, method: &str, url: &str) -> Option<Arc<RequestNote>> {
        let has_room = self.notes.count() < self.most_requests;
        has_room.then(|| {
            let method = shortened(method, MOST_METHOD_CHARS);
            self.notes.begin(method, shortened(url, MOST_URL_CHARS))
        })
    }
}

/// How much of a method, and of a URL, is noted.
const MOST_METHOD_CHARS: usize = 20;
const MOST_URL_CHARS: usize = 2000;

/// What a guest may say of a request beside the request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// The longest time from the request to the end of its answer.
    timeout_ms: Option<u64>,
    /// The longest body, decompressed. A longer one is an error.
    max_bytes: Option<u64>,
    /// A longer one is cut instead.
    truncate: bool,
}

async fn fetch(access: &Access, request: Request, note: &RequestNote) -> Result<Response, Error> {
    let options = match &request.options {
        None => Options::default(),
        Some(json) => serde_json::from_str(json).map_err(|problem| Error {
            code: FailureCode::InvalidInput.as_str().to_owned(),
            message: format!("the options of the request can't be read: {problem}"),
            details: None,
        })?,
    };
    let exchange = exchange(access, request, &options, note);
    let Some(limit_ms) = options.timeout_ms else {
        return exchange.await.map_err(error);
    };
    let limit = Duration::from_millis(limit_ms);
    let ended = tokio::time::timeout(limit, exchange).await;
    ended
        .unwrap_or(Err(Refusal::Late {
            limit_ms: limit.as_millis(),
        }))
        .map_err(error)
}

async fn exchange(
    access: &Access,
    request: Request,
    options: &Options,
    note: &RequestNote,
) -> Result<Response, Refusal> {
    let target = Target::parse(&request.url)?;
    let method = request.method.parse().map_err(|_| Refusal::BadMethod {
        method: shortened(&request.method, MOST_METHOD_CHARS),
    })?;
    let body = Full::new(Bytes::from(request.body.unwrap_or_default()));
    let mut sent = http::Request::new(body.map_err(Into::into).boxed_unsync());
    *sent.method_mut() = method;
    for (name, value) in &request.headers {
        let (name, value) = header(name, value)?;
        sent.headers_mut().append(name, value);
    }
    // Who offers encodings reads them.
    let decodes = !sent.headers().contains_key(ACCEPT_ENCODING);
    if decodes {
        let encodings = HeaderValue::from_static(network::ENCODINGS);
        sent.headers_mut().insert(ACCEPT_ENCODING, encodings);
    }
    let is_head = sent.method() == http::Method::HEAD;
    let mut answer = access.send(&target, sent, Patience::default()).await?;
    note.answered(
        answer.address,
        answer.status.as_u16(),
        answer.body.received(),
    );
    let wanted = Wanted {
        max_bytes: options
            .max_bytes
            .unwrap_or(u64::MAX)
            .min(access.response_bytes),
        name: match options.max_bytes {
            Some(max_bytes) if max_bytes < access.response_bytes => "max_bytes",
            _ => "response_bytes",
        },
        truncate: options.truncate,
        decodes: decodes && !is_head && !matches!(answer.status.as_u16(), 204 | 304),
    };
    let body = collect(answer.body, &mut answer.headers, wanted).await?;
    Ok(Response {
        status: answer.status.as_u16(),
        headers: answer.headers.iter().map(shown_header).collect(),
        body,
    })
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Refusal> {
    let bad = || Refusal::BadHeader {
        name: shortened(name, MOST_METHOD_CHARS),
    };
    let parsed: HeaderName = name.parse().map_err(|_| bad())?;
    if is_of_connection(parsed.as_str()) {
        return Err(Refusal::Header {
            name: parsed.to_string(),
        });
    }
    let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?;
    Ok((parsed, value))
}

/// A value may hold bytes that are no UTF-8.
fn shown_header((name, value): (&HeaderName, &HeaderValue)) -> (String, String) {
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    (name.to_string(), value)
}

fn error(refusal: Refusal) -> Error {
    Error {
        code: refusal.code().as_str().to_owned(),
        message: refusal.to_string(),
        details: None,
    }
}
