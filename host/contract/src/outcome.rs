//! How a call ended. Every end is data: a missing file, a trap, a timeout and a refusal are outcomes
//! that the model is told; none of them ends the turn by itself.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How one call of an operation ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The tool answered.
    Done(Output),
    /// The tool ran, or its input was looked at, and it reported a failure.
    Failed(Failure),
    /// The host stopped the tool: at a limit, or because it trapped.
    Stopped(Stop),
    /// The call was not allowed, and the tool did not run.
    Denied(Denial),
    /// A person must allow the call first, and nobody did; the tool did not run.
    NeedsApproval(NeedsApproval),
}

/// What a person is asked before a call is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeedsApproval {
    /// The approval that is asked for.
    pub id: String,
    /// The call: `files.write`.
    pub call: String,
    /// Why it is asked.
    pub reasons: Vec<String>,
    /// What to do.
    pub remedy: String,
}

/// A tool's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The answer, piece by piece.
    pub content: Vec<Content>,
    /// The same answer for programs, where the tool offers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
}

/// One piece of an answer; maps one to one onto an MCP content block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Content {
    /// Text for people and models.
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        value: Value,
    },
    /// A picture.
    Image {
        /// Its media type, such as `image/png`.
        mime: String,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// A named document that is kept beside the answer.
    Artifact {
        /// The name under which it is offered.
        name: String,
        /// Its media type.
        mime: String,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// Another MCP content block, as it is.
    Other {
        /// The block.
        block: Value,
    },
}

/// A failure that the tool reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub code: FailureCode,
    /// What went wrong, and the way out where there is one.
    pub message: String,
    /// More for programs: the field at fault, when to try again, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// The kinds of failure. A code that this host does not know counts as `failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCode {
    /// The input breaks the operation's schema or makes no sense.
    InvalidInput,
    /// What was asked for does not exist.
    NotFound,
    /// A power or a path was refused.
    Denied,
    /// Something that is needed is not there now.
    Unavailable,
    /// The tool gave up waiting.
    Timeout,
    /// Anything else.
    Failed,
}

/// Why the host stopped a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Stop {
    /// Its time was over.
    #[error("the tool was stopped after {limit_ms} ms, its limit `deadline_ms`")]
    Deadline {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// It asked for more than it may have.
    #[error("the tool was stopped at its limit `{limit}` of {value}")]
    Limit {
        /// The limit's name, as in the settings.
        limit: String,
        /// Its value, in the unit that the name tells.
        value: u64,
    },
    /// It crashed.
    #[error("the tool crashed: {message}")]
    Trap {
        /// The trap, and the last line of the tool's standard error if it wrote one.
        message: String,
    },
    /// It broke the contract, for instance by an answer that is not what it says.
    #[error("the tool broke the contract: {message}")]
    Contract {
        /// What it did.
        message: String,
    },
}

/// Why a call was not allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}: {remedy}")]
pub struct Denial {
    /// What was refused and by which rule.
    pub reason: String,
    /// What the operator can do about it.
    pub remedy: String,
}

impl Outcome {
    /// An answer of one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Done(Output {
            content: vec![Content::Text { text: text.into() }],
            structured: None,
        })
    }

    /// A failure with `code` and `message`.
    #[must_use]
    pub fn failed(code: FailureCode, message: impl Into<String>) -> Self {
        Self::Failed(Failure {
            code,
            message: message.into(),
            details: None,
        })
    }

    /// The outcome in one word: `done`, `failed`, `stopped`, `denied` or `needs-approval`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::Stopped(_) => "stopped",
            Self::Denied(_) => "denied",
            Self::NeedsApproval(_) => "needs-approval",
        }
    }

    /// Whether the tool answered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}

/// The outcome as the model and a person read it.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(output) => output.fmt(f),
            Self::Failed(failure) => failure.fmt(f),
            Self::Stopped(stop) => stop.fmt(f),
            Self::Denied(denial) => write!(f, "denied: {denial}"),
            Self::NeedsApproval(needed) => needed.fmt(f),
        }
    }
}

impl fmt::Display for NeedsApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = self.reasons.join("; ");
        write!(
            f,
            "`{}` needs approval: {reasons}; {}",
            self.call, self.remedy
        )
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, content) in self.content.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            content.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { text } => f.write_str(text),
            Self::Json { value } | Self::Other { block: value } => value.fmt(f),
            Self::Image { mime, data } => write!(f, "[image: {mime}, {} bytes]", data.len()),
            Self::Artifact { name, mime, data } => {
                write!(f, "[artifact `{name}`: {mime}, {} bytes]", data.len())
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl FailureCode {
    /// The code as it stands in `wit/`; one that is not known there is `failed`.
    #[must_use]
    pub fn parse(code: &str) -> Self {
        match code {
            "invalid-input" => Self::InvalidInput,
            "not-found" => Self::NotFound,
            "denied" => Self::Denied,
            "unavailable" => Self::Unavailable,
            "timeout" => Self::Timeout,
            _ => Self::Failed,
        }
    }

    /// The code's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid-input",
            Self::NotFound => "not-found",
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        }
    }
}
