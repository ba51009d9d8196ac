//! A stand-in for llama-server: it answers at once with what the prompt says it should.

use std::process::ExitCode;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Between these two, in the last message of the prompt, stands the answer.
pub(crate) const BEGIN: &str = "@answer{{";
pub(crate) const END: &str = "}}answer@";

/// Bytes of one piece of a streamed answer.
const PIECE: usize = 16;

#[expect(
    clippy::print_stderr,
    reason = "whoever starts it reads its address there"
)]
pub(crate) async fn run() -> ExitCode {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    eprintln!("http://{}", listener.local_addr().expect("an address"));
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket's option");
        tokio::spawn(serve(stream));
    }
}

async fn serve(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        while let Some((path, body, length)) = request(&bytes) {
            let response = answer(&path, &body);
            bytes.drain(..length);
            if stream.write_all(response.as_bytes()).await.is_err() {
                return;
            }
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
        }
    }
}

/// The first request in `bytes`, if it is whole: its path, its body and its length.
fn request(bytes: &[u8]) -> Option<(String, Vec<u8>, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let length: usize = length.unwrap_or(0);
    let body = bytes.get(end..end + length)?.to_vec();
    let path = head.split(' ').nth(1)?.to_owned();
    Some((path, body, end + length))
}

fn answer(path: &str, body: &[u8]) -> String {
    match path {
        "/completion" => completion(body),
        "/props" => whole(
            &json!({"model_path": "/models/stub.gguf", "default_generation_settings": {"n_ctx": 16384}}),
        ),
        _ => whole(&json!({"status": "ok"})),
    }
}

fn whole(value: &Value) -> String {
    let body = value.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// The answer that the prompt asks for, in pieces, as llama-server streams it.
fn completion(body: &[u8]) -> String {
    let request: Value = serde_json::from_slice(body).expect("the host sends JSON");
    let prompt = request["prompt"].as_str().unwrap_or_default();
    let text = prompt
        .rsplit_once(BEGIN)
        .and_then(|(_, rest)| rest.split_once(END))
        .map_or("", |(text, _)| text);
    let mut response =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_owned();
    let mut push = |event: &Value| {
        let data = format!("data: {event}\n\n");
        response.push_str(&format!("{:x}\r\n{data}\r\n", data.len()));
    };
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE.min(rest.len())));
        push(&json!({"content": piece, "stop": false}));
        rest = after;
    }
    push(&json!({
        "content": "", "stop": true, "stop_type": "eos", "truncated": false,
        "tokens_evaluated": prompt.len() / 4, "tokens_predicted": text.len() / 4, "tokens_cached": prompt.len() / 4,
        "timings": {"cache_n": 0, "prompt_n": prompt.len() / 4, "prompt_ms": 1.0, "predicted_n": text.len() / 4, "predicted_ms": 1.0},
    }));
    response.push_str("0\r\n\r\n");
    response
}
