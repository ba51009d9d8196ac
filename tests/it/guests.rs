//! Components that misbehave, each for what it tries. Every folder of `tests/guests/` has a case here.

mod files;
mod limits;
mod changes;
mod conversation;
mod powers;
mod calls;

use forge_tests::guest::{answered, load, load_with, short_limits};
use forge_tests::place::Place;

/// The folders of `tests/guests/` against the sources of these tests.
#[test]
fn every_guest_has_a_case() {
    let cases = [
        include_str!("guests.rs"),
        include_str!("guests/calls.rs"),
        include_str!("guests/changes.rs"),
        include_str!("guests/conversation.rs"),
        include_str!("guests/files.rs"),
        include_str!("guests/limits.rs"),
        include_str!("guests/powers.rs"),
        include_str!("network.rs"),
        include_str!("secrets.rs"),
        include_str!("network/wasi.rs"),
    ];
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/guests")).unwrap();
    let names: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let quoted = format!("\"{name}\"");
        assert!(
            cases.iter().any(|case| case.contains(&quoted)),
            "the guest `{name}` has no case"
        );
        assert!(!Place::Guests.component(&name).is_empty());
    }
}

#[tokio::test]
async fn a_guest_that_behaves_answers() {
    for (name, input, expected) in [
        ("noop", "{}", "ok"),
        ("read_bench", r#"{"path": "a"}"#, "3"),
        ("read_polled", r#"{"path": "a"}"#, "3"),
    ] {
        let guest = load(name).await;
        std::fs::write(guest.inside().join("a"), "abc").unwrap();
        let report = guest.call("run", input, r#"{"workspace": "read"}"#).await;
        assert_eq!(report.outcome.to_string(), expected);
    }
}

#[tokio::test]
async fn what_is_no_component_is_refused() {
    let check = async |bytes: &[u8], expected: &str| {
        let runtime = forge_runtime::Runtime::new(forge_runtime::Settings {
            component_bytes: 1 << 20,
            ..forge_runtime::Settings::default()
        })
        .unwrap();
        let Err(error) = runtime.load(bytes.to_vec()).await else {
            panic!("it was loaded: {expected}")
        };
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    let noop = Place::Guests.component("noop");
    check(b"not wasm", "this is no WebAssembly component").await;
    check(b"\0asm\x01\0\0\0", "this is no WebAssembly component").await;
    check(&noop[..noop.len() / 2], "this is no WebAssembly component").await;
    check(
        b"\0asm\x0d\0\x01\0",
        "the component exports no `forge:tool/tool`",
    )
    .await;
    check(
        &vec![0; (1 << 20) + 1],
        "the component is larger than the limit `component_bytes` of 1048576",
    )
    .await;
}

#[tokio::test]
async fn a_bad_description_is_refused() {
    let check = async |name: &str, expected: &str| {
        let limits = forge_runtime::Limits {
            deadline_ms: 300,
            ..short_limits()
        };
        let Err(error) = load_with(name, limits).await else {
            panic!("`{name}` was loaded")
        };
        assert_eq!(error.to_string(), expected);
    };
    check(
        "bad_manifest",
        "the manifest is no JSON: expected ident at line 1 column 2",
    )
    .await;
    check(
        "lying_requires",
        "the manifest can't be read at `operations[0].requires.everything`: unknown field `everything`, expected one \
         of `network`, `llm`, `workspace`, `programs`, `memory`, `calls`, `observes`, `secrets`",
    )
    .await;
    check(
        "spin_describe",
        "the component did not describe itself: the tool was stopped after 300 ms, its limit `deadline_ms`",
    )
    .await;
}

#[tokio::test]
async fn a_description_is_the_same_on_every_day() {
    let (one, other) = (load("clock").await, load("clock").await);
    let summary = &one.plugin().manifest().summary;
    assert_eq!(summary, &other.plugin().manifest().summary);
    assert!(
        summary.starts_with("Loaded at 0 with"),
        "the sealed clock stands still: {summary}"
    );
    // A call is not sealed: its clock goes and its dice fall.
    let (first, second) = (
        one.call("run", "{}", "{}").await,
        one.call("run", "{}", "{}").await,
    );
    assert_ne!(answered(&first)["wall_ns"], "0");
    assert_ne!(answered(&first)["random"], answered(&second)["random"]);
}

#[tokio::test]
async fn a_guest_sees_nothing_of_its_surroundings() {
    let guest = load("environment").await;
    let seen = answered(&guest.call("run", "{}", r#"{"workspace": "read"}"#).await);
    assert_eq!(seen["variables"], serde_json::json!([]));
    assert_eq!(seen["arguments"], serde_json::json!([]));
    assert_eq!(seen["cwd"], "/");
    assert_eq!(seen["stdin"], "");
    assert!(seen["root"].is_string(), "no folder is opened: {seen}");
}

#[tokio::test]
async fn a_guest_reaches_no_socket() {
    let guest = load("socket").await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let network = format!(r#"{{"network": ["http://127.0.0.1:{port}"]}}"#);
    let seen = answered(
        &guest
            .call("run", &format!(r#"{{"port": {port}}}"#), &network)
            .await,
    );
    for attempt in ["tcp", "listen", "udp", "lookup"] {
        assert_ne!(seen[attempt], "ok", "{attempt}: {seen}");
    }
    assert!(listener.accept().is_err(), "nobody may have connected");
}

#[tokio::test]
async fn progress_log_and_settings_are_always_there() {
    let guest = load("progress").await;
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let news = heard.clone();
    let grant = forge_contract::grant::Grant::default();
    let call = forge_runtime::Call::new("run", "{}", &grant)
        .with_settings(&serde_json::json!({"limit": 3}))
        .on_progress(std::sync::Arc::new(move |progress| {
            news.lock().unwrap().push(format!("{progress:?}"))
        }));
    let report = guest.plugin().call(call).await;
    assert_eq!(answered(&report), serde_json::json!({"limit": 3}));
    assert_eq!(
        *heard.lock().unwrap(),
        [
            r#"Step("first")"#,
            r#"Delta("Hel")"#,
            r#"Step("second")"#,
            r#"Delta("lo")"#
        ]
    );
    assert_eq!(report.steps, ["first", "second"]);
    let log: Vec<String> = report
        .log
        .iter()
        .map(|line| format!("{:?} {}", line.level, line.message))
        .collect();
    assert_eq!(
        log,
        [
            "Debug a debug line",
            "Info an info line",
            "Warn a warn line",
            "Error an error line"
        ]
    );
}
