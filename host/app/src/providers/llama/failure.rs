//! What can go wrong with the server, in the words of [`ProviderError`].

use std::error::Error;
use std::time::Duration;

use forge_core::provider::ProviderError;

use super::wire::{ErrorBody, ErrorObject};

/// The server, as messages name it.
pub(super) struct Server {
    pub(super) url: String,
}

/// The longest part of an error's body that is kept, in characters.
const MESSAGE_CHARS: usize = 500;

/// The longest error's body that is read, in bytes.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

impl Server {
    /// A request that got no answer at all.
    pub(super) fn not_reached(&self, error: &reqwest::Error) -> ProviderError {
        if error.is_connect() {
            return ProviderError::Unreachable {
                server: self.url.clone(),
                remedy: "start one with `llama-server -m MODEL.gguf`, or set `LLAMA_CPP_URL` to where one runs"
                    .to_owned(),
            };
        }
        self.malformed(innermost(error))
    }

    /// An answer other than 200.
    pub(super) async fn refused(&self, mut response: reqwest::Response) -> ProviderError {
        let status = response.status().as_u16();
        let mut body = Vec::new();
        // A body that breaks off still leaves the status, and what came of it.
        while body.len() < MAX_ERROR_BODY_BYTES
            && let Ok(Some(bytes)) = response.chunk().await
        {
            body.extend_from_slice(&bytes);
        }
        let error = serde_json::from_slice::<ErrorBody>(&body).map_or_else(
            |_| ErrorObject {
                message: String::from_utf8_lossy(&body).into_owned(),
                ..ErrorObject::default()
            },
            |body| body.error,
        );
        self.error_object(error, Some(status))
    }

    /// An error object, from an answer with `status` or from the middle of a stream.
    pub(super) fn error_object(&self, error: ErrorObject, status: Option<u16>) -> ProviderError {
        let server = self.url.clone();
        let status = status.or(error.code).unwrap_or(500);
        let is_loading = status == 503 && error.message.to_lowercase().contains("loading model");
        match (error.kind.as_str(), error.n_prompt_tokens, error.n_ctx) {
            ("exceed_context_size_error", Some(prompt_tokens), Some(context_tokens)) => {
                ProviderError::TooLong {
                    prompt_tokens,
                    context_tokens,
                }
            }
            _ if is_loading => ProviderError::Loading { server },
            _ => ProviderError::Refused {
                server,
                status,
                message: error.message.trim().chars().take(MESSAGE_CHARS).collect(),
            },
        }
    }

    pub(super) fn too_slow(&self, limit: Duration) -> ProviderError {
        self.timeout(limit, "LLAMA_CPP_TIMEOUT")
    }

    pub(super) fn silent_for(&self, limit: Duration) -> ProviderError {
        self.timeout(limit, "LLAMA_CPP_IDLE_TIMEOUT")
    }

    pub(super) fn ended_early(&self) -> ProviderError {
        self.malformed("the stream ended before its last piece".to_owned())
    }

    pub(super) fn broken_stream(&self, error: &sse_stream::Error) -> ProviderError {
        self.malformed(format!("the stream broke off: {}", innermost(error)))
    }

    pub(super) fn bad_piece(&self, problem: &str) -> ProviderError {
        self.malformed(format!("a piece of the stream can't be read: {problem}"))
    }

    pub(super) fn empty(&self) -> ProviderError {
        ProviderError::Empty {
            server: self.url.clone(),
        }
    }

    fn timeout(&self, limit: Duration, setting: &str) -> ProviderError {
        ProviderError::Timeout {
            server: self.url.clone(),
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            setting: setting.to_owned(),
        }
    }

    fn malformed(&self, problem: String) -> ProviderError {
        ProviderError::Malformed {
            server: self.url.clone(),
            problem,
        }
    }
}

/// The cause at the bottom: the layers above it only repeat the address.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
