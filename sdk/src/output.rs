//! What a tool answers: pieces of content, and how usual Rust values become them. Not here: answers
//! that are still being composed ([`crate::progress::delta`]).

use serde::Serialize;
use serde_json::Value;

use crate::bindings::forge::tool::types;
use crate::error::{Error, Result};

/// A tool's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The answer, piece by piece.
    pub content: Vec<Content>,
    /// The same answer for programs.
    pub structured: Option<Value>,
}

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text for people and models.
    Text(String),
    /// A JSON value.
    Json(Value),
    /// A picture.
    Image(Blob),
    /// A document to be kept beside the answer; the model gets its name and size.
    Artifact(Document),
    /// Any other MCP content block.
    Other(Value),
}

/// Bytes with their media type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// A media type, such as `image/png`.
    pub mime: String,
    /// The bytes.
    pub data: Vec<u8>,
}

/// A named document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// A file name without a path, such as `report.csv`.
    pub name: String,
    /// A media type, such as `text/csv`.
    pub mime: String,
    /// The bytes.
    pub data: Vec<u8>,
}

impl Output {
    /// An answer that is one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from(vec![Content::Text(text.into())])
    }

    /// The same answer with a form for programs beside it.
    #[must_use]
    pub fn with_structured(self, structured: Value) -> Self {
        Self {
            structured: Some(structured),
            ..self
        }
    }

    /// The text pieces, one after the other.
    #[must_use]
    pub fn as_text(&self) -> String {
        let texts = self.content.iter().filter_map(|piece| match piece {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

impl From<Vec<Content>> for Output {
    fn from(content: Vec<Content>) -> Self {
        Self {
            content,
            structured: None,
        }
    }
}

/// What an operation's function may return: a text, a JSON value, [`Json`], pieces of content, an
/// [`Output`], or a [`Result`] with one of these.
pub trait IntoOutput {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// The function's own failure, or a value that can't be written as JSON.
    fn into_output(self) -> Result<Output>;
}

/// Any serialisable value as a JSON answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: IntoOutput> IntoOutput for Result<T> {
    fn into_output(self) -> Result<Output> {
        self?.into_output()
    }
}

impl<T: Serialize> IntoOutput for Json<T> {
    fn into_output(self) -> Result<Output> {
        serde_json::to_value(self.0)?.into_output()
    }
}

impl IntoOutput for Output {
    fn into_output(self) -> Result<Output> {
        Ok(self)
    }
}

impl IntoOutput for Vec<Content> {
    fn into_output(self) -> Result<Output> {
        Ok(self.into())
    }
}

impl IntoOutput for Value {
    fn into_output(self) -> Result<Output> {
        Ok(vec![Content::Json(self)].into())
    }
}

impl IntoOutput for String {
    fn into_output(self) -> Result<Output> {
        Ok(Output::text(self))
    }
}

impl IntoOutput for &str {
    fn into_output(self) -> Result<Output> {
        Ok(Output::text(self))
    }
}

impl Output {
    pub(crate) fn into_host(self) -> types::Output {
        types::Output {
            content: self.content.into_iter().map(Content::into_host).collect(),
            structured: self.structured.map(|value| value.to_string()),
        }
    }

    pub(crate) fn from_host(output: types::Output) -> Result<Self> {
        let content = output
            .content
            .into_iter()
            .map(Content::from_host)
            .collect::<Result<_>>()?;
        let structured = output.structured.as_deref().map(parse_json).transpose()?;
        Ok(Self {
            content,
            structured,
        })
    }
}

impl Content {
    fn into_host(self) -> types::Content {
        match self {
            Self::Text(text) => types::Content::Text(text),
            Self::Json(value) => types::Content::Json(value.to_string()),
            Self::Image(Blob { mime, data }) => types::Content::Image(types::Blob { mime, data }),
            Self::Artifact(Document { name, mime, data }) => {
                types::Content::Artifact(types::Document { name, mime, data })
            }
            Self::Other(value) => types::Content::Other(value.to_string()),
        }
    }

    fn from_host(content: types::Content) -> Result<Self> {
        Ok(match content {
            types::Content::Text(text) => Self::Text(text),
            types::Content::Json(json) => Self::Json(parse_json(&json)?),
            types::Content::Image(types::Blob { mime, data }) => Self::Image(Blob { mime, data }),
            types::Content::Artifact(types::Document { name, mime, data }) => {
                Self::Artifact(Document { name, mime, data })
            }
            types::Content::Other(json) => Self::Other(parse_json(&json)?),
        })
    }
}

fn parse_json(json: &str) -> Result<Value> {
    serde_json::from_str(json)
        .map_err(|error| Error::failed(format!("the answer holds what is no JSON: {error}")))
}

#[cfg(test)]
mod tests;
