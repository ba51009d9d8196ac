//! A guest that sends requests through `wasi:http`, as an HTTP library of its language would.

use forge_sdk::{Error, Requires, Result, Value, json};
use wasip2::http::outgoing_handler;
use wasip2::http::types::{Fields, IncomingResponse, OutgoingRequest, Scheme};
use wasip2::io::streams::StreamError;

/// A request.
#[forge_sdk::input]
struct Wanted {
    /// `http` or `https`.
    scheme: String,
    /// The host and the port.
    authority: String,
    /// What follows.
    path: String,
    /// A header's name.
    header: Option<String>,
}

forge_sdk::tool! {
    name: "wasi_fetcher",
    summary: "Sends a request through wasi:http.",
    operations: {
        run(Wanted) => run {
            summary: "Answers the status and the length of the answer as JSON.",
            requires: Requires::none().network(["http://*:*", "https://*:*"]),
        },
        undeclared(Wanted) => run {
            summary: "Sends a request without the right to.",
            requires: Requires::none(),
        },
    },
}

fn run(wanted: Wanted) -> Result<Value> {
    let headers = Fields::new();
    if let Some(name) = &wanted.header {
        let set = headers.append(name, b"x");
        set.map_err(|error| Error::denied(format!("the header: {error:?}")))?;
    }
    let request = OutgoingRequest::new(headers);
    let scheme = if wanted.scheme == "https" {
        Scheme::Https
    } else {
        Scheme::Http
    };
    let unfit = |()| Error::invalid_input("the host refuses a part of the URL");
    request.set_scheme(Some(&scheme)).map_err(unfit)?;
    request
        .set_authority(Some(&wanted.authority))
        .map_err(unfit)?;
    request
        .set_path_with_query(Some(&wanted.path))
        .map_err(unfit)?;
    let refused = |error| Error::failed(format!("{error:?}"));
    let coming = outgoing_handler::handle(request, None).map_err(refused)?;
    coming.subscribe().block();
    let response = coming
        .get()
        .and_then(std::result::Result::ok)
        .ok_or_else(|| Error::failed("the answer is not there"))?
        .map_err(refused)?;
    let status = response.status();
    let bytes = length(&response)?;
    Ok(json!({ "status": status, "bytes": bytes }))
}

fn length(response: &IncomingResponse) -> Result<u64> {
    let unread = |()| Error::failed("the body is not there");
    let body = response.consume().map_err(unread)?;
    let stream = body.stream().map_err(unread)?;
    let mut bytes = 0;
    loop {
        match stream.blocking_read(64 << 10) {
            Ok(piece) => bytes += piece.len() as u64,
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(Error::failed(error.to_debug_string()));
            }
        }
    }
}
