//! What a setting may hold, as a text of a variable and as a value of a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use config::ValueKind;
use forge_contract::name::Name;
use forge_contract::origin::OriginPattern;
use url::Url;

/// What a setting may hold.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Yes or no.
    Switch,
    /// A whole number.
    Number {
        /// The least that is allowed.
        least: i64,
        /// The most that is allowed.
        most: i64,
    },
    /// A server's base address.
    Url {
        /// Whether it may be `https`.
        tls: bool,
    },
    /// A file or a folder.
    Path,
    /// Several of a kind, each once.
    List(Item),
    /// `none`, `environment` or a proxy's address.
    Proxy,
    /// One of a few words.
    Choice {
        /// The words.
        allowed: &'static [&'static str],
        /// Words of other versions, which this one does not have.
        absent: &'static [&'static str],
    },
    /// An address to listen on.
    Address,
    /// What nobody but the operator may see.
    Secret,
}

/// What a list may hold.
#[derive(Debug, Clone, Copy)]
pub enum Item {
    /// Names of capabilities.
    Capability,
    /// Patterns of origins, but not of every host.
    Origin,
    /// Domains, without a `*`.
    Domain,
}

/// What a value is read against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base<'a> {
    /// The folder that relative paths start from.
    pub(super) folder: &'a Path,
    /// What `~/` stands for; `None` where it stands for itself.
    pub(super) home: Option<&'a Path>,
}

impl Kind {
    /// Whether an empty text is as good as none. For a number or a switch it is a mistake.
    pub(super) fn may_be_empty(self) -> bool {
        matches!(self, Self::List(_) | Self::Choice { .. } | Self::Secret)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// What is allowed instead.
    pub(super) fn of_text(self, text: &str, base: Base<'_>) -> Result<ValueKind, String> {
        let text = match self {
            Self::Path => text,
            _ => text.trim(),
        };
        let read = match self {
            Self::Switch => switch(text).map(ValueKind::Boolean),
            Self::Number { least, most } => text
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number))
                .map(ValueKind::I64),
            Self::Url { tls } => url(text, tls).map(ValueKind::String),
            Self::Proxy => (PROXY_WORDS.contains(&text) || url(text, false).is_some())
                .then(|| ValueKind::String(text.to_owned())),
            Self::Path => (!text.is_empty())
                .then(|| ValueKind::String(path(text, base).display().to_string())),
            Self::List(item) => {
                let texts = text.split(',').map(str::trim);
                item.list(texts.filter(|text| !text.is_empty()))
            }
            Self::Choice { allowed, .. } => allowed
                .contains(&text)
                .then(|| ValueKind::String(text.to_owned())),
            Self::Address => text
                .parse::<SocketAddr>()
                .ok()
                .map(|address| ValueKind::String(address.to_string())),
            Self::Secret => (!text.is_empty()).then(|| ValueKind::String(text.to_owned())),
        };
        read.ok_or_else(|| {
            let allowed = match self {
                Self::List(item) => {
                    let (what, examples) = item.described();
                    format!("{what} with commas between, as in `{}`", examples.join(","))
                }
                Self::Switch => "`true` or `false` (or `1`/`0`, `yes`/`no`, `on`/`off`)".to_owned(),
                _ => self.allowed(),
            };
            match self {
                Self::Choice { absent, .. } if absent.contains(&text) => {
                    format!("{allowed}; this version does not have `{text}`")
                }
                _ => allowed,
            }
        })
    }

    /// Reads a value of a file.
    ///
    /// # Errors
    /// What is allowed instead.
    pub(super) fn of_file(self, value: &ValueKind, base: Base<'_>) -> Result<ValueKind, String> {
        match (self, value) {
            (Self::Switch, ValueKind::Boolean(is_on)) => Ok(ValueKind::Boolean(*is_on)),
            (Self::Number { .. }, ValueKind::I64(number)) => {
                self.of_text(&number.to_string(), base)
            }
            (Self::List(item), ValueKind::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(|item| text(&item.kind)).collect();
                let read = texts.and_then(|texts| item.list(texts.into_iter()));
                read.ok_or_else(|| self.allowed())
            }
            (
                Self::Url { .. }
                | Self::Proxy
                | Self::Path
                | Self::Choice { .. }
                | Self::Address
                | Self::Secret,
                ValueKind::String(text),
            ) => self.of_text(text, base),
            _ => Err(self.allowed()),
        }
    }

    /// What it may hold, in words.
    #[must_use]
    pub fn allowed(self) -> String {
        match self {
            Self::Switch => "`true` or `false`".to_owned(),
            Self::Number { least, most } => format!("a whole number from {least} to {most}"),
            Self::Url { tls: false } => "the server's base address, as in `http://127.0.0.1:8080` (no TLS, no user, no query)".to_owned(),
            Self::Url { tls: true } => "the server's base address, as in `http://127.0.0.1:8888` (no user, no query)".to_owned(),
            Self::Proxy => "`none`, `environment` or a proxy's address, as in `http://proxy.example:3128`".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::List(item) => {
                let (what, examples) = item.described();
                format!("a list of {what}, as in `{}`", super::template::list(examples.iter().copied()))
            }
            Self::Choice { allowed, .. } => {
                let quoted: Vec<String> = allowed.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" or ")
            }
            Self::Address => "an address and a port, as in `127.0.0.1:8765`".to_owned(),
            Self::Secret => "a text that is not empty".to_owned(),
        }
    }

    /// Whether it is never shown.
    #[must_use]
    pub fn is_secret(self) -> bool {
        matches!(self, Self::Secret)
    }

    /// `value` as people may see it.
    pub(super) fn shown(self, value: &ValueKind) -> String {
        match value {
            _ if self.is_secret() => "***".to_owned(),
            ValueKind::Array(items) => {
                let texts: Vec<String> = items.iter().map(|item| item.kind.to_string()).collect();
                texts.join(",")
            }
            ValueKind::Table(_) => "a table".to_owned(),
            other => other.to_string(),
        }
    }
}

/// The text that `value` is.
pub(super) fn text(value: &ValueKind) -> Option<&str> {
    match value {
        ValueKind::String(text) => Some(text),
        _ => None,
    }
}

/// The word of a variable as a switch.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

const PROXY_WORDS: [&str; 2] = ["none", "environment"];

/// A base address, without a slash at its end.
fn url(text: &str, tls: bool) -> Option<String> {
    let is_base = Url::parse(text).is_ok_and(|url| {
        (url.scheme() == "http" || (tls && url.scheme() == "https"))
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    });
    is_base.then(|| text.trim_end_matches('/').to_owned())
}

fn path(text: &str, base: Base<'_>) -> PathBuf {
    match (base.home, text.strip_prefix("~/")) {
        (Some(home), Some(rest)) => home.join(rest),
        _ => base.folder.join(text),
    }
}

impl Item {
    /// What it is, and examples.
    fn described(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Capability => ("names of capabilities", &["chat", "code", "files"]),
            Self::Origin => (
                "origins, none of them for every host",
                &["http://127.0.0.1:9000", "https://*.home.arpa"],
            ),
            Self::Domain => ("domains", &["docs.rs", "wikipedia.org"]),
        }
    }

    fn is_one(self, text: &str) -> bool {
        match self {
            Self::Capability => Name::parse(text).is_ok(),
            Self::Origin => {
                OriginPattern::parse(text).is_ok_and(|pattern| !pattern.names_any_host())
            }
            Self::Domain => {
                !text.contains(['*', ':'])
                    && OriginPattern::parse(&format!("http://{text}")).is_ok()
            }
        }
    }

    /// The texts, each once, if all of them are such. Case does not matter in a domain.
    fn list<'a>(self, texts: impl Iterator<Item = &'a str>) -> Option<ValueKind> {
        let mut list: Vec<String> = Vec::new();
        for text in texts {
            let text = match self {
                Self::Domain => text.to_lowercase(),
                Self::Capability | Self::Origin => text.to_owned(),
            };
            if !self.is_one(&text) {
                return None;
            }
            if !list.contains(&text) {
                list.push(text);
            }
        }
        Some(ValueKind::from(list))
    }
}
