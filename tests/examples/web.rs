//! Measures what the guard and the sandbox add to a request:
//! `cargo xtask guests`, then `cargo run --release --example web`.
//!
//! A bare client and guests ask the same server on loopback, on kept connections, one request after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forge_runtime::{Limits, NetworkSettings, Roots};
use forge_tests::guest::{Guest, answered, load_on};
use forge_tests::rig::{Names, Rig};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::json;

const REQUESTS: usize = 3000;
/// Requests in one call, where the call itself is left out of account.
const TOGETHER: u32 = 60;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
async fn main() {
    let rig = Rig::start("127.0.0.1").await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let bare = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let url: http::Uri = format!("{origin}/hello").parse().expect("a URL");
    let settings = NetworkSettings {
        resolver: Arc::new(Names::default()),
        roots: Roots::These(Vec::new()),
        ..NetworkSettings::default()
    };
    let limits = Limits {
        requests: REQUESTS,
        ..Limits::default()
    };
    let own = load_on("fetcher", settings.clone(), limits).await;
    let library = load_on("wasi_fetcher", settings, limits).await;
    let grant = json!({"network": ["http://*:*"], "private": [origin]}).to_string();
    let one = json!({"url": format!("{origin}/hello")}).to_string();
    let many = json!({"url": format!("{origin}/hello"), "times": TOGETHER}).to_string();
    let authority = format!("127.0.0.1:{}", rig.port());
    let through_library =
        json!({"scheme": "http", "authority": authority, "path": "/hello"}).to_string();

    println!("| who asks | p50, µs | p99, µs |\n| --- | --- | --- |");
    let row = |name: &str, mut times: Vec<Duration>| {
        times.sort();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e6;
        println!("| {name} | {:.1} | {:.1} |", at(50), at(99));
    };
    // Twice, so that what drifts is seen.
    for _ in 0..2 {
        let mut times = Vec::new();
        for _ in 0..REQUESTS {
            let began = Instant::now();
            let response = bare.get(url.clone()).await.expect("an answer");
            let body = response.into_body().collect().await.expect("a body");
            assert_eq!(body.to_bytes(), "hello");
            times.push(began.elapsed());
        }
        row("a bare client", times);
        row(
            "a call with one request through `forge:tool/http`",
            calls(&own, &one, &grant, REQUESTS).await,
        );
        row(
            "a call with one request through `wasi:http`",
            calls(&library, &through_library, &grant, REQUESTS).await,
        );
        let calls = calls(&own, &many, &grant, REQUESTS / TOGETHER as usize).await;
        let each = calls.into_iter().map(|time| time / TOGETHER).collect();
        row("each of 60 requests in a call", each);
    }
}

async fn calls(guest: &Guest, input: &str, grant: &str, count: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..count {
        let began = Instant::now();
        let report = guest.call("run", input, grant).await;
        times.push(began.elapsed());
        assert_eq!(answered(&report)["status"], 200);
    }
    times
}
