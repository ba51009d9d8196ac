//! Patterns of the origins that a tool may send requests to. Not here: addresses and name look-ups.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::shown;

/// A pattern of origins: `https://api.example.com`, `http://127.0.0.1:8080`, `https://*.example.com`
/// (one label in place of the `*`), `https://**.example.com` (any number of labels, at least one) or `https://*`
/// (any host; it has to be asked for in these words). Scheme, host and port must all match; the port is the
/// scheme's own when none is written, and `:*` is any port but those of [`BLOCKED_PORTS`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OriginPattern {
    scheme: Scheme,
    host: HostPattern,
    port: PortPattern,
}

/// Ports of services that a request could be smuggled to, which `:*` leaves out (the Fetch standard, "port
/// blocking").
pub const BLOCKED_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

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
    /// `**.example.com`, kept as `.example.com`.
    LabelsBefore(String),
    Exactly(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PortPattern {
    Any,
    Exactly(u16),
}

impl OriginPattern {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` has no scheme `http` or `https`, holds a path, a user or a query, or its host is
    /// neither a name in lower-case ASCII, an IP address, `*.name`, `**.name` nor `*`.
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
            .ok_or_else(|| not_an_origin("its port is neither a number from 1 to 65535 nor `*`"))?;
        let host = HostPattern::parse(host).ok_or_else(|| {
            not_an_origin(
                "its host must be a lower-case name, an IP address, `*.name`, `**.name` or `*`",
            )
        })?;
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or(PortPattern::Exactly(scheme.port())),
        })
    }

    /// Whether requests to `host` (lower-case, IPv6 without brackets) on `port` match.
    #[must_use]
    pub fn matches(&self, scheme: &str, host: &str, port: u16) -> bool {
        self.scheme.as_str() == scheme && self.port.matches(port) && self.host.matches(host)
    }

    /// Whether its host is `*`.
    #[must_use]
    pub fn names_any_host(&self) -> bool {
        self.host == HostPattern::Any
    }

    /// Whether each origin that matches `other` matches this pattern too.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.port.covers(other.port) && self.host.covers(&other.host)
    }

    /// The pattern of the origins that match both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        // Of two patterns of hosts, or of ports, that have one in common, one covers the other.
        let host = match () {
            () if self.host.covers(&other.host) => &other.host,
            () if other.host.covers(&self.host) => &self.host,
            () => return None,
        };
        let port = match () {
            () if self.port.covers(other.port) => other.port,
            () if other.port.covers(self.port) => self.port,
            () => return None,
        };
        (self.scheme == other.scheme).then(|| Self {
            scheme: self.scheme,
            host: host.clone(),
            port,
        })
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
        let (form, name): (fn(String) -> Self, _) = match text.strip_prefix("**.") {
            Some(name) => (Self::LabelsBefore, name),
            None => match text.strip_prefix("*.") {
                Some(name) => (Self::OneLabelBefore, name),
                None => return is_host_name(text).then(|| Self::Exactly(text.to_owned())),
            },
        };
        is_host_name(name).then(|| form(format!(".{name}")))
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(name) => name == host,
            Self::OneLabelBefore(suffix) => host
                .strip_suffix(suffix.as_str())
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
            Self::LabelsBefore(suffix) => host
                .strip_suffix(suffix.as_str())
                .is_some_and(|labels| !labels.is_empty() && !labels.starts_with('.')),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Exactly(name)) => self.matches(name),
            (Self::OneLabelBefore(mine), Self::OneLabelBefore(theirs)) => mine == theirs,
            (
                Self::LabelsBefore(mine),
                Self::OneLabelBefore(theirs) | Self::LabelsBefore(theirs),
            ) => theirs.ends_with(mine.as_str()),
            _ => false,
        }
    }
}

impl PortPattern {
    fn matches(self, port: u16) -> bool {
        match self {
            Self::Any => !BLOCKED_PORTS.contains(&port),
            Self::Exactly(own) => own == port,
        }
    }

    fn covers(self, other: Self) -> bool {
        match other {
            Self::Any => self == Self::Any,
            Self::Exactly(port) => self.matches(port),
        }
    }
}

/// `host:port` or `host`; `None` when what follows the colon is no port.
fn split_port(text: &str) -> Option<(&str, Option<PortPattern>)> {
    let after_bracket = text.rfind(']').map_or(0, |at| at + 1);
    match text[after_bracket..].rfind(':') {
        None => Some((text, None)),
        Some(colon) => {
            let (host, port) = text.split_at(after_bracket + colon);
            let port = match &port[1..] {
                "*" => PortPattern::Any,
                number => PortPattern::Exactly(number.parse().ok().filter(|port| *port != 0)?),
            };
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
            HostPattern::LabelsBefore(suffix) => write!(f, "**{suffix}")?,
            HostPattern::Exactly(name) if name.contains(':') => write!(f, "[{name}]")?,
            HostPattern::Exactly(name) => f.write_str(name)?,
        }
        match self.port {
            PortPattern::Any => f.write_str(":*"),
            PortPattern::Exactly(port) if port == self.scheme.port() => Ok(()),
            PortPattern::Exactly(port) => write!(f, ":{port}"),
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
