//! llama.cpp's server, spoken to over HTTP: `POST /completion`, streamed, and `GET /props`.
//!
//! Not here: the shapes of its messages (`wire`) and what its errors mean (`failure`). Dropping a
//! completion closes the connection, and that makes the server give up the task.

mod wire;
mod failure;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use forge_core::provider::{
    Completion, CompletionRequest, Finish, Flow, Identity, Provider, ProviderError, Usage,
};
use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use sse_stream::SseByteStream;

use crate::dial::Dial;
use failure::Server;
use wire::{CompletionBody, Piece, Props};

/// How the server is found and what it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Its base address, without a slash at the end: `http://127.0.0.1:8080`.
    pub url: String,
    /// The longest that one completion may take as a whole.
    pub timeout: Duration,
    /// The longest silence after the first piece. Before it the server reads the prompt, for as long
    /// as `timeout` lets it.
    pub idle_timeout: Duration,
    /// The most tokens of a completion for which the request names no limit.
    pub n_predict: u32,
    /// Whether a request's grammar is sent.
    pub use_grammar: bool,
    /// The server's slot that is used; -1 lets the server choose.
    pub id_slot: i32,
    /// Whether the server may reuse what it has read of an earlier prompt.
    pub cache_prompt: bool,
}

/// A llama.cpp server.
pub struct LlamaCpp {
    client: reqwest::Client,
    settings: Settings,
    server: Server,
    model: Mutex<Option<KnownModel>>,
}

struct KnownModel {
    name: String,
    since: Instant,
}

/// Where an unconstrained model begins to write the user's next words.
const STOP_WORDS: [&str; 2] = ["\nUser:", "\nUser :"];

/// How long the server's model counts as known: another one may be loaded under the same address.
const MODEL_KNOWN_FOR: Duration = Duration::from_secs(30);

/// How long a question that must not hold up a turn may take.
const PROPS_TIMEOUT: Duration = Duration::from_secs(1);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Shorter than the server's own 5 seconds, so that few requests are sent into a connection that the
/// server is closing. It closes one after a number of requests too: `send` copes.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(4);

impl LlamaCpp {
    /// A provider for the server that `settings` name. Nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client can't be built.
    pub fn new(settings: Settings) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            // A proxy from the environment would get the prompts, and could not reach a loopback address.
            .no_proxy()
            .dns_resolver(Arc::new(Dial::by_system()))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT.min(settings.timeout))
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .tcp_nodelay(true)
            .build()?;
        let server = Server {
            url: settings.url.clone(),
        };
        Ok(Self {
            client,
            settings,
            server,
            model: Mutex::new(None),
        })
    }

    async fn stream(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn FnMut(&str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        let response = self.send(self.body(request).to_json()).await;
        let response = response.map_err(|error| self.server.not_reached(&error))?;
        if !response.status().is_success() {
            return Err(self.server.refused(response).await);
        }
        let mut events = SseByteStream::new(response.bytes_stream());
        let mut text = String::new();
        let mut counted = Usage::default();
        loop {
            let next = if text.is_empty() {
                events.next().await
            } else {
                tokio::time::timeout(self.settings.idle_timeout, events.next())
                    .await
                    .map_err(|_| self.server.silent_for(self.settings.idle_timeout))?
            };
            let event = next
                .ok_or_else(|| self.server.ended_early())?
                .map_err(|error| self.server.broken_stream(&error))?;
            let Some(data) = event.data else { continue };
            let piece = match Piece::parse(&data) {
                Ok(piece) => piece,
                Err(problem) => return Err(self.server.bad_piece(&problem)),
            };
            if let Some(error) = piece.error {
                return Err(self.server.error_object(error, None));
            }
            counted = piece.usage().unwrap_or(counted);
            text.push_str(&piece.content);
            let flow = if piece.content.is_empty() {
                Flow::Continue
            } else {
                on_text(&piece.content)
            };
            let finish = match (piece.stop, flow) {
                (true, _) if piece.stop_type.as_deref() == Some("limit") => Finish::Limit,
                (true, _) => Finish::Done,
                (false, Flow::Stop) => Finish::Cancelled,
                (false, Flow::Continue) => continue,
            };
            if text.is_empty() {
                return Err(self.server.empty());
            }
            tracing::debug!(
                llama.prompt_tokens = counted.prompt_tokens,
                llama.cached_tokens = counted.cached_tokens,
                llama.completion_tokens = counted.completion_tokens,
                llama.prompt_ms = counted.prompt_ms,
                llama.completion_ms = counted.completion_ms,
                llama.finish = ?finish,
                "the model server completed a prompt"
            );
            return Ok(Completion {
                text,
                finish,
                usage: counted,
            });
        }
    }

    /// Sends a request. The server closes a kept connection after a while or a number of requests, maybe
    /// just as it is used again: a request to which nothing at all came back is sent once more.
    async fn send(&self, body: Bytes) -> Result<reqwest::Response, reqwest::Error> {
        let url = format!("{}/completion", self.settings.url);
        let post = || {
            let request = self.client.post(&url).body(body.clone());
            request
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .send()
        };
        match post().await {
            Err(error) if !error.is_connect() && !error.is_timeout() => {
                tracing::debug!(%error, "the connection was closed: the request is sent again");
                post().await
            }
            sent => sent,
        }
    }

    fn body<'a>(&self, request: &CompletionRequest<'a>) -> CompletionBody<'a> {
        let grammar = request
            .constraint
            .filter(|_| self.settings.use_grammar)
            .map(|constraint| constraint.gbnf.as_str());
        CompletionBody {
            prompt: request.prompt,
            grammar,
            n_predict: request.max_tokens.unwrap_or(self.settings.n_predict),
            id_slot: self.settings.id_slot,
            cache_prompt: self.settings.cache_prompt,
            temperature: 0.0,
            stream: true,
            // A grammar ends by itself, and a stop word would cut an answer that holds it.
            stop: if grammar.is_some() { &[] } else { &STOP_WORDS },
            response_fields: &wire::LAST_PIECE_FIELDS,
        }
    }

    async fn ask_model(&self) -> Option<String> {
        let question = self
            .client
            .get(format!("{}/props", self.settings.url))
            .timeout(PROPS_TIMEOUT)
            .send();
        let response = question.await.ok()?.error_for_status().ok()?;
        response.json::<Props>().await.ok()?.model_name()
    }
}

#[async_trait]
impl Provider for LlamaCpp {
    async fn identity(&self) -> Identity {
        let known = self
            .model
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .filter(|known| known.since.elapsed() < MODEL_KNOWN_FOR)
            .map(|known| known.name.clone());
        let model = match known {
            Some(name) => Some(name),
            None => self.ask_model().await,
        };
        if let Some(name) = &model {
            let mut kept = self.model.lock().unwrap_or_else(PoisonError::into_inner);
            if kept
                .as_ref()
                .is_none_or(|known| known.since.elapsed() >= MODEL_KNOWN_FOR)
            {
                *kept = Some(KnownModel {
                    name: name.clone(),
                    since: Instant::now(),
                });
            }
        }
        Identity {
            provider: "llama_cpp".to_owned(),
            model,
        }
    }

    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        tokio::time::timeout(self.settings.timeout, self.stream(request, on_text))
            .await
            .unwrap_or_else(|_| Err(self.server.too_slow(self.settings.timeout)))
    }
}

#[cfg(test)]
mod tests;
