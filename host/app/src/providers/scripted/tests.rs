//! Scripts, read and followed.

use super::*;

/// Plays the script's one line and returns what came of it, with the pieces that were heard.
async fn check(line: &str, expected: Result<(&str, Finish), &str>, heard: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.jsonl");
    std::fs::write(&file, format!("\n{line}\n")).unwrap();
    let model = Scripted::from_file(&file).unwrap();
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: Some(3),
    };
    let mut pieces = Vec::new();
    let result = model
        .complete(&request, &mut |piece| {
            pieces.push(piece.to_owned());
            if piece == "stop" {
                Flow::Stop
            } else {
                Flow::Continue
            }
        })
        .await;
    let found = match &result {
        Ok(completion) => Ok((completion.text.as_str(), completion.finish)),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(found, expected.map_err(str::to_owned), "{line}");
    assert_eq!(pieces, heard, "{line}");
    assert_eq!(model.requests()[0].prompt, "Once");
    assert_eq!(model.lines_left(), 0);
}

#[tokio::test]
async fn lines_are_played() {
    check(
        r#"{"completion": "hello"}"#,
        Ok(("hello", Finish::Done)),
        &["hello"],
    )
    .await;
    check(
        r#"{"completion": ["a", "", "b"], "limit": true}"#,
        Ok(("ab", Finish::Limit)),
        &["a", "b"],
    )
    .await;
    check(
        r#"{"completion": ["stop", "never"]}"#,
        Ok(("stop", Finish::Cancelled)),
        &["stop"],
    )
    .await;
    check(
        r#"{"completion": ""}"#,
        Err("the model at `script` answered nothing"),
        &[],
    )
    .await;
    check(
        r#"{"error": {"kind": "loading"}}"#,
        Err("the model server at `script` is still loading its model: try again in a moment"),
        &[],
    )
    .await;
    check(
        r#"{"error": {"kind": "refused", "status": 500, "message": "no"}}"#,
        Err("the model server at `script` answered 500: no"),
        &[],
    )
    .await;
}

#[tokio::test]
async fn an_ended_script_says_so() {
    let request = CompletionRequest {
        prompt: "Once",
        constraint: None,
        max_tokens: None,
    };
    let result = Scripted::new([])
        .complete(&request, &mut |_| Flow::Continue)
        .await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "the model server at `script` sent something that is no answer: the script has no line left"
    );
}

#[test]
fn a_bad_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.jsonl");
    for line in [
        "{\"complete\": \"x\"}",
        "nonsense",
        "\"noise\"",
        "{\"error\": {\"kind\": \"x\"}}",
    ] {
        std::fs::write(&file, format!("\"silence\"\n{line}\n")).unwrap();
        let error = Scripted::from_file(&file).unwrap_err().to_string();
        assert!(error.starts_with("line 2 of the script"), "{error}");
    }
}
