//! A client that sends one request after the other on each of several connections.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// A request, ready to be sent.
#[derive(Clone)]
pub(crate) struct Request(Vec<u8>);

impl Request {
    pub(crate) fn get(path: &str) -> Self {
        Self(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes())
    }

    pub(crate) fn post(path: &str, body: &Value) -> Self {
        let body = body.to_string();
        let length = body.len();
        Self(
            format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
                .into_bytes(),
        )
    }
}

/// What a load brought.
pub(crate) struct Load {
    pub(crate) latencies: Latencies,
    pub(crate) count: usize,
    pub(crate) failed: usize,
    pub(crate) seconds: f64,
}

/// Sends `count` requests over `connections` connections.
pub(crate) async fn load(
    address: SocketAddr,
    request: fn(usize) -> Request,
    connections: usize,
    count: usize,
) -> Load {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for connection in 0..connections {
        let request = request(connection);
        running.spawn(one_after_the_other(address, request, count / connections));
    }
    let mut load = Load {
        latencies: Latencies::default(),
        count: 0,
        failed: 0,
        seconds: 0.0,
    };
    while let Some(done) = running.join_next().await {
        for (latency, status) in done.expect("no client panics") {
            load.latencies.add(latency);
            load.count += 1;
            load.failed += usize::from(status != 200);
        }
    }
    load.seconds = began.elapsed().as_secs_f64();
    load
}

async fn one_after_the_other(
    address: SocketAddr,
    Request(request): Request,
    count: usize,
) -> Vec<(Duration, u16)> {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.set_nodelay(true).expect("a socket's option");
    let mut done = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        stream.write_all(&request).await.expect("it reads");
        let status = status(&mut stream).await.expect("it answers");
        done.push((began.elapsed(), status));
    }
    done
}

/// Reads one response with a `content-length` and returns its status; `None` when the connection ends first.
pub(crate) async fn status(stream: &mut TcpStream) -> Option<u16> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16384];
    loop {
        let length = stream.read(&mut piece).await.ok()?;
        if length == 0 {
            return None;
        }
        bytes.extend_from_slice(&piece[..length]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let body: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))?
            .parse()
            .ok()?;
        if bytes.len() >= end + 4 + body {
            return head.get(9..12)?.parse().ok();
        }
    }
}

/// Times, in milliseconds.
#[derive(Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    pub(crate) fn add(&mut self, latency: Duration) {
        self.0.push(latency.as_secs_f64() * 1000.0);
    }

    /// The time that this part of them does not exceed.
    pub(crate) fn at(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let index = (part * sorted.len() as f64) as usize;
        sorted.get(index.min(last)).copied().unwrap_or_default()
    }

    pub(crate) fn shown(&self) -> String {
        format!(
            "p50 {:.1} ms, least {:.1}, most {:.1}",
            self.at(0.5),
            self.at(0.0),
            self.at(1.0)
        )
    }
}
