//! Questions and answers over HTTP: only the operator answers.

use forge_core::policy::Mode;
use forge_tests::forge::Setup;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::client::{Api, OPERATOR, chat_request, files, response};

fn request(method: &str, path: &str, token: Option<&str>, body: &Value) -> String {
    let body = body.to_string();
    let token = token
        .map(|token| format!("authorization: Bearer {token}\r\n"))
        .unwrap_or_default();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{token}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn asking() -> Setup {
    Setup {
        mode: Mode::Ask,
        ..Setup::default()
    }
}

fn write() -> String {
    files(&json!({"action": "write", "path": "a.txt", "content": "a\u{202e}b"}))
}

#[tokio::test]
async fn a_user_sees_the_runs_of_others_in_outline() {
    let check = async |api: &Api, token: Option<&str>, expected: u16, sees: bool| {
        let answer = api
            .raw(&request("GET", "/traces?n=5", token, &json!({})))
            .await;
        assert_eq!(answer.status, expected, "{token:?} {answer:?}");
        for word in ["please", "hush.txt"] {
            assert_eq!(answer.body.contains(word), sees, "{token:?} {answer:?}");
        }
        assert_eq!(answer.body.contains("files"), expected == 200);
    };
    let write = || files(&json!({"action": "write", "path": "hush.txt", "content": "x"}));
    for users in [Some("user"), None] {
        let api = Api::start(vec![write()], Setup::default(), users).await;
        let body = json!({"message": "please write hush.txt"});
        api.raw(&request("POST", "/chat", users, &body)).await;
        if users.is_none() {
            // Where users have no token there is only one person.
            check(&api, None, 200, true).await;
        } else {
            check(&api, None, 401, false).await;
            check(&api, Some("wrong"), 401, false).await;
            check(&api, users, 200, false).await;
            check(&api, Some(OPERATOR), 200, true).await;
        }
    }
}

#[tokio::test]
async fn only_the_operator_answers() {
    let api = Api::start(vec![write(), write()], asking(), Some("user")).await;
    let body = json!({"message": "please"});
    let told = api
        .raw(&request("POST", "/chat", Some("user"), &body))
        .await;
    let told: Value = serde_json::from_str(&told.body).unwrap();
    let id = told["approval"].as_str().unwrap().to_owned();
    assert_eq!(
        (&told["ok"], &told["stored"]),
        (&json!(false), &json!(false))
    );
    let path = format!("/approvals/{id}");
    let yes = json!({"answer": "once"});
    for token in [None, Some("user"), Some("wrong"), Some("")] {
        for request in [
            request("POST", &path, token, &yes),
            request("GET", "/approvals", token, &json!({})),
        ] {
            let refused = api.raw(&request).await;
            assert_eq!(refused.status, 403, "{token:?} {refused:?}");
        }
    }
    let list = api
        .raw(&request("GET", "/approvals", Some(OPERATOR), &json!({})))
        .await;
    let list: Value = serde_json::from_str(&list.body).unwrap();
    let asked = &list["approvals"][0];
    assert_eq!(
        asked["diff"],
        json!("@@ -0,0 +1 @@\n+a\\u{202e}b\n\\ No newline at end of file\n")
    );
    assert_eq!(
        (&asked["id"], &asked["call"]),
        (&json!(id), &json!("files.write"))
    );
    assert_eq!(asked["input"]["content"], "a\u{202e}b");
    // What deceives is spelt out, and can't be allowed for ever.
    assert!(
        asked["shown"].as_str().unwrap().contains("a\\u{202e}b"),
        "{asked}"
    );
    assert_eq!(asked["may_be_always"], false);
    for (answer, status) in [
        ("always", 422),
        ("perhaps", 422),
        ("once", 200),
        ("once", 404),
    ] {
        let told = api
            .raw(&request(
                "POST",
                &path,
                Some(OPERATOR),
                &json!({"answer": answer}),
            ))
            .await;
        assert_eq!(told.status, status, "{answer}: {told:?}");
    }
    // The operator may do what a user may.
    let told = api
        .raw(&request("POST", "/chat", Some(OPERATOR), &body))
        .await;
    let told: Value = serde_json::from_str(&told.body).unwrap();
    assert_eq!(told["ok"], true, "{told}");
}

#[tokio::test]
async fn a_stream_waits_for_the_answer() {
    let api = Api::start(vec![write()], asking(), None).await;
    let mut stream = api.connect().await;
    let body = json!({"message": "please"});
    stream
        .write_all(chat_request(&body, "text/event-stream").as_bytes())
        .await
        .unwrap();
    let answering = async {
        loop {
            let pending = api.forge.app().pending_approvals().await.unwrap();
            if let Some(asked) = pending.first() {
                let path = format!("/approvals/{}", asked.id);
                return api
                    .raw(&request(
                        "POST",
                        &path,
                        Some(OPERATOR),
                        &json!({"answer": "once"}),
                    ))
                    .await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let (events, answered) = tokio::join!(response(&mut stream), answering);
    assert_eq!(answered.status, 200);
    let told = &events.body;
    let asking = told.find("event: asking").unwrap();
    assert!(told.find("event: step").unwrap() > asking, "{told}");
    assert!(told.contains(r#""ok":true"#), "{told}");
}
