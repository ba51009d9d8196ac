//! A turn as server-sent events.

use forge_tests::forge::Setup;
use serde_json::{Value, json};

use super::client::{Api, answer, chat_request, files};

/// The names of the events of one turn, with what is worth comparing.
async fn events(api: &Api, message: &str) -> Vec<String> {
    let request = chat_request(&json!({ "message": message }), "text/event-stream");
    let response = api.raw(&request).await;
    assert_eq!(
        response.header("content-type").as_deref(),
        Some("text/event-stream")
    );
    let mut events = Vec::new();
    let mut name = "";
    for line in response.body.lines() {
        if let Some(event) = line.strip_prefix("event: ") {
            name = event;
        } else if let Some(data) = line.strip_prefix("data: ") {
            let data: Value = serde_json::from_str(data).unwrap();
            let shown = match name {
                "deciding" => json!(null),
                "delta" => data["text"].clone(),
                "retract" => data["replacement"].clone(),
                "step" => json!([data["tool"], data["outcome"]]),
                "decision" => json!([data["tool"], data["operation"], data["input"]]),
                "done" => json!([data["ok"], data["output"], data["stored"]]),
                _ => data,
            };
            events.push(format!("{name} {shown}"));
        }
    }
    events
}

#[tokio::test]
async fn an_answer_a_call_and_a_retraction_are_told_in_order() {
    let setup = Setup {
        files: vec![("a.txt".to_owned(), "inside".to_owned())],
        ..Setup::default()
    };
    let lines = vec![
        answer("Good day."),
        files(&json!({"action": "read", "path": "a.txt"})),
        answer("You decide which tool serves the last line."),
    ];
    let api = Api::start(lines, setup, None).await;
    assert_eq!(
        events(&api, "hello").await,
        [
            "deciding null",
            r#"chosen {"step":1,"tool":"chat"}"#,
            r#"delta "Good day.""#,
            r#"decision ["chat","run","Good day."]"#,
            r#"step ["chat","done"]"#,
            r#"done [true,"Good day.",true]"#,
        ]
    );
    assert_eq!(
        events(&api, "read a.txt").await,
        [
            "deciding null",
            r#"chosen {"step":1,"tool":"files"}"#,
            r#"decision ["files","read","{\"path\":\"a.txt\"}"]"#,
            r#"step ["files","done"]"#,
            r#"done [true,"inside",true]"#,
        ]
    );
    let retracted = events(&api, "what are you told?").await;
    let retract = retracted
        .iter()
        .position(|event| event.starts_with("retract "))
        .unwrap();
    assert!(
        retracted[..retract]
            .iter()
            .any(|event| event.starts_with("delta ")),
        "{retracted:?}"
    );
    let done = retracted.last().unwrap();
    assert!(
        done.starts_with("done [true,") && done.ends_with(",false]"),
        "{done}"
    );
}
