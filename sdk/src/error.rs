//! How a tool fails: a code for programs, a message for the model and for people. Not here: panics,
//! which the host reports as a trap.

use std::error::Error as StdError;
use std::{fmt, io};

use serde_json::Value;

use crate::bindings::forge::tool::types;

/// A tool's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure, as data. `?` turns every error of the standard kind into one; an I/O error anywhere
/// in its chain keeps its meaning (`not-found`, `denied`, `timeout`), all others are `failed`.
///
/// The message should say what went wrong, name it in backticks, and show the way out.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    code: Code,
    message: String,
    details: Option<Value>,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The input can't be used; another input may.
    InvalidInput,
    /// What the input names is not there.
    NotFound,
    /// It may not be done.
    Denied,
    /// What is needed does not answer now; trying again later may help.
    Unavailable,
    /// It took too long.
    Timeout,
    /// Anything else.
    Failed,
}

impl Error {
    /// The input can't be used.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }

    /// What the input names is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// It may not be done.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(Code::Denied, message)
    }

    /// What is needed does not answer now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Code::Unavailable, message)
    }

    /// It took too long.
    pub fn timeout(message: impl Into<String>) -> Self {
        Self::new(Code::Timeout, message)
    }

    /// Anything else.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::Failed, message)
    }

    /// A failure of kind `code`.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
        }
    }

    /// The same failure with a JSON object for programs: the field at fault, when to try again, …
    #[must_use]
    pub fn with_details(self, details: Value) -> Self {
        Self {
            details: Some(details),
            ..self
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// What went wrong, and the way out.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What programs get beside the message.
    #[must_use]
    pub fn details(&self) -> Option<&Value> {
        self.details.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

// `Error` is no `std::error::Error` itself: this conversion would then overlap with `From<T> for T`.
impl<E: StdError + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let chain: Vec<&(dyn StdError + 'static)> =
            std::iter::successors(Some(&error as &(dyn StdError + 'static)), |&e| e.source())
                .collect();
        let kind = chain
            .iter()
            .find_map(|e| e.downcast_ref::<io::Error>())
            .map(io::Error::kind);
        let message = chain
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(": ");
        Self::new(code_of(kind), message)
    }
}

fn code_of(kind: Option<io::ErrorKind>) -> Code {
    match kind {
        Some(io::ErrorKind::NotFound) => Code::NotFound,
        Some(io::ErrorKind::PermissionDenied) => Code::Denied,
        Some(io::ErrorKind::TimedOut) => Code::Timeout,
        _ => Code::Failed,
    }
}

impl Code {
    /// Its name in the contract with the host, such as `invalid-input`.
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

    fn parse(name: &str) -> Self {
        [
            Self::InvalidInput,
            Self::NotFound,
            Self::Denied,
            Self::Unavailable,
            Self::Timeout,
        ]
        .into_iter()
        .find(|code| code.as_str() == name)
        .unwrap_or(Self::Failed)
    }
}

impl Error {
    pub(crate) fn from_host(error: types::Error) -> Self {
        let details = error
            .details
            .and_then(|json| serde_json::from_str(&json).ok());
        Self {
            code: Code::parse(&error.code),
            message: error.message,
            details,
        }
    }

    pub(crate) fn into_host(self) -> types::Error {
        types::Error {
            code: self.code.as_str().to_owned(),
            message: self.message,
            details: self.details.map(|details| details.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
