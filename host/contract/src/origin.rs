//! Patterns of the origins that a tool may send requests to. Not here: addresses and name look-ups.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::shown;

/// A pattern of origins: `https://api.example.com`, `http://127.0.0.1:8080`, `https://*.example.com`
/// (one label in place of the `*`) or `https://*` (any host; it has to be asked for in these words).
/// Scheme, host and port must all match; the port is the scheme's own when none is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OriginPattern {
    scheme: Scheme,
    host: HostPattern,
    port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Scheme {
    Http,
    Https,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum HostPattern {
    Any,
    /// `*.example.com`, kept as `.example.com`.
    OneLabelBefore(String),
    Exactly(String),
}

impl OriginPattern {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` has no scheme `http` or `https`, holds a path, a user or a query, or its host is
    /// neither a name in lower-case ASCII, an IP address, `*.name` nor `*`.
    pub fn parse(text: &str) -> Result<Self, NotAnOrigin> {
        let not_an_origin = |reason| NotAnOrigin {
            text: shown(text),
            reason,
        };
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            _ => return Err(not_an_origin("it must begin with `http://` or `https://`")),
        };
        if rest.contains(['/', '?', '#', '@']) {
            return Err(not_an_origin("it must end after the host and port"));
        }
        let (host, port) = split_port(rest)
            .ok_or_else(|| not_an_origin("its port is not a number from 1 to 65535"))?;
        let host = HostPattern::parse(host).ok_or_else(|| {
            not_an_origin("its host must be a lower-case name, an IP address, `*.name` or `*`")
        })?;
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or(scheme.port()),
        })
    }

    /// Whether requests to `host` (lower-case, IPv6 without brackets) on `port` match.
    #[must_use]
    pub fn matches(&self, scheme: &str, host: &str, port: u16) -> bool {
        self.scheme.as_str() == scheme && self.port == port && self.host.matches(host)
    }

    /// Whether each origin that matches `other` matches this pattern too.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.port == other.port && self.host.covers(&other.host)
    }
}

impl Scheme {
    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl HostPattern {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Any);
        }
        if let Some(address) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            let address: std::net::Ipv6Addr = address.parse().ok()?;
            return Some(Self::Exactly(address.to_string()));
        }
        match text.strip_prefix("*.") {
            Some(name) if is_host_name(name) => Some(Self::OneLabelBefore(format!(".{name}"))),
            None if is_host_name(text) => Some(Self::Exactly(text.to_owned())),
            _ => None,
        }
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(name) => name == host,
            Self::OneLabelBefore(suffix) => host
                .strip_suffix(suffix.as_str())
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Exactly(name)) => self.matches(name),
            (Self::OneLabelBefore(mine), Self::OneLabelBefore(theirs)) => mine == theirs,
            _ => false,
        }
    }
}

/// `host:port` or `host`; `None` when what follows the colon is no port.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let after_bracket = text.rfind(']').map_or(0, |at| at + 1);
    match text[after_bracket..].rfind(':') {
        None => Some((text, None)),
        Some(colon) => {
            let (host, port) = text.split_at(after_bracket + colon);
            let port = port[1..].parse().ok().filter(|port| *port != 0)?;
            Some((host, Some(port)))
        }
    }
}

/// Dot-separated labels of lower-case letters, digits, `-` and `_`; an IPv4 address is one too.
fn is_host_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme.as_str())?;
        match &self.host {
            HostPattern::Any => f.write_str("*")?,
            HostPattern::OneLabelBefore(suffix) => write!(f, "*{suffix}")?,
            HostPattern::Exactly(name) if name.contains(':') => write!(f, "[{name}]")?,
            HostPattern::Exactly(name) => f.write_str(name)?,
        }
        if self.port == self.scheme.port() {
            Ok(())
        } else {
            write!(f, ":{}", self.port)
        }
    }
}

impl TryFrom<String> for OriginPattern {
    type Error = NotAnOrigin;

    fn try_from(text: String) -> Result<Self, NotAnOrigin> {
        Self::parse(&text)
    }
}

impl From<OriginPattern> for String {
    fn from(pattern: OriginPattern) -> Self {
        pattern.to_string()
    }
}

/// A text that is no [`OriginPattern`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an origin: {reason}, as in `https://api.example.com`")]
pub struct NotAnOrigin {
    text: String,
    reason: &'static str,
}

#[cfg(test)]
mod tests;
