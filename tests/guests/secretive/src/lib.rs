//! A guest that looks for the secret which the host adds to its requests: in the answers, and in its own memory.

use forge_sdk::{Error, Requires, Result, Secret, Value, http, json};
use wasip2::http::outgoing_handler;
use wasip2::http::types::{Fields, IncomingResponse, OutgoingRequest, Scheme};
use wasip2::io::streams::StreamError;

/// A request.
#[forge_sdk::input]
struct Wanted {
    /// The server; this machine where there is none.
    host: Option<String>,
    /// The server's port.
    port: u64,
    /// What is asked for.
    path: String,
    /// A header to set.
    header: Option<String>,
    /// The secret, with each byte turned over: so that it is not in memory by itself.
    turned: Vec<u64>,
}

fn requires() -> Requires {
    let mut secret = Secret::new("canary", "http://127.0.0.1:*", "X-Key");
    secret.prefix = "Key ".to_owned();
    Requires::none()
        .network(["http://127.0.0.1:*", "http://*:*"])
        .secret(secret)
        .secret(Secret::new("open", "http://open.test:*", "X-Open"))
}

forge_sdk::tool! {
    name: "secretive",
    summary: "Sends requests with a secret.",
    operations: {
        run(Wanted) => run {
            summary: "Answers all that came, and how often the secret is in memory.",
            requires: requires(),
        },
        streamed(Wanted) => streamed {
            summary: "The same through wasi:http.",
            requires: requires(),
        },
        known(Wanted) => known {
            summary: "Makes the secret from what was turned over, and tells how often it is in memory.",
            requires: Requires::none(),
        },
    },
}

fn run(wanted: Wanted) -> Result<Value> {
    let url = format!("http://{}{}", authority(&wanted), wanted.path);
    let mut request = http::Request::get(url);
    if let Some(name) = &wanted.header {
        request = request.header(name, "mine");
    }
    let response = request.send()?;
    let (headers, body) = (&response.headers, response.text());
    Ok(json!({"headers": headers, "body": body, "found": found(&wanted.turned)}))
}

fn streamed(wanted: Wanted) -> Result<Value> {
    let headers = Fields::new();
    if let Some(name) = &wanted.header {
        let set = headers.append(name, b"mine");
        set.map_err(|error| Error::denied(format!("the header: {error:?}")))?;
    }
    let request = OutgoingRequest::new(headers);
    let unfit = |()| Error::invalid_input("the host refuses a part of the URL");
    request.set_scheme(Some(&Scheme::Http)).map_err(unfit)?;
    request
        .set_authority(Some(&authority(&wanted)))
        .map_err(unfit)?;
    let path = Some(wanted.path.as_str());
    request.set_path_with_query(path).map_err(unfit)?;
    let refused = |error| Error::failed(format!("{error:?}"));
    let coming = outgoing_handler::handle(request, None).map_err(refused)?;
    coming.subscribe().block();
    let response = coming
        .get()
        .and_then(std::result::Result::ok)
        .ok_or_else(|| Error::failed("the answer is not there"))?
        .map_err(refused)?;
    let headers = response.headers().entries();
    let headers = headers.into_iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(&value).into_owned();
        json!([name, value])
    });
    let headers: Vec<Value> = headers.collect();
    let body = String::from_utf8_lossy(&whole(&response)?).into_owned();
    Ok(json!({"headers": headers, "body": body, "found": found(&wanted.turned)}))
}

fn known(wanted: Wanted) -> Result<Value> {
    let secret: Vec<u8> = wanted.turned.iter().map(|byte| turned(*byte)).collect();
    let found = found(&wanted.turned);
    Ok(json!({"found": found, "bytes": std::hint::black_box(secret).len()}))
}

fn authority(wanted: &Wanted) -> String {
    let host = wanted.host.as_deref().unwrap_or("127.0.0.1");
    format!("{host}:{}", wanted.port)
}

fn whole(response: &IncomingResponse) -> Result<Vec<u8>> {
    let unread = |()| Error::failed("the body is not there");
    let body = response.consume().map_err(unread)?;
    let stream = body.stream().map_err(unread)?;
    let mut whole = Vec::new();
    loop {
        match stream.blocking_read(64 << 10) {
            Ok(piece) => whole.extend(piece),
            Err(StreamError::Closed) => return Ok(whole),
            Err(StreamError::LastOperationFailed(error)) => {
                return Err(Error::failed(error.to_debug_string()));
            }
        }
    }
}

/// A byte, turned over or back.
fn turned(byte: u64) -> u8 {
    u8::try_from(byte).unwrap_or_default() ^ 0xff
}

/// How often what `secret` turns into is in this guest's memory.
#[cfg(target_arch = "wasm32")]
fn found(secret: &[u64]) -> usize {
    let bytes = core::arch::wasm32::memory_size(0) << 16;
    #[expect(
        unsafe_code,
        reason = "all of the memory is looked at, whoever's it is; it has no holes"
    )]
    let at = |address: usize| unsafe { core::ptr::read_volatile(address as *const u8) };
    let is_at = |start: &usize| {
        let mut pairs = secret.iter().enumerate();
        pairs.all(|(index, byte)| at(start + index) == turned(*byte))
    };
    (1..bytes.saturating_sub(secret.len()))
        .filter(is_at)
        .count()
}

/// Memory is looked at in the sandbox only.
#[cfg(not(target_arch = "wasm32"))]
fn found(_secret: &[u64]) -> usize {
    0
}
