//! Turns that are given up or panic, and a server that ends while turns run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use forge_app::http::Served;
use forge_core::provider::{
    Completion, CompletionRequest, Finish, Flow, Identity, Provider, ProviderError, Usage,
};
use forge_tests::forge::Setup;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use super::client::{Api, answer, chat_request, response};

/// A model that begins to answer when it is asked, and goes on when it is let.
#[derive(Default)]
struct Gate {
    asked: Notify,
    opened: Notify,
    given_up: Notify,
}

struct GateModel(Arc<Gate>);

/// Tells when the request that holds it is dropped.
struct Held<'a>(&'a Gate, bool);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.given_up.notify_one();
        }
    }
}

#[async_trait]
impl Provider for GateModel {
    async fn identity(&self) -> Identity {
        Identity {
            provider: "gate".to_owned(),
            model: None,
        }
    }

    async fn complete(
        &self,
        _request: &CompletionRequest<'_>,
        _on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        let mut held = Held(&self.0, false);
        self.0.asked.notify_one();
        self.0.opened.notified().await;
        held.1 = true;
        Ok(Completion {
            text: answer("At last."),
            finish: Finish::Done,
            usage: Usage::default(),
        })
    }
}

#[tokio::test]
async fn a_running_turn_is_finished_before_the_server_ends() {
    let gate = Arc::new(Gate::default());
    let model = Arc::new(GateModel(gate.clone()));
    let mut api = Api::with_model(model, Setup::default(), None).await;
    // A connection on which nothing is asked must not hold the server up.
    let mut idle = api.connect().await;
    idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(response(&mut idle).await.status, 200);
    let mut stream = api.connect().await;
    let request = chat_request(&json!({"message": "hello"}), "application/json");
    stream.write_all(request.as_bytes()).await.unwrap();
    gate.asked.notified().await;
    api.shut_down();
    gate.opened.notify_one();
    let told = response(&mut stream).await;
    let told: Value = serde_json::from_str(&told.body).unwrap();
    assert_eq!(
        (&told["output"], &told["stored"]),
        (&json!("At last."), &json!(true))
    );
    assert_eq!(api.ended().await, Served::ToTheEnd);
}

#[tokio::test]
async fn who_goes_away_stops_the_model() {
    for accept in ["application/json", "text/event-stream"] {
        let gate = Arc::new(Gate::default());
        let model = Arc::new(GateModel(gate.clone()));
        let api = Api::with_model(model, Setup::default(), None).await;
        let mut stream = api.connect().await;
        let request = chat_request(&json!({"message": "hello"}), accept);
        stream.write_all(request.as_bytes()).await.unwrap();
        gate.asked.notified().await;
        drop(stream);
        gate.given_up.notified().await;
        // The conversation is free for the next one.
        gate.opened.notify_one();
        let told = api.chat(&json!({"message": "again"})).await;
        assert_eq!(told["user_id"], 1, "{accept}: {told}");
        let traces = api.forge.traces();
        assert_eq!(traces[0]["error"], "interrupted", "{accept}");
    }
}

/// A model that panics at the first request.
#[derive(Default)]
struct Panicking(AtomicBool);

#[async_trait]
impl Provider for Panicking {
    async fn identity(&self) -> Identity {
        Identity {
            provider: "panicking".to_owned(),
            model: None,
        }
    }

    async fn complete(
        &self,
        _request: &CompletionRequest<'_>,
        _on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        assert!(self.0.swap(true, Ordering::Relaxed), "the secret cause");
        Ok(Completion {
            text: answer("Still here."),
            finish: Finish::Done,
            usage: Usage::default(),
        })
    }
}

#[tokio::test]
async fn a_panic_is_told_and_the_server_lives() {
    for (accept, status) in [("application/json", 500), ("text/event-stream", 200)] {
        let model = Arc::new(Panicking::default());
        let api = Api::with_model(model, Setup::default(), None).await;
        let request = chat_request(&json!({"message": "hello"}), accept);
        let told = api.raw(&request).await;
        assert_eq!(told.status, status, "{accept}: {told:?}");
        assert!(
            told.body.contains("Forge failed here: its log says more"),
            "{accept}: {told:?}"
        );
        assert!(!told.body.contains("secret cause"), "{accept}: {told:?}");
        if accept == "text/event-stream" {
            assert!(told.body.contains("event: error\n"), "{told:?}");
        }
        let told = api.chat(&json!({"message": "again"})).await;
        assert_eq!(
            (&told["output"], &told["user_id"]),
            (&json!("Still here."), &json!(1)),
            "{accept}"
        );
    }
}
