//! The worst of answers: each ends as an error that says what is wrong, within the bounds of the call.

use std::sync::Arc;
use std::time::Instant;

use forge_contract::effect::Effect;
use forge_contract::outcome::Outcome;
use forge_runtime::{Limits, NetworkSettings};
use forge_tests::guest::{answered, load_on};
use forge_tests::rig::{BOMB_BYTES, Rig};
use serde_json::{Value, json};

use super::{failure, fetcher, grant, send, settings};

/// What a call may bring at most, here.
const RESPONSE_BYTES: u64 = 1 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_answers_are_told_apart() {
    let rig = Rig::start("127.0.0.1").await;
    let limits = Limits {
        response_bytes: RESPONSE_BYTES,
        ..Limits::default()
    };
    let guest = load_on("fetcher", settings(&Arc::default()), limits).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let check = async |path: &str, expected: &str| {
        let began = Instant::now();
        let report = send(
            &guest,
            &grant(&[&origin]),
            &json!({"url": format!("{origin}{path}")}),
        )
        .await;
        let told = failure(&report);
        assert!(told.contains(expected), "{path}: {told}");
        // The longest patience, and some for a busy machine.
        assert!(began.elapsed().as_secs() < 25, "{path}");
        let [Effect::Request(request)] = report.effects.as_slice() else {
            panic!("{path}: {:?}", report.effects);
        };
        assert!(request.error.is_some());
        // What was read of it is hardly more than what may be.
        assert!(
            request.bytes <= RESPONSE_BYTES + (1 << 20),
            "{path}: {} bytes",
            request.bytes
        );
    };
    let too_long = "is longer than 1048576 bytes, the limit `response_bytes`";
    check("/announced", too_long).await;
    check("/big", too_long).await;
    check("/bigchunked", too_long).await;
    check("/bomb", too_long).await;
    check("/headerflood", "failed: the answer of").await;
    check("/manyheaders", "failed: the answer of").await;
    check("/badchunk", "failed: the answer of").await;
    check("/hugechunk", "failed: the answer of").await;
    check("/nohttp", "failed: the answer of").await;
    check("/short", "failed: the answer of").await;
    check("/notgzip", "failed: the answer of").await;
    check(
        "/unasked",
        "it is encoded as `zip`, which was not asked for",
    )
    .await;
    check("/silent", "timeout: `http://127.0.0.1").await;
    check("/stall", "nothing more of its answer came within 1500 ms").await;
    // Nobody listens any more, and certainly by now: a rig would end a moment later.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let closed = format!("http://127.0.0.1:{port}");
    let report = send(&guest, &grant(&[&closed]), &json!({"url": closed})).await;
    assert!(failure(&report).starts_with(&format!("unavailable: `{closed}` can't be reached")));
}

#[tokio::test]
async fn what_drips_ends_at_the_callers_patience_or_at_the_calls() {
    let rig = Rig::start("127.0.0.1").await;
    let limits = Limits {
        deadline_ms: 700,
        ..Limits::default()
    };
    let guest = load_on("fetcher", settings(&Arc::default()), limits).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let url = format!("{origin}/drip");
    let report = send(
        &guest,
        &grant(&[&origin]),
        &json!({"url": url, "timeout_ms": 200}),
    )
    .await;
    assert_eq!(
        failure(&report),
        "timeout: the request was given up: it did not end within 200 ms, as `timeout_ms` asks"
    );
    let report = send(&guest, &grant(&[&origin]), &json!({"url": url})).await;
    assert!(
        matches!(report.outcome, Outcome::Stopped(_)),
        "{}",
        report.outcome
    );
    assert!(report.outcome.to_string().contains("`deadline_ms`"));
}

#[tokio::test]
async fn a_caller_may_want_less() {
    let rig = Rig::start("127.0.0.1").await;
    let guest = fetcher(&Arc::default()).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let ask = async |path: &str, wanted: Value| {
        let mut input = json!({"url": format!("{origin}{path}")});
        input
            .as_object_mut()
            .unwrap()
            .extend(wanted.as_object().unwrap().clone());
        send(&guest, &grant(&[&origin]), &input).await
    };
    let report = ask("/hello", json!({"max_bytes": 4})).await;
    assert!(failure(&report).contains("is longer than 4 bytes, the limit `max_bytes`"));
    for (path, wanted, bytes) in [
        ("/hello", json!({"max_bytes": 4, "truncate": true}), 4),
        ("/hello", json!({"max_bytes": 5}), 5),
        ("/gzip", json!({"max_bytes": 5}), 5),
        ("/gzip", json!({"max_bytes": 3, "truncate": true}), 3),
        (
            "/big",
            json!({"max_bytes": 100_000, "truncate": true}),
            100_000,
        ),
        ("/bomb", json!({"max_bytes": 4096, "truncate": true}), 4096),
    ] {
        let report = ask(path, wanted).await;
        assert_eq!(answered(&report)["bytes"], bytes, "{path}");
    }
    // Who offers encodings of its own gets them as they come.
    let report = ask("/gzip", json!({"headers": {"accept-encoding": "gzip"}})).await;
    assert_ne!(answered(&report)["begins"], "hello");
    assert!(BOMB_BYTES as u64 > Limits::default().response_bytes);
}

#[tokio::test]
async fn a_call_sends_no_more_requests_than_it_may() {
    let rig = Rig::start("127.0.0.1").await;
    let limits = Limits {
        requests: 5,
        ..Limits::default()
    };
    let guest = load_on("fetcher", settings(&Arc::default()), limits).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let input = |times: u64| json!({"url": format!("{origin}/hello"), "times": times});
    let report = send(&guest, &grant(&[&origin]), &input(5)).await;
    assert_eq!(answered(&report)["status"], 200);
    let report = send(&guest, &grant(&[&origin]), &input(6)).await;
    assert_eq!(
        report.outcome.to_string(),
        "the tool was stopped at its limit `requests` of 5"
    );
    assert_eq!(report.effects.len(), 5);
    assert_eq!(rig.requests(), 10);
    // One connection for all of them, and one more for another grant.
    assert_eq!(rig.connections(), 1);
    let other = json!({"network": ["http://127.0.0.1:*"], "private": [origin]}).to_string();
    let report = send(&guest, &other, &input(1)).await;
    assert_eq!(answered(&report)["status"], 200);
    assert_eq!(rig.connections(), 2);
}

#[tokio::test]
async fn a_proxy_gets_requests_only_if_the_operator_says_so() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        let length = stream.read(&mut head).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        forge_tests::rig::serve(stream, &std::sync::atomic::AtomicUsize::new(0)).await;
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let settings = NetworkSettings {
        proxy: forge_runtime::Proxy::At(format!("http://{address}")),
        ..settings(&Arc::default())
    };
    let rig = Rig::start("127.0.0.1").await;
    let guest = load_on("fetcher", settings, Limits::default()).await;
    // It looks the name up: here nobody knows it.
    let report = send(
        &guest,
        &grant(&[]),
        &json!({"url": "http://far.test/hello"}),
    )
    .await;
    assert_eq!(answered(&report)["begins"], "hello");
    // What is private is none of its business, and an address is checked all the same.
    let own = format!("http://127.0.0.1:{}", rig.port());
    let report = send(
        &guest,
        &grant(&[&own]),
        &json!({"url": format!("{own}/hello")}),
    )
    .await;
    assert_eq!(
        (answered(&report)["status"].as_u64(), rig.connections()),
        (Some(200), 1)
    );
    let report = send(&guest, &grant(&[]), &json!({"url": format!("{own}/hello")})).await;
    assert!(failure(&report).contains("is not public"));
    drop(guest);
    let head = proxy.await.unwrap();
    assert!(
        head.starts_with("CONNECT far.test:80 HTTP/1.1\r\n"),
        "{head}"
    );
}
