//! The messages of llama.cpp's server, as far as they are used. Unknown fields are its own affair.

use bytes::Bytes;
use forge_core::provider::Usage;
use serde::{Deserialize, Serialize};

/// The body of `POST /completion`.
#[derive(Debug, Serialize)]
pub(super) struct CompletionBody<'a> {
    pub(super) prompt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grammar: Option<&'a str>,
    pub(super) n_predict: u32,
    pub(super) id_slot: i32,
    pub(super) cache_prompt: bool,
    pub(super) temperature: f64,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) stop: &'a [&'a str],
    pub(super) response_fields: &'a [&'a str],
}

impl CompletionBody<'_> {
    /// The body as JSON.
    pub(super) fn to_json(&self) -> Bytes {
        // Room for all of it at once: prompts have tens of kilobytes, and lines whose ends are escaped.
        let texts = self.prompt.len() + self.grammar.map_or(0, str::len);
        let mut json = Vec::with_capacity(texts + texts / 8 + OTHER_FIELDS_BYTES);
        serde_json::to_writer(&mut json, self)
            .expect("texts and numbers can always be written as JSON");
        json.into()
    }
}

/// About what the fields without the prompt and the grammar take.
const OTHER_FIELDS_BYTES: usize = 512;

/// What the last piece should hold. Without this it repeats the whole prompt and the grammar.
pub(super) const LAST_PIECE_FIELDS: [&str; 7] = [
    "content",
    "stop",
    "stop_type",
    "tokens_predicted",
    "tokens_evaluated",
    "timings",
    "error",
];

/// One piece of a streamed completion; the last one has `stop` set and tells what it cost.
#[derive(Debug, Deserialize)]
pub(super) struct Piece {
    #[serde(default)]
    pub(super) content: String,
    #[serde(default)]
    pub(super) stop: bool,
    pub(super) stop_type: Option<String>,
    tokens_predicted: Option<u64>,
    tokens_evaluated: Option<u64>,
    timings: Option<Timings>,
    /// Stands alone in its piece when the server fails after the stream began.
    pub(super) error: Option<ErrorObject>,
}

#[derive(Debug, Deserialize)]
struct Timings {
    cache_n: Option<u64>,
    prompt_n: Option<u64>,
    prompt_ms: Option<f64>,
    predicted_n: Option<u64>,
    predicted_ms: Option<f64>,
}

/// What an answer other than 200 holds under `error`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorObject {
    pub(super) code: Option<u16>,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    pub(super) n_prompt_tokens: Option<u64>,
    pub(super) n_ctx: Option<u64>,
}

/// The body of an answer other than 200.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    pub(super) error: ErrorObject,
}

/// The answer of `GET /props`.
#[derive(Debug, Deserialize)]
pub(super) struct Props {
    #[serde(default)]
    model_alias: String,
    #[serde(default)]
    model_path: String,
}

impl Piece {
    /// Reads one event's data. A JSON object that holds none of the fields of a piece is none.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        let piece: Self = serde_json::from_str(data).map_err(|error| error.to_string())?;
        let is_other = !data.contains("\"content\"") && !piece.stop && piece.error.is_none();
        if is_other {
            return Err("an event has neither `content` nor `stop` nor `error`".to_owned());
        }
        Ok(piece)
    }

    /// What the completion has cost so far, where this piece tells anything of it.
    pub(super) fn usage(&self) -> Option<Usage> {
        let timings = self.timings.as_ref();
        let cached_tokens = timings.and_then(|timings| timings.cache_n);
        let read_tokens = timings.and_then(|timings| timings.prompt_n);
        let usage = Usage {
            prompt_tokens: read_tokens
                .map(|read| read + cached_tokens.unwrap_or(0))
                .or(self.tokens_evaluated),
            cached_tokens,
            completion_tokens: timings
                .and_then(|timings| timings.predicted_n)
                .or(self.tokens_predicted),
            prompt_ms: timings.and_then(|timings| timings.prompt_ms),
            completion_ms: timings.and_then(|timings| timings.predicted_ms),
        };
        (usage != Usage::default()).then_some(usage)
    }
}

impl Props {
    /// The model's name: its alias, else its file's name. A server without an alias repeats the path
    /// as one.
    pub(super) fn model_name(&self) -> Option<String> {
        let told = [&self.model_alias, &self.model_path];
        let told = told.into_iter().find(|text| !text.is_empty())?;
        let file = told.rsplit(['/', '\\']).next().unwrap_or(told);
        let name = file.strip_suffix(".gguf").unwrap_or(file);
        (!name.is_empty()).then(|| name.to_owned())
    }
}
