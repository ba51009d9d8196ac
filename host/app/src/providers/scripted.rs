//! A model that follows a script: for tests and demonstrations, where the answer must be known.
//!
//! It decides nothing and understands nothing: request after request gets line after line.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use forge_core::provider::{
    Completion, CompletionRequest, Finish, Flow, Identity, Provider, ProviderError, Usage,
};
use serde::Deserialize;

/// A model that answers the first request with the first line of its script, and so on.
#[derive(Debug)]
pub struct Scripted {
    lines: Mutex<VecDeque<Line>>,
    requests: Mutex<Vec<Asked>>,
}

/// What happens at one request. As JSON: `{"completion": "…"}`, `{"completion": ["pie", "ces"],
/// "limit": true}`, `{"error": {"kind": "loading"}}` or `"silence"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// It is answered.
    Answer(Answer),
    /// It fails.
    Failure(Failure),
    /// It is never answered.
    Silence(Silence),
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The text.
    pub completion: Text,
    /// Whether it ends because the limit on tokens is reached.
    #[serde(default)]
    pub limit: bool,
}

/// A text, whole or in the pieces in which it comes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// In one piece.
    Whole(String),
    /// In these pieces.
    Pieces(Vec<String>),
}

/// A request that fails.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Why.
    pub error: FailureKind,
}

/// Why a request fails, as far as a script tells it apart.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FailureKind {
    /// Nobody listens.
    Unreachable,
    /// The model is being loaded.
    Loading,
    /// It took longer than `limit_ms`.
    Timeout {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The prompt does not fit.
    TooLong {
        /// The prompt's length.
        prompt_tokens: u64,
        /// What fits.
        context_tokens: u64,
    },
    /// The server says no.
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its words.
        message: String,
    },
    /// It sends something else.
    Malformed {
        /// What.
        problem: String,
    },
    /// It sends nothing.
    Empty,
}

/// The word for a request that is never answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// It waits until it is dropped.
    Silence,
}

/// A request that the model got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The prompt.
    pub prompt: String,
    /// The grammar, if there was one.
    pub gbnf: Option<String>,
    /// The limit on tokens, if there was one.
    pub max_tokens: Option<u32>,
}

/// A script that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum BadScript {
    /// The file can't be read.
    #[error("the script `{file}` can't be read: {source}")]
    File {
        /// Which file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is not one of those that [`Line`] knows.
    #[error(
        "line {number} of the script `{file}` is none of {{\"completion\": \"…\"}}, {{\"error\": {{\"kind\": \"…\"}}}} and \"silence\""
    )]
    Line {
        /// Which file.
        file: String,
        /// Counted from 1.
        number: usize,
        /// Why.
        source: serde_json::Error,
    },
}

const SERVER: &str = "script";

impl Scripted {
    /// A model that follows `lines`.
    #[must_use]
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self {
            lines: Mutex::new(lines.into_iter().collect()),
            requests: Mutex::default(),
        }
    }

    /// A model that follows the JSON lines of `file`. Blank lines count for nothing.
    ///
    /// # Errors
    /// When the file can't be read or a line is no [`Line`].
    pub fn from_file(file: &Path) -> Result<Self, BadScript> {
        let shown = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|source| BadScript::File {
            file: shown.clone(),
            source,
        })?;
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| {
                serde_json::from_str(line).map_err(|source| BadScript::Line {
                    file: shown.clone(),
                    number: index + 1,
                    source,
                })
            });
        Ok(Self::new(lines.collect::<Result<Vec<_>, _>>()?))
    }

    /// What was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Asked> {
        locked(&self.requests).clone()
    }

    /// How many lines of the script are left.
    #[must_use]
    pub fn lines_left(&self) -> usize {
        locked(&self.lines).len()
    }
}

impl Line {
    /// The answer `text`, in one piece.
    #[must_use]
    pub fn answer(text: impl Into<String>) -> Self {
        Self::Answer(Answer {
            completion: Text::Whole(text.into()),
            limit: false,
        })
    }

    /// The answer that comes in `pieces`.
    #[must_use]
    pub fn pieces<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self::Answer(Answer {
            completion: Text::Pieces(pieces.into_iter().map(Into::into).collect()),
            limit: false,
        })
    }

    /// The failure `kind`.
    #[must_use]
    pub fn failure(kind: FailureKind) -> Self {
        Self::Failure(Failure { error: kind })
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn identity(&self) -> Identity {
        Identity {
            provider: "scripted".to_owned(),
            model: Some("script".to_owned()),
        }
    }

    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        locked(&self.requests).push(Asked {
            prompt: request.prompt.to_owned(),
            gbnf: request.constraint.map(|constraint| constraint.gbnf.clone()),
            max_tokens: request.max_tokens,
        });
        let line = locked(&self.lines).pop_front();
        match line {
            Some(Line::Answer(answer)) => told(answer, on_text),
            Some(Line::Failure(failure)) => Err(failure.error.into()),
            Some(Line::Silence(Silence::Silence)) => std::future::pending().await,
            None => Err(ProviderError::Malformed {
                server: SERVER.to_owned(),
                problem: "the script has no line left".to_owned(),
            }),
        }
    }
}

fn told(
    answer: Answer,
    on_text: &mut (dyn FnMut(&str) -> Flow + Send),
) -> Result<Completion, ProviderError> {
    let pieces = match answer.completion {
        Text::Whole(text) => vec![text],
        Text::Pieces(pieces) => pieces,
    };
    let mut text = String::new();
    let mut finish = if answer.limit {
        Finish::Limit
    } else {
        Finish::Done
    };
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        text.push_str(piece);
        if on_text(piece) == Flow::Stop {
            finish = Finish::Cancelled;
            break;
        }
    }
    if text.is_empty() {
        return Err(FailureKind::Empty.into());
    }
    Ok(Completion {
        text,
        finish,
        usage: Usage::default(),
    })
}

impl From<FailureKind> for ProviderError {
    fn from(kind: FailureKind) -> Self {
        let server = SERVER.to_owned();
        match kind {
            FailureKind::Unreachable => Self::Unreachable {
                server,
                remedy: "the script says so".to_owned(),
            },
            FailureKind::Loading => Self::Loading { server },
            FailureKind::Timeout { limit_ms } => Self::Timeout {
                server,
                limit_ms,
                setting: "FORGE_SCRIPT".to_owned(),
            },
            FailureKind::TooLong {
                prompt_tokens,
                context_tokens,
            } => Self::TooLong {
                prompt_tokens,
                context_tokens,
            },
            FailureKind::Refused { status, message } => Self::Refused {
                server,
                status,
                message,
            },
            FailureKind::Malformed { problem } => Self::Malformed { server, problem },
            FailureKind::Empty => Self::Empty { server },
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
