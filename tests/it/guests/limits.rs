//! Guests that take too much: each call ends at the limit, by name, and the host is as before.

use forge_contract::outcome::{Outcome, Stop};
use forge_runtime::Limits;
use forge_tests::guest::{load, load_with, short_limits};

/// The outcome of `operation` under `limits`, and that the guest can be called again.
async fn check(name: &str, operation: &str, limits: Limits, expected: &str) {
    let guest = load_with(name, limits).await.unwrap();
    for _ in 0..2 {
        let report = guest.call(operation, "{}", "{}").await;
        assert_eq!(report.outcome.to_string(), expected, "{name}.{operation}");
    }
}

#[tokio::test]
async fn a_loop_ends_at_the_deadline() {
    let limits = Limits {
        deadline_ms: 100,
        ..short_limits()
    };
    check(
        "spin",
        "run",
        limits,
        "the tool was stopped after 100 ms, its limit `deadline_ms`",
    )
    .await;
}

#[tokio::test]
async fn a_loop_starves_nobody() {
    // One thread serves both calls: the loop must give way or the other would never end.
    let spin = load("spin").await;
    let noop = load("noop").await;
    let looping = spin.call("run", "{}", "{}");
    let answering = async {
        let report = noop.call("run", "{}", "{}").await;
        assert!(report.outcome.is_done());
        std::time::Instant::now()
    };
    let (looped, answered) = tokio::join!(looping, answering);
    assert!(
        matches!(looped.outcome, Outcome::Stopped(Stop::Deadline { .. })),
        "{}",
        looped.outcome
    );
    assert!(
        answered.elapsed() > std::time::Duration::from_millis(500),
        "the answer came while the loop ran"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_slots_wait_their_turn() {
    let guest = std::sync::Arc::new(load("noop").await);
    let calls = (0..500).map(|_| {
        let guest = guest.clone();
        tokio::spawn(async move { guest.call("run", "{}", "{}").await.outcome.to_string() })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap(), "ok");
    }
}

#[tokio::test]
async fn memory_ends_at_its_limit() {
    let limits = Limits {
        memory_bytes: 16 << 20,
        ..short_limits()
    };
    check(
        "memory_bomb",
        "run",
        limits,
        "the tool was stopped at its limit `memory_bytes` of 16777216",
    )
    .await;
}

#[tokio::test]
async fn tables_and_instances_end_at_their_limits() {
    let check = async |limits: Limits, expected: &str| {
        let Err(error) = load_with("noop", limits).await else {
            panic!("it was loaded")
        };
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(
        Limits {
            table_elements: 1,
            ..short_limits()
        },
        "its limit `table_elements` of 1",
    )
    .await;
    check(
        Limits {
            instances: 1,
            ..short_limits()
        },
        "resource limit exceeded",
    )
    .await;
}

#[tokio::test]
async fn an_answer_ends_at_its_limit() {
    let limits = Limits {
        memory_bytes: 1 << 30,
        output_bytes: 1 << 20,
        transfer_bytes: 1 << 30,
        ..Limits::default()
    };
    check(
        "output_flood",
        "answer",
        limits,
        "the tool was stopped at its limit `output_bytes` of 1048576",
    )
    .await;
    let limits = Limits {
        transfer_bytes: 16 << 20,
        ..limits
    };
    check(
        "output_flood",
        "answer",
        limits,
        "the tool was stopped at its limit `transfer_bytes` of 16777216",
    )
    .await;
    // The usual limit on memory comes first.
    check(
        "output_flood",
        "answer",
        short_limits(),
        "the tool was stopped at its limit `memory_bytes` of 67108864",
    )
    .await;
}

#[tokio::test]
async fn floods_of_log_and_standard_error_are_bounded() {
    let guest = load_with("output_flood", Limits::default()).await.unwrap();
    let report = guest.call("log", "{}", "{}").await;
    assert_eq!(report.outcome.to_string(), "ok");
    assert_eq!(
        (report.log.len() as u64, report.log_omitted),
        (256, 1_000_000 - 256)
    );
    let report = guest.call("stderr", "{}", "{}").await;
    assert_eq!(report.outcome.to_string(), "ok");
}

#[tokio::test]
async fn a_crash_is_told_with_its_last_words() {
    let check = async |operation: &str, expected: &str| {
        let report = load("trap").await.call(operation, "{}", "{}").await;
        assert_eq!(report.outcome.to_string(), expected);
    };
    check(
        "panic",
        "the tool crashed: the guest panicked on purpose (wasm trap: wasm `unreachable` instruction executed)",
    )
    .await;
    check(
        "unreachable",
        "the tool crashed: wasm trap: wasm `unreachable` instruction executed",
    )
    .await;
    check(
        "overflow",
        "the tool crashed: wasm trap: call stack exhausted",
    )
    .await;
}
