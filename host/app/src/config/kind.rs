//! What a setting may hold, as a text of a variable and as a value of a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use config::ValueKind;
use forge_contract::name::Name;
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
    Url,
    /// A file or a folder.
    Path,
    /// Names of capabilities.
    Names,
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
        matches!(self, Self::Names | Self::Choice { .. } | Self::Secret)
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
            Self::Url => url(text).map(ValueKind::String),
            Self::Path => (!text.is_empty())
                .then(|| ValueKind::String(path(text, base).display().to_string())),
            Self::Names => {
                let items = text.split(',').map(str::trim);
                names(items.filter(|item| !item.is_empty()))
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
                Self::Names => {
                    "names of capabilities with commas between, as in `chat,code,files`".to_owned()
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
            (Self::Names, ValueKind::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(|item| text(&item.kind)).collect();
                let read = texts.and_then(|texts| names(texts.into_iter()));
                read.ok_or_else(|| self.allowed())
            }
            (
                Self::Url | Self::Path | Self::Choice { .. } | Self::Address | Self::Secret,
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
            Self::Url => "the server's base address, as in `http://127.0.0.1:8080` (no TLS, no user, no query)".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Names => "a list of names of capabilities, as in `[\"chat\", \"code\", \"files\"]`".to_owned(),
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

/// A base address, without a slash at its end.
fn url(text: &str) -> Option<String> {
    let is_base = Url::parse(text).is_ok_and(|url| {
        url.scheme() == "http"
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

/// Names of capabilities, each once.
fn names<'a>(items: impl Iterator<Item = &'a str>) -> Option<ValueKind> {
    let mut names: Vec<&str> = Vec::new();
    for item in items {
        Name::parse(item).ok()?;
        if !names.contains(&item) {
            names.push(item);
        }
    }
    Some(ValueKind::from(names))
}
