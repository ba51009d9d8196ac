//! A real model: llama.cpp's server on a port of its own, and a provider that keeps what it answered.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use forge_app::providers::llama::{self, LlamaCpp};
use forge_core::provider::{
    Completion, CompletionRequest, Constraint, Finish, Flow, Identity, Provider, ProviderError,
};

use crate::place::Place;

/// A running server; it ends when this is dropped.
pub struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Starts the server and waits until it answers.
    ///
    /// # Panics
    /// When it does not within two minutes.
    pub async fn start() -> Self {
        let port = free_port();
        let process = Command::new(Place::LlamaServer.path())
            .arg("--model")
            .arg(Place::Model.path())
            .args([
                "--host",
                "127.0.0.1",
                "--port",
                &port.to_string(),
                "--ctx-size",
                "4096",
                "--parallel",
                "1",
            ])
            .args(["--threads", "2", "--no-ui", "--offline", "--cache-ram", "0"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("llama-server starts");
        let server = Self {
            process,
            url: format!("http://127.0.0.1:{port}"),
        };
        let provider = server.provider();
        for _ in 0..1200 {
            if provider.identity().await.model.is_some() {
                return server;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("llama-server did not answer at {}", server.url);
    }

    /// A provider that asks this server.
    ///
    /// # Panics
    /// When there is no HTTP client.
    #[must_use]
    pub fn provider(&self) -> LlamaCpp {
        let settings = llama::Settings {
            url: self.url.clone(),
            timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(60),
            n_predict: 512,
            use_grammar: true,
            id_slot: 0,
            cache_prompt: true,
        };
        LlamaCpp::new(settings).expect("an HTTP client")
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Why the decision in `completion` is not valid under `form`, if it is not. An answer in words that was cut,
/// at the limit on tokens or because it went in circles, is valid if what there is of it would be, once its
/// string is closed.
///
/// # Panics
/// When `form` has no schema.
#[must_use]
pub fn invalid(form: &Constraint, completion: &Completion) -> Option<String> {
    let schema = jsonschema::validator_for(&form.json_schema).expect("the form is a schema");
    let text = match completion.finish {
        Finish::Done => completion.text.clone(),
        Finish::Limit | Finish::Cancelled => closed(&completion.text),
    };
    match serde_json::from_str(&text) {
        Ok(decision) => schema
            .validate(&decision)
            .err()
            .map(|error| format!("{error}: {text}")),
        Err(error) => Some(format!("{error}: {text}")),
    }
}

/// `text`, which breaks off inside a string of the outer object, with both closed.
fn closed(text: &str) -> String {
    let escape = text
        .rfind('\\')
        .filter(|at| text.len() - at < "\\u0000".len());
    let whole = &text[..escape.unwrap_or(text.len())];
    format!("{}\"}}", whole.trim_end_matches('\\'))
}

/// Hands on to another provider and keeps what was asked and answered.
pub struct Kept<P> {
    provider: P,
    answers: Mutex<Vec<(Constraint, Completion)>>,
}

impl<P> Kept<P> {
    /// Keeps what `provider` answers.
    pub fn new(provider: P) -> Self {
        Self {
            provider,
            answers: Mutex::default(),
        }
    }

    /// Each completion with the form that was asked for.
    pub fn answers(&self) -> Vec<(Constraint, Completion)> {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl<P: Provider> Provider for Kept<P> {
    async fn identity(&self) -> Identity {
        self.provider.identity().await
    }

    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        let completion = self.provider.complete(request, on_text).await?;
        if let Some(constraint) = request.constraint {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.push((constraint.clone(), completion.clone()));
        }
        Ok(completion)
    }
}
