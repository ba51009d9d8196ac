//! Guests that want more than they declare or were granted.

use forge_tests::guest::{answered, effects, load, load_with, short_limits};

#[tokio::test]
async fn an_import_that_is_not_declared_refuses_the_component() {
    let Err(error) = load_with("undeclared_power", short_limits()).await else {
        panic!("it was loaded")
    };
    assert_eq!(
        error.to_string(),
        "tool `undeclared_power` is refused: it imports `forge:tool/llm@0.1.0`, but none of its operations declares \
         `llm` under `requires`"
    );
    // The same source with the declaration loads.
    let guest = load("declared_power").await;
    assert_eq!(guest.plugin().warnings(), [""; 0]);
}

#[tokio::test]
async fn a_power_answers_denied_and_says_what_is_missing() {
    let check = async |name: &str, operation: &str, grant: &str, message: &str| {
        let report = load(name).await.call(operation, "{}", grant).await;
        assert!(
            report.outcome.to_string().contains(message),
            "{}",
            report.outcome
        );
        assert_eq!(effects(&report), ["refused forge:tool/llm"]);
    };
    let undeclared = "operation `plain` may not use `forge:tool/llm`: it does not declare `llm` under `requires`";
    check("mixed_powers", "plain", r#"{"llm": true}"#, undeclared).await;
    let not_offered = "operation `ask` may not use `forge:tool/llm`: this host does not offer it";
    check("mixed_powers", "ask", r#"{"llm": true}"#, not_offered).await;
    check(
        "declared_power",
        "run",
        "{}",
        "operation `run` may not use `forge:tool/llm`",
    )
    .await;
}

#[tokio::test]
async fn without_requires_nothing_can_be_done() {
    let guest = load("no_requires").await;
    assert_eq!(
        guest.plugin().warnings(),
        ["operation `run` declares no `requires`: it is granted nothing"]
    );
    std::fs::write(guest.inside().join("a"), "abc").unwrap();
    let report = guest
        .call("run", "{}", r#"{"workspace": "write", "llm": true}"#)
        .await;
    let tried = answered(&report);
    for attempt in ["workspace", "files", "llm"] {
        assert!(tried[attempt]["ok"].is_null(), "{attempt}: {tried}");
    }
    assert_eq!(
        effects(&report),
        ["refused forge:tool/files", "refused forge:tool/llm"]
    );
}

#[tokio::test]
async fn whole_files_follow_the_declaration_of_each_operation() {
    let guest = load("whole_files").await;
    let write = r#"{"path": "a", "text": "abc"}"#;
    let everything = r#"{"workspace": "write"}"#;
    let check = async |operation: &str, input: &str, grant: &str, outcome: &str, effect: &str| {
        let report = guest.call(operation, input, grant).await;
        assert_eq!(
            report.outcome.to_string(),
            outcome,
            "{operation} {input} {grant}"
        );
        assert_eq!(effects(&report), [effect], "{operation} {input} {grant}");
    };
    check("write", write, everything, "ok", "write /workspace/a 3").await;
    check(
        "read",
        r#"{"path": "a"}"#,
        everything,
        "abc",
        "open /workspace/a 3",
    )
    .await;
    check(
        "list",
        r#"{"path": ""}"#,
        everything,
        r#"["a"]"#,
        "list /workspace",
    )
    .await;
    let refused = "write /workspace/a: not-permitted";
    check(
        "write_undeclared",
        write,
        everything,
        "denied: `a`: not-permitted",
        refused,
    )
    .await;
    check(
        "write",
        write,
        r#"{"workspace": "read"}"#,
        "denied: `a`: not-permitted",
        refused,
    )
    .await;
    check(
        "read",
        r#"{"path": "b"}"#,
        everything,
        "not-found: `b`: no-entry",
        "open /workspace/b: no-entry",
    )
    .await;
    let outside = "open /workspace/../secret: not-permitted";
    check(
        "read",
        r#"{"path": "../secret"}"#,
        everything,
        "denied: `../secret`: not-permitted",
        outside,
    )
    .await;
    let not_granted = "denied: operation `read` may not use `forge:tool/files`: it declares `workspace`, but the \
                       operator did not grant it";
    check(
        "read",
        r#"{"path": "a"}"#,
        "{}",
        not_granted,
        "refused forge:tool/files",
    )
    .await;
    assert_eq!(
        std::fs::read_to_string(guest.inside().join("a")).unwrap(),
        "abc"
    );
}
