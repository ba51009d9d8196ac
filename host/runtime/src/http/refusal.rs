//! Why a request was not sent, or not answered.

use std::error::Error as StdError;

use forge_contract::outcome::FailureCode;

/// Why a request was not sent, or not answered. A person and a model read it: it says the way out where there is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// A URL that can't be read.
    #[error("`{url}` is no URL that can be asked: {problem}")]
    Url { url: String, problem: String },
    /// Something other than HTTP.
    #[error("`{url}` begins neither with `http://` nor with `https://`")]
    Scheme { url: String },
    /// No host.
    #[error("`{url}` names no host")]
    NoHost { url: String },
    /// A name and a password in the URL.
    #[error("a user in the URL is not sent, and `{host}` is what follows the `@`: leave it out")]
    User { host: String },
    /// A header that is the host's own.
    #[error("the header `{name}` is not for tools to set: leave it out")]
    Header { name: String },
    /// A header that no request can carry.
    #[error("`{name}` is no header with a value that can be sent")]
    BadHeader { name: String },
    /// A header that carries a secret.
    #[error("the header `{name}` carries the secret `{secret}` to `{origin}`: leave it out")]
    SecretHeader {
        name: String,
        secret: String,
        origin: String,
    },
    /// A secret that everyone on the way could read.
    #[error(
        "`{origin}` was not asked: the secret `{secret}` is sent by https, or to an origin of a private network that \
         is granted as such"
    )]
    SecretInTheOpen { secret: String, origin: String },
    /// A secret that is not there, or not for this tool.
    #[error("`{origin}` was not asked, because that takes a secret: {problem}")]
    NoSecret { origin: String, problem: String },
    /// A method that is not granted.
    #[error("`{method}` may not be asked of anyone by this tool: {granted} may")]
    Method { method: String, granted: String },
    /// A method that is none, or would make the connection something else.
    #[error("`{method}` is no method that can be sent")]
    BadMethod { method: String },
    /// An origin that is not granted.
    #[error("`{origin}` may not be reached by this tool, which may reach {granted}: {remedy}")]
    Origin {
        origin: String,
        granted: String,
        remedy: String,
    },
    /// An address that is not out in the public internet.
    #[error("`{origin}` may not be reached: its address {address} is not public; {remedy}")]
    Address {
        origin: String,
        address: String,
        remedy: String,
    },
    /// A name without an address.
    #[error("`{host}` has no address: {problem}")]
    Unresolved { host: String, problem: String },
    /// Nobody answers there.
    #[error("`{origin}` can't be reached: {problem}")]
    NoConnection { origin: String, problem: String },
    /// A server that does not prove who it is.
    #[error("`{origin}` is not who it should be: {problem}")]
    Tls { origin: String, problem: String },
    /// No certificates to trust.
    #[error("no server can be trusted: {problem}")]
    NoTrust { problem: String },
    /// It took too long.
    #[error("`{origin}` was given up: {what} within {limit_ms} ms")]
    Timeout {
        origin: String,
        what: &'static str,
        limit_ms: u128,
    },
    /// It took longer than its sender wanted.
    #[error("the request was given up: it did not end within {limit_ms} ms, as `timeout_ms` asks")]
    Late { limit_ms: u128 },
    /// More than may come.
    #[error("the answer of `{origin}` is longer than {limit} bytes, the limit `{name}`")]
    TooLong {
        origin: String,
        limit: u64,
        name: &'static str,
    },
    /// An answer that breaks HTTP, or was cut off.
    #[error("the answer of `{origin}` can't be read: {problem}")]
    Broken { origin: String, problem: String },
}

impl Refusal {
    /// What kind of failure it is to a guest.
    pub(crate) fn code(&self) -> FailureCode {
        match self {
            Self::Url { .. }
            | Self::Scheme { .. }
            | Self::NoHost { .. }
            | Self::BadHeader { .. }
            | Self::BadMethod { .. } => FailureCode::InvalidInput,
            Self::User { .. }
            | Self::Header { .. }
            | Self::SecretHeader { .. }
            | Self::SecretInTheOpen { .. }
            | Self::Method { .. }
            | Self::Origin { .. }
            | Self::Address { .. } => FailureCode::Denied,
            Self::Unresolved { .. } | Self::NoConnection { .. } | Self::NoSecret { .. } => {
                FailureCode::Unavailable
            }
            Self::Timeout { .. } | Self::Late { .. } => FailureCode::Timeout,
            Self::Tls { .. }
            | Self::NoTrust { .. }
            | Self::TooLong { .. }
            | Self::Broken { .. } => FailureCode::Failed,
        }
    }
}

/// What of type `T` is among the causes of `error`.
pub(crate) fn cause<'a, T: StdError + 'static>(
    error: &'a (dyn StdError + 'static),
) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error hides what it wraps from `source`.
        let wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

/// The last cause of `error`, which says most.
pub(crate) fn root(error: &(dyn StdError + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}
