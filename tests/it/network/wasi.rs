//! The same guard for guests with an HTTP library of their own.

use std::sync::Arc;

use forge_contract::label::Label;
use forge_runtime::Limits;
use forge_tests::guest::{Guest, answered, effects, load_on};
use forge_tests::rig::{Names, Rig};
use serde_json::json;

use super::{failure, grant, settings};

async fn guest(names: Names) -> Guest {
    let limits = Limits {
        response_bytes: 1 << 20,
        ..Limits::default()
    };
    load_on("wasi_fetcher", settings(&Arc::new(names)), limits).await
}

#[tokio::test]
async fn a_library_of_the_guests_own_is_guarded_too() {
    let rig = Rig::start("127.0.0.1").await;
    let inside = Rig::start("127.0.0.2").await;
    let guest = guest(Names::default().with("inside.test", &[&["127.0.0.2"]])).await;
    let authority = format!("127.0.0.1:{}", rig.port());
    let origin = format!("http://{authority}");
    let input = |authority: &str, path: &str| {
        json!({"scheme": "http", "authority": authority, "path": path}).to_string()
    };
    let report = guest
        .call("run", &input(&authority, "/hello"), &grant(&[&origin]))
        .await;
    assert_eq!(answered(&report), json!({"status": 200, "bytes": 5}));
    assert_eq!(effects(&report), [format!("GET {origin}/hello 200")]);
    assert!(report.labels.contains(&Label::External));

    let check =
        async |operation: &str, grant: &str, authority: &str, path: &str, expected: &str| {
            let report = guest.call(operation, &input(authority, path), grant).await;
            let told = failure(&report);
            assert!(told.contains(expected), "{authority}{path}: {told}");
            report
        };
    let all = grant(&[&origin]);
    let (forbidden, port) = ("DestinationIpProhibited", inside.port());
    for host in [
        "127.0.0.2",
        "inside.test",
        "2130706434",
        "[::ffff:127.0.0.2]",
    ] {
        let report = check("run", &all, &format!("{host}:{port}"), "/hello", forbidden).await;
        assert!(
            effects(&report)[0].contains("127.0.0.2 is not public") || host.starts_with('['),
            "{report:?}"
        );
    }
    check("run", &all, &format!("x@127.0.0.2:{port}"), "/", forbidden).await;
    check(
        "run",
        &json!({"network": ["https://*"]}).to_string(),
        &authority,
        "/",
        "HttpRequestDenied",
    )
    .await;
    check(
        "undeclared",
        &all,
        &authority,
        "/hello",
        "HttpRequestDenied",
    )
    .await;
    check("run", "{}", &authority, "/hello", "HttpRequestDenied").await;
    assert_eq!((inside.connections(), rig.requests()), (0, 1));

    check(
        "run",
        &all,
        &authority,
        "/big",
        "HTTP response body size exceeds limit",
    )
    .await;
    check("run", &all, &authority, "/stall", "").await;
    check("run", &all, &authority, "/silent", "HttpResponseTimeout").await;
    check("run", &all, &authority, "/badchunk", "").await;
    check(
        "run",
        &all,
        &authority,
        "/headerflood",
        "HttpResponseIncomplete",
    )
    .await;
    let with_host =
        json!({"scheme": "http", "authority": authority, "path": "/echo", "header": "Host"});
    let report = guest.call("run", &with_host.to_string(), &all).await;
    assert!(
        failure(&report).starts_with("denied: the header: "),
        "{}",
        report.outcome
    );
}
