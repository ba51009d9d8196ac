//! A guest that sends whatever request it is told to, as often as it is told, through the host's own `http`.

use std::collections::BTreeMap;
use std::time::Duration;

use forge_sdk::{Requires, Result, Value, http, json};

/// A request.
#[forge_sdk::input]
struct Wanted {
    /// Where to.
    url: String,
    /// `GET` without it.
    method: Option<String>,
    /// Names and values.
    headers: Option<BTreeMap<String, String>>,
    /// What is sent.
    body: Option<String>,
    /// The longest time.
    timeout_ms: Option<u64>,
    /// The longest answer.
    max_bytes: Option<u64>,
    /// Whether a longer one is cut.
    truncate: Option<bool>,
    /// How often it is sent, one after the other.
    times: Option<u64>,
}

forge_sdk::tool! {
    name: "fetcher",
    summary: "Sends a request.",
    operations: {
        run(Wanted) => run {
            summary: "Answers the last answer's status, headers, length and beginning as JSON.",
            requires: Requires::none().network(["http://*:*", "https://*:*", "http://127.0.0.1:22"]),
        },
        undeclared(Wanted) => run {
            summary: "Sends a request without the right to.",
            requires: Requires::none(),
        },
    },
}

fn run(wanted: Wanted) -> Result<Value> {
    let mut last = json!(null);
    for _ in 0..wanted.times.unwrap_or(1) {
        let response = request(&wanted).send()?;
        let text = response.text();
        last = json!({
            "status": response.status,
            "headers": response.headers,
            "bytes": response.body.len(),
            "begins": text.chars().take(200).collect::<String>(),
        });
    }
    Ok(last)
}

fn request(wanted: &Wanted) -> http::Request {
    let method = wanted.method.as_deref().unwrap_or("GET");
    let mut request = http::Request::new(method, &wanted.url);
    for (name, value) in wanted.headers.iter().flatten() {
        request = request.header(name, value);
    }
    if let Some(body) = &wanted.body {
        request = request.body(body.as_bytes());
    }
    if let Some(timeout_ms) = wanted.timeout_ms {
        request = request.timeout(Duration::from_millis(timeout_ms));
    }
    if let Some(max_bytes) = wanted.max_bytes {
        request = request.max_bytes(max_bytes);
    }
    if wanted.truncate == Some(true) {
        request = request.truncated();
    }
    request
}
