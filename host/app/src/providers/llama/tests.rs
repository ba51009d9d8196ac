//! The provider against a server that answers what was recorded.

mod server;

use std::time::Duration;

use forge_core::provider::{
    Completion, CompletionRequest, Constraint, Finish, Flow, Provider, ProviderError, Usage,
};
use serde_json::{Value, json};

use super::{LlamaCpp, Settings};
use server::{Ending, Reply, Server};

const LAST: &str = r#"data: {"content":"","stop":true,"stop_type":"eos","tokens_predicted":3,"tokens_evaluated":68,"timings":{"cache_n":60,"prompt_n":8,"prompt_ms":20.5,"predicted_n":3,"predicted_ms":31.25}}"#;

fn settings(url: String) -> Settings {
    Settings {
        url,
        timeout: Duration::from_secs(20),
        idle_timeout: Duration::from_secs(20),
        n_predict: 512,
        use_grammar: true,
        id_slot: 0,
        cache_prompt: true,
    }
}

fn piece(content: &str) -> String {
    let piece =
        json!({"index": 0, "content": content, "tokens": [1], "stop": false, "id_slot": -1});
    format!("data: {piece}\n\n")
}

fn stream(body: &str) -> Reply {
    Reply::chunked(200, "text/event-stream", [body.as_bytes().to_vec()])
}

fn refusal(status: u16, body: &Value) -> Reply {
    Reply::whole(status, "application/json", &body.to_string())
}

/// Asks a server that answers with `reply`, and returns the result with the pieces that were heard.
async fn ask(reply: Reply) -> (Result<Completion, ProviderError>, Vec<String>) {
    ask_with(reply, |settings| settings).await
}

async fn ask_with(
    reply: Reply,
    change: impl FnOnce(Settings) -> Settings,
) -> (Result<Completion, ProviderError>, Vec<String>) {
    let server = Server::start(vec![reply]).await;
    let llama = LlamaCpp::new(change(settings(server.url()))).unwrap();
    let mut heard = Vec::new();
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: None,
    };
    let result = llama
        .complete(&request, &mut |text| {
            heard.push(text.to_owned());
            Flow::Continue
        })
        .await;
    (result, heard)
}

/// `reply` makes the completion fail with `message`, in which `URL` stands for the server.
async fn check_error(reply: Reply, message: &str) {
    let server = Server::start(vec![reply]).await;
    let mut settings = settings(server.url());
    settings.idle_timeout = Duration::from_millis(50);
    let llama = LlamaCpp::new(settings).unwrap();
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: None,
    };
    let result = llama.complete(&request, &mut |_| Flow::Continue).await;
    let error = result.unwrap_err().to_string();
    assert_eq!(error.replace(&server.url(), "URL"), message);
}

#[tokio::test]
async fn pieces_come_as_they_decode_and_the_last_one_tells_the_cost() {
    let body = format!("{}{}{LAST}\n\n", piece(" a"), piece(" time"));
    let (result, heard) = ask(stream(&body)).await;
    assert_eq!(heard, [" a", " time"]);
    assert_eq!(
        result.unwrap(),
        Completion {
            text: " a time".to_owned(),
            finish: Finish::Done,
            usage: Usage {
                prompt_tokens: Some(68),
                cached_tokens: Some(60),
                completion_tokens: Some(3),
                prompt_ms: Some(20.5),
                completion_ms: Some(31.25),
            },
        }
    );
}

#[tokio::test]
async fn a_request_into_a_closed_connection_is_sent_once_more() {
    let answer = stream(&format!("{}{LAST}\n\n", piece("a")));
    let check = async |replies: Vec<Reply>, expected: Option<&str>| {
        let server = Server::start(replies).await;
        let llama = LlamaCpp::new(settings(server.url())).unwrap();
        let request = CompletionRequest {
            prompt: "Once",
            constraint: None,
            max_tokens: None,
        };
        let result = llama.complete(&request, &mut |_| Flow::Continue).await;
        assert_eq!(result.ok().map(|done| done.text).as_deref(), expected);
        assert_eq!(server.requests().len(), 2);
    };
    check(vec![Reply::nothing(), answer.clone()], Some("a")).await;
    check(vec![Reply::nothing(), Reply::nothing(), answer], None).await;
}

#[tokio::test]
async fn a_stream_is_read_however_it_is_cut() {
    let body = format!(
        ": ping\r\n\r\n{}{LAST}\r\n\r\n",
        piece("né 🦀\n").replace('\n', "\r\n")
    );
    for size in 1..body.len() {
        let chunks = body.as_bytes().chunks(size).map(<[u8]>::to_vec);
        let reply = Reply::chunked(200, "text/event-stream", chunks);
        let (result, heard) = ask(reply).await;
        assert_eq!(result.unwrap().text, "né 🦀\n", "cut every {size} bytes");
        assert_eq!(heard, ["né 🦀\n"]);
    }
}

#[tokio::test]
async fn the_limit_on_tokens_is_told() {
    let body = format!("{}{}\n\n", piece("{\"tool\""), LAST.replace("eos", "limit"));
    let (result, _) = ask(stream(&body)).await;
    assert_eq!(result.unwrap().finish, Finish::Limit);
}

#[tokio::test]
async fn without_timings_the_counts_beside_the_text_hold() {
    let last = r#"data: {"content":"x","stop":true,"tokens_predicted":2,"tokens_evaluated":68}"#;
    let (result, heard) = ask(stream(&format!("{last}\n\n"))).await;
    let usage = result.unwrap().usage;
    assert_eq!(heard, ["x"]);
    assert_eq!(usage.prompt_tokens, Some(68));
    assert_eq!(usage.cached_tokens, None);
    assert_eq!(usage.completion_tokens, Some(2));
}

/// The body of the request that `change`d settings make of `request`.
async fn body_of(request: &CompletionRequest<'_>, change: impl FnOnce(&mut Settings)) -> Value {
    let server = Server::start(vec![stream(&format!("{}{LAST}\n\n", piece("x")))]).await;
    let mut settings = settings(server.url());
    change(&mut settings);
    let llama = LlamaCpp::new(settings).unwrap();
    llama
        .complete(request, &mut |_| Flow::Continue)
        .await
        .unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].line, "POST /completion HTTP/1.1");
    serde_json::from_str(&requests[0].body).unwrap()
}

#[tokio::test]
async fn what_is_asked_stands_in_the_body() {
    let constraint = Constraint {
        gbnf: "root ::= \"a\"".to_owned(),
        json_schema: Value::Null,
    };
    let constrained = CompletionRequest {
        prompt: "Once",
        constraint: Some(&constraint),
        max_tokens: Some(7),
    };
    let fields = json!([
        "content",
        "stop",
        "stop_type",
        "tokens_predicted",
        "tokens_evaluated",
        "timings",
        "error"
    ]);
    assert_eq!(
        body_of(&constrained, |_| ()).await,
        json!({
            "prompt": "Once", "grammar": "root ::= \"a\"", "n_predict": 7, "id_slot": 0,
            "cache_prompt": true, "temperature": 0.0, "stream": true, "response_fields": fields
        })
    );
    let free = CompletionRequest {
        max_tokens: None,
        ..constrained
    };
    let changed = body_of(&free, |settings| {
        settings.use_grammar = false;
        settings.id_slot = -1;
        settings.cache_prompt = false;
    });
    assert_eq!(
        changed.await,
        json!({
            "prompt": "Once", "n_predict": 512, "id_slot": -1, "cache_prompt": false,
            "temperature": 0.0, "stream": true, "stop": ["\nUser:", "\nUser :"],
            "response_fields": fields
        })
    );
}

#[tokio::test]
async fn the_servers_errors_are_told_apart() {
    let error = |code: u16, kind: &str, message: &str| json!({"error": {"code": code, "message": message, "type": kind}});
    check_error(
        refusal(503, &error(503, "unavailable_error", "Loading model")),
        "the model server at `URL` is still loading its model: try again in a moment",
    )
    .await;
    let mut too_long = error(
        400,
        "exceed_context_size_error",
        "request (6001 tokens) exceeds …",
    );
    too_long["error"]["n_prompt_tokens"] = json!(6001);
    too_long["error"]["n_ctx"] = json!(4096);
    check_error(
        refusal(400, &too_long),
        "the prompt has 6001 tokens and the model's context holds 4096: start the server with a larger context, or \
         begin a new conversation",
    )
    .await;
    check_error(
        refusal(
            400,
            &error(400, "invalid_request_error", "failed to parse grammar"),
        ),
        "the model server at `URL` answered 400: failed to parse grammar",
    )
    .await;
    check_error(
        Reply::whole(502, "text/html", &"<".repeat(600)),
        &format!(
            "the model server at `URL` answered 502: {}",
            "<".repeat(500)
        ),
    )
    .await;
    let object = error(500, "server_error", "the context shift failed");
    check_error(
        stream(&format!("{}data: {object}\n\n", piece("a"))),
        "the model server at `URL` answered 500: the context shift failed",
    )
    .await;
}

#[tokio::test]
async fn a_stream_that_is_no_answer_is_refused() {
    let odd = "the model server at `URL` sent something that is no answer: ";
    check_error(
        stream(&piece("half of it")),
        &format!("{odd}the stream ended before its last piece"),
    )
    .await;
    check_error(
        stream("data: {\"content\": \n\n"),
        &format!("{odd}a piece of the stream can't be read: EOF while parsing a value at line 1 column 12"),
    )
    .await;
    check_error(
        stream("data: {\"choices\": []}\n\n"),
        &format!("{odd}a piece of the stream can't be read: an event has neither `content` nor `stop` nor `error`"),
    )
    .await;
    check_error(
        Reply::whole(200, "text/html", "<p>Welcome</p>"),
        &format!("{odd}the stream ended before its last piece"),
    )
    .await;
    check_error(
        Reply::chunked(200, "text/event-stream", [piece("a").into_bytes()]).ending(Ending::Abort),
        &format!("{odd}the stream broke off: unexpected EOF during chunk size line"),
    )
    .await;
    check_error(
        stream(&format!("{LAST}\n\n")),
        "the model at `URL` answered nothing",
    )
    .await;
}

#[tokio::test]
async fn nobody_there_names_the_way_out() {
    let gone = Server::start(vec![]).await.url();
    let llama = LlamaCpp::new(settings(gone.clone())).unwrap();
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: None,
    };
    let error = llama
        .complete(&request, &mut |_| Flow::Continue)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "no model server answers at `{gone}`: start one with `llama-server -m MODEL.gguf`, or set `LLAMA_CPP_URL` \
             to where one runs"
        )
    );
    assert_eq!(llama.identity().await.model, None);
}

#[tokio::test]
async fn time_is_limited_between_pieces_and_over_all() {
    let stuck = || {
        Reply::chunked(200, "text/event-stream", [piece("a").into_bytes()]).ending(Ending::Silence)
    };
    check_error(
        stuck(),
        "the model server at `URL` did not finish within 50 ms, the setting `LLAMA_CPP_IDLE_TIMEOUT`",
    )
    .await;
    let (result, heard) = ask_with(stuck(), |settings| Settings {
        timeout: Duration::from_millis(50),
        ..settings
    })
    .await;
    assert_eq!(heard, ["a"]);
    let error = result.unwrap_err();
    assert!(
        matches!(&error, ProviderError::Timeout { limit_ms: 50, setting, .. } if setting == "LLAMA_CPP_TIMEOUT"),
        "{error}"
    );
}

#[tokio::test]
async fn stopping_or_dropping_a_completion_closes_the_connection() {
    let stuck =
        Reply::chunked(200, "text/event-stream", [piece("a").into_bytes()]).ending(Ending::Silence);
    let server = Server::start(vec![stuck.clone(), stuck]).await;
    let llama = LlamaCpp::new(settings(server.url())).unwrap();
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: None,
    };
    let stopped = llama.complete(&request, &mut |_| Flow::Stop).await.unwrap();
    assert_eq!(
        (stopped.text.as_str(), stopped.finish),
        ("a", Finish::Cancelled)
    );
    server.hung_up().await;

    let (first, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let mut on_text = |_: &str| {
        first.send(()).unwrap();
        Flow::Continue
    };
    tokio::select! {
        _ = llama.complete(&request, &mut on_text) => panic!("the server never finishes"),
        _ = heard.recv() => {}
    }
    server.hung_up().await;
}

#[tokio::test]
async fn the_model_is_named_by_alias_or_file_and_asked_once() {
    for (alias, path, expected) in [
        ("", "/models/qwen2.5-0.5b.gguf", Some("qwen2.5-0.5b")),
        (
            "/models/smollm2.gguf",
            "/models/smollm2.gguf",
            Some("smollm2"),
        ),
        ("house-model", "/models/x.gguf", Some("house-model")),
        ("", "", None),
    ] {
        let props = json!({"model_alias": alias, "model_path": path, "total_slots": 2});
        let reply = Reply::whole(200, "application/json", &props.to_string());
        let server = Server::start(vec![reply]).await;
        let llama = LlamaCpp::new(settings(server.url())).unwrap();
        let identity = llama.identity().await;
        assert_eq!(identity.provider, "llama_cpp");
        assert_eq!(identity.model.as_deref(), expected);
        assert_eq!(llama.identity().await.model.as_deref(), expected);
    }
}
