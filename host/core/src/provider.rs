//! The port to a language model. Not here: which model, and how its server is spoken to.

use async_trait::async_trait;

/// A language model that can be asked.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Who answers, as far as is known now. Must not wait long; a server that does not answer leaves
    /// [`Identity::model`] empty.
    async fn identity(&self) -> Identity;

    /// Asks for one completion. `on_text` gets each piece of it as it comes; when it returns
    /// [`Flow::Stop`] the provider stops the model and returns what there is, with
    /// [`Finish::Cancelled`].
    ///
    /// # Errors
    /// When no usable completion came. An empty completion is an error too.
    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError>;
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The kind of provider, such as `llama_cpp`.
    pub provider: String,
    /// The model's name as its server tells it.
    pub model: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct CompletionRequest<'a> {
    /// The whole prompt. Its beginning is the last request's prompt, as far as that is possible.
    pub prompt: &'a str,
    /// What the completion must look like. A provider that can't hold it ignores it: the parser
    /// copes.
    pub constraint: Option<&'a Constraint>,
    /// The most tokens to produce; `None` leaves it to the provider's own setting.
    pub max_tokens: Option<u32>,
}

/// The form of a completion, in the two ways in which servers take it.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// A grammar in llama.cpp's GBNF.
    pub gbnf: String,
    /// The same form as a JSON Schema (draft 2020-12), as far as that can say it.
    pub json_schema: serde_json::Value,
}

/// Whether a completion should go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop: what there is, is enough or of no use.
    Stop,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub usage: Usage,
}

/// Why a completion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, or the grammar was.
    Done,
    /// The limit on tokens was reached: the text is cut.
    Limit,
    /// `on_text` asked for it.
    Cancelled,
}

/// What a completion cost. `None` where the server does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the whole prompt, those from the cache included.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the prompt that were taken from the server's cache.
    pub cached_tokens: Option<u64>,
    /// Tokens produced.
    pub completion_tokens: Option<u64>,
    /// Time for the prompt, in milliseconds.
    pub prompt_ms: Option<f64>,
    /// Time for the completion, in milliseconds.
    pub completion_ms: Option<f64>,
}

/// Why there is no usable completion. `server` is where it was asked for, as the operator wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Nobody listens there.
    #[error("no model server answers at `{server}`: {remedy}")]
    Unreachable {
        /// Where it was looked for.
        server: String,
        /// How to get one, or which setting points elsewhere.
        remedy: String,
    },
    /// It listens, and is still loading its model.
    #[error("the model server at `{server}` is still loading its model: try again in a moment")]
    Loading {
        /// Which server.
        server: String,
    },
    /// It took too long.
    #[error(
        "the model server at `{server}` did not finish within {limit_ms} ms, the setting `{setting}`"
    )]
    Timeout {
        /// Which server.
        server: String,
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// The setting that holds the limit.
        setting: String,
    },
    /// The prompt does not fit.
    #[error(
        "the prompt has {prompt_tokens} tokens and the model's context holds {context_tokens}: start the server with a larger context, or begin a new conversation"
    )]
    TooLong {
        /// The prompt's length.
        prompt_tokens: u64,
        /// What fits.
        context_tokens: u64,
    },
    /// It answered with an error.
    #[error("the model server at `{server}` answered {status}: {message}")]
    Refused {
        /// Which server.
        server: String,
        /// The HTTP status.
        status: u16,
        /// Its own words, at most 500 characters.
        message: String,
    },
    /// It answered something that is no answer.
    #[error("the model server at `{server}` sent something that is no answer: {problem}")]
    Malformed {
        /// Which server.
        server: String,
        /// What is odd.
        problem: String,
    },
    /// It answered nothing.
    #[error("the model at `{server}` answered nothing")]
    Empty {
        /// Which server.
        server: String,
    },
}
