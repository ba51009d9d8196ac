//! Who may ask: the request's id, the `Host` and the `Origin` it names, and its token.
//!
//! A browser lets any page send requests to this machine. So a request must name this server as its host (a name
//! that was made to point here does not), and one that comes from a page must come from ours.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use subtle::ConstantTimeEq;
use tracing::Instrument;
use uuid::Uuid;

use super::problem::{Problem, Unwritten};
use super::{Settings, Shared};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The id of a request.
#[derive(Debug, Clone)]
pub(super) struct RequestId(pub(super) String);

/// Gives the request an id, logs it, and writes the body of a problem.
pub(super) async fn identified(mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let given = request.headers().get(REQUEST_ID);
    let given = given.and_then(|id| id.to_str().ok()).filter(|id| is_id(id));
    let id = given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned);
    request.extensions_mut().insert(RequestId(id.clone()));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("request", request.id = id);
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Some(Unwritten(problem)) = response.extensions_mut().remove() {
        let body = problem.to_json(&id).to_string();
        let length = HeaderValue::from(body.len());
        *response.body_mut() = Body::from(body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PROBLEM);
        headers.insert(header::CONTENT_LENGTH, length);
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    tracing::info!(
        parent: &span,
        http.method = %method,
        http.path = path,
        http.status = response.status().as_u16(),
        http.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        "{method} {path}: {}",
        response.status().as_u16()
    );
    response
}

/// Refuses what is meant for another host, and what a foreign page sends.
pub(super) async fn origin(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let named = text(request.headers(), &header::HOST).unwrap_or_default();
    if !names_this_server(named, &shared.settings) {
        return Err(Problem::BadHost {
            host: named.chars().take(200).collect(),
        });
    }
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let is_own = origin
            .strip_prefix("http://")
            .is_some_and(|host| host.eq_ignore_ascii_case(named));
        if !is_own {
            return Err(Problem::ForeignOrigin {
                origin: origin.chars().take(200).collect(),
            });
        }
    }
    Ok(next.run(request).await)
}

/// How much whoever asks may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The runs of others in outline.
    User,
    /// Everything; also where users have no token, because then there is only one person.
    Owner,
}

/// Refuses a request without a token where users have one, before its body is read, and notes whose it is.
pub(super) async fn token(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let mut scope = Scope::Owner;
    if let Some(expected) = &shared.settings.api_token {
        let given = given_token(&request).ok_or(Problem::NoToken)?;
        // The operator may do what a user may.
        if !is_operator(&shared.settings, given) {
            if !is_same(given, expected) {
                return Err(Problem::WrongToken);
            }
            scope = Scope::User;
        }
    }
    request.extensions_mut().insert(scope);
    Ok(next.run(request).await)
}

/// Refuses a request that does not come from the operator, also on this machine.
pub(super) async fn operator(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let given = given_token(&request);
    if given.is_some_and(|given| is_operator(&shared.settings, given)) {
        Ok(next.run(request).await)
    } else {
        Err(Problem::NotOperator)
    }
}

fn is_operator(settings: &Settings, given: &[u8]) -> bool {
    let expected = settings.operator_token.as_ref();
    expected.is_some_and(|expected| is_same(given, expected))
}

fn given_token(request: &Request) -> Option<&[u8]> {
    bearer(request.headers().get(header::AUTHORIZATION)?.as_bytes())
}

/// In a time that tells nothing of where they differ.
fn is_same(given: &[u8], expected: &str) -> bool {
    given.ct_eq(expected.as_bytes()).into()
}

/// The token in an `Authorization` header; the scheme's case does not matter.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let scheme = value.get(..7)?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| value[7..].trim_ascii())
}

fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether `host`, with or without a port, can only mean this server.
fn names_this_server(host: &str, settings: &Settings) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let Ok(address) = address.parse::<IpAddr>() else {
        return false;
    };
    // A name must not be believed; a number can't be made to point elsewhere.
    address.is_loopback()
        || address == settings.listen.ip()
        || settings.listen.ip().is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_server_is_meant() {
        let check = |listen: &str, host: &str, expected: bool| {
            let settings = Settings {
                listen: listen.parse().unwrap(),
                operator_token: None,
                api_token: None,
                max_body_bytes: 1,
            };
            assert_eq!(
                names_this_server(host, &settings),
                expected,
                "{listen} {host}"
            );
        };
        for host in [
            "localhost",
            "LOCALHOST:8765",
            "127.0.0.1:1",
            "127.0.0.1",
            "[::1]:8765",
            "127.8.8.8:8",
        ] {
            check("127.0.0.1:8765", host, true);
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example:8765",
            "10.0.0.1:8765",
            "127.0.0.1.evil.example",
            "0x7f.1",
        ] {
            check("127.0.0.1:8765", host, false);
        }
        check("10.0.0.1:8765", "10.0.0.1:8765", true);
        check("0.0.0.0:8765", "10.0.0.1:8765", true);
        check("0.0.0.0:8765", "rebound.example:8765", false);
    }

    #[test]
    fn a_token_is_what_follows_the_scheme() {
        let check = |value: &[u8], expected: Option<&[u8]>| assert_eq!(bearer(value), expected);
        check(b"Bearer abc", Some(b"abc"));
        check(b"bEARER  abc ", Some(b"abc"));
        check(b"Basic abc", None);
        check(b"Bearer", None);
        check("Bearer é".as_bytes(), Some("é".as_bytes()));
    }
}
