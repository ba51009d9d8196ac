//! The HTTP API as a client sees it: shapes, problems, events, and who may ask.

mod client;
mod cases;
mod ending;
mod events;
mod killed;
mod approving;

use forge_tests::forge::Setup;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use client::{Api, answer, files, responses};

/// Sends `request` and compares the status and, for a problem, the beginning of its detail.
async fn check(api: &Api, request: &str, status: u16, detail: &str) {
    let response = api.raw(request).await;
    assert_eq!(response.status, status, "{request}\n{response:?}");
    assert!(response.header("x-request-id").is_some(), "{response:?}");
    if status < 400 {
        return;
    }
    let media = response.header("content-type");
    assert_eq!(
        media.as_deref(),
        Some("application/problem+json"),
        "{response:?}"
    );
    let problem: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(problem["status"], status);
    assert_eq!(
        problem["instance"],
        response.header("x-request-id").unwrap().as_str()
    );
    let told = problem["detail"].as_str().unwrap();
    assert!(told.starts_with(detail), "{told}");
}

fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn a_problem_says_what_to_do() {
    let api = Api::start(vec![answer("Good day.")], Setup::default(), None).await;
    let check = async |request: &str, status, detail| check(&api, request, status, detail).await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    check(
        &get("/nowhere"),
        404,
        "there is no `/nowhere`: `/` is the page",
    )
    .await;
    check(&get("/chat"), 405, "`GET` is not possible here").await;
    check(
        &get("/traces?n=0"),
        422,
        "`n`: `0` is no whole number from 1 to 1000",
    )
    .await;
    check(&get("/traces?n=x"), 422, "`n`: `x` is no whole number").await;
    check(&get("/history?conversation=A"), 422, "`conversation`: ").await;
    check(&get("/artifacts/1"), 404, "there is no such artifact").await;
    check(&post("", "{"), 400, "the body is no JSON: EOF").await;
    check(&post("", "[]"), 422, "``: the body must be an object").await;
    check(&post("", "{}"), 422, "`message`: it is missing").await;
    check(
        &post("", r#"{"message": 1}"#),
        422,
        "`message`: it must be a string, and is a number",
    )
    .await;
    check(
        &post("", r#"{"message": " \n"}"#),
        400,
        "`message` is blank",
    )
    .await;
    check(
        &post("", r#"{"message": "a", "conversation": "../x"}"#),
        422,
        "`conversation`: ",
    )
    .await;
    check(
        &post("", r#"{"message": "a", "max_steps": 0}"#),
        422,
        "`max_steps`: it must be a whole number from 1 to 100",
    )
    .await;
    check(
        &post("", r#"{"message": "a", "agent": "yes"}"#),
        422,
        "`agent`: it must be `true` or `false`",
    )
    .await;
    let long = json!({"message": "x".repeat(1 << 20)}).to_string();
    check(
        &post("", &long),
        413,
        "the body has more than 1048576 bytes, the setting `FORGE_MAX_BODY_BYTES`",
    )
    .await;
    let form = "POST /chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 15\r\n\r\n{\"message\":\"a\"}";
    check(form, 415, "send JSON").await;
    check(&post("", r#"{"message": "hello", "unknown": 1}"#), 200, "").await;
}

#[tokio::test]
async fn only_this_servers_own_page_may_ask() {
    let api = Api::start(Vec::new(), Setup::default(), None).await;
    let check = async |request: &str, status, detail| check(&api, request, status, detail).await;
    let get = |headers: &str| format!("GET /tools HTTP/1.1\r\n{headers}\r\n");
    check(&get("host: localhost:1\r\n"), 200, "").await;
    check(
        &get("host: rebound.example\r\n"),
        421,
        "this server is not `rebound.example`",
    )
    .await;
    check(
        &get("host: localhost\r\norigin: http://localhost\r\n"),
        200,
        "",
    )
    .await;
    check(
        &get("host: localhost\r\norigin: http://evil.example\r\n"),
        403,
        "a page of `http://evil.example` may not ask",
    )
    .await;
    check(
        &get("host: localhost\r\norigin: null\r\n"),
        403,
        "a page of `null` may not ask",
    )
    .await;
    check(
        &get("host: localhost\r\norigin: http://localhost:81\r\n"),
        403,
        "a page of",
    )
    .await;
}

#[tokio::test]
async fn a_token_is_asked_for_before_the_body_is_read() {
    let api = Api::start(vec![answer("Good day.")], Setup::default(), Some("sesame")).await;
    let check = async |request: String, status: u16| {
        let response = api.raw(&request).await;
        assert_eq!(response.status, status, "{request}\n{response:?}");
        if status == 401 {
            assert_eq!(
                response.header("www-authenticate").as_deref(),
                Some("Bearer")
            );
        }
    };
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")
    };
    check(get("/health", ""), 200).await;
    check(get("/", ""), 200).await;
    check(get("/tools", ""), 401).await;
    check(get("/tools", "authorization: Bearer other\r\n"), 401).await;
    check(get("/tools", "authorization: Bearer s\u{e9}same\r\n"), 401).await;
    check(get("/tools", "authorization: bearer sesame\r\n"), 200).await;
    // The body never comes.
    let unsent = "POST /chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n";
    check(unsent.to_owned(), 401).await;
    check(
        post(
            "authorization: Bearer sesame\r\n",
            r#"{"message": "hello"}"#,
        ),
        200,
    )
    .await;
}

#[tokio::test]
async fn a_turn_has_the_known_shape() {
    let lines = vec![
        answer("Good day."),
        files(&json!({"action": "read", "path": "missing"})),
    ];
    let api = Api::start(lines, Setup::default(), None).await;
    let mut told = api
        .chat(&json!({"message": "hello", "conversation": "one"}))
        .await;
    assert_eq!(told["run_id"].as_str().unwrap().len(), 12);
    for varying in ["run_id", "total_ms"] {
        told[varying] = Value::Null;
    }
    told["usage"]["llm_ms"] = Value::Null;
    assert_eq!(
        told,
        json!({
            "output": "Good day.", "tool": "chat", "ok": true, "steps": 1, "error": null,
            "usage": {
                "llm_calls": 1, "llm_ms": null, "prompt_tokens": null, "cached_tokens": null,
                "completion_tokens": null, "total_tokens": null, "max_prompt_tokens": null,
                "context_limit": null, "estimated": false,
            },
            "run_id": null, "approval": null, "labels": [], "conversation": "one", "stored": true, "not_stored": null,
            "user_id": 1, "assistant_id": 2, "total_ms": null,
        })
    );
    let failed = api.chat(&json!({"message": "read what is missing"})).await;
    assert_eq!(
        (&failed["ok"], &failed["stored"]),
        (&json!(false), &json!(false))
    );
    assert!(
        failed["error"]
            .as_str()
            .unwrap()
            .contains("`missing` does not exist")
    );

    assert_eq!(
        api.get("/tools").await,
        json!({"tools": ["chat", "code", "files"], "denied": [], "graphs": []})
    );
    assert_eq!(
        api.get("/health").await,
        json!({"status": "ok", "provider": "scripted", "model": "script"})
    );
    let traces = api.get("/traces?n=5").await;
    let said: Vec<&str> = traces["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["user_input_preview"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["hello", "read what is missing"]);
    let history = api.get("/history?conversation=one&after=1").await;
    assert_eq!(history.as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &history[0]["id"],
            &history[0]["role"],
            &history[0]["content"]
        ),
        (&json!(2), &json!("assistant"), &json!("Good day."))
    );
    let listed = api.get("/capabilities").await;
    assert_eq!(listed["broken"], json!([]));
    assert!(
        listed["capabilities"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["operation"] == "read" && row["available"] == true)
    );
}

#[tokio::test]
async fn requests_that_come_at_once_are_answered_in_order() {
    let api = Api::start(vec![answer("Good day.")], Setup::default(), None).await;
    let get = |path: &str, id: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-request-id: {id}\r\n\r\n")
    };
    let sent = [
        get("/health", "one"),
        post("x-request-id: two\r\n", r#"{"message": "hello"}"#),
        get("/nowhere", "three"),
        // An id that would spoil the log is replaced.
        get("/tools", "f o u r"),
    ];
    let mut stream = api.connect().await;
    stream.write_all(sent.concat().as_bytes()).await.unwrap();
    let told = responses(&mut stream, sent.len()).await;
    let statuses: Vec<u16> = told.iter().map(|response| response.status).collect();
    assert_eq!(statuses, [200, 200, 404, 200]);
    let ids: Vec<String> = told
        .iter()
        .map(|response| response.header("x-request-id").unwrap())
        .collect();
    assert_eq!(ids[..3], ["one", "two", "three"]);
    assert_eq!(ids[3].len(), 32, "{}", ids[3]);
}

#[tokio::test]
async fn sixty_four_conversations_lose_nothing() {
    const CONVERSATIONS: usize = 64;
    const TURNS: usize = 20;
    let lines = vec![answer("Noted."); CONVERSATIONS * TURNS];
    let api = Api::start(lines, Setup::default(), None).await;
    let talk = async |conversation: usize| {
        for turn in 0..TURNS {
            let name = format!("c{conversation}");
            let told = api
                .chat(&json!({"message": format!("say {turn}"), "conversation": name}))
                .await;
            assert_eq!(told["stored"], true, "{told}");
            assert_eq!(told["user_id"], 2 * turn + 1, "{told}");
        }
    };
    futures_util::future::join_all((0..CONVERSATIONS).map(talk)).await;
    for conversation in 0..CONVERSATIONS {
        let path = format!("/history?conversation=c{conversation}&limit=1000");
        let history = api.get(&path).await;
        let history = history.as_array().unwrap();
        assert_eq!(history.len(), 2 * TURNS);
        for (turn, exchange) in history.chunks(2).enumerate() {
            assert_eq!(exchange[0]["content"], format!("say {turn}"));
            assert_eq!(exchange[1]["content"], "Noted.");
        }
    }
}
