//! What an operation needs, declared: the host gives its sandbox exactly this. Not here: what the
//! operator lets it have, which a tool is never told in advance.

use serde::Serialize;

/// What one operation needs. Everything starts from [`Requires::none`]; what is not declared is not
/// there when the operation runs.
///
/// ```
/// use forge_sdk::{Access, Requires};
///
/// let requires = Requires::none().workspace(Access::Read).programs(["git"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Requires {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    network: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    llm: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<Access>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    programs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Access>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    observes: Vec<View>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<Secret>,
}

/// How far a store of the operator's is opened. `Write` includes reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Look, change nothing.
    Read,
    /// Look and change.
    Write,
}

/// A read-only view of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Load, cores, the processes that use most.
    Cpu,
    /// Service units and their states.
    Units,
    /// Containers and their states.
    Containers,
    /// Lines of the system's journal.
    Journal,
}

/// A secret that the host adds as `header` to requests to `origin`. The tool never sees its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Secret {
    /// The name under which the operator stores it.
    pub name: String,
    /// Where it may be sent; [`Requires::network`] must cover it.
    pub origin: String,
    /// The header that carries it, such as `Authorization`.
    pub header: String,
    /// What stands before it there, such as `Bearer ` with its space.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

impl Secret {
    /// `name`, sent to `origin` as `header`.
    #[must_use]
    pub fn new(name: &str, origin: &str, header: &str) -> Self {
        Self {
            name: name.to_owned(),
            origin: origin.to_owned(),
            header: header.to_owned(),
            prefix: String::new(),
        }
    }

    /// A token `name`, sent to `origin` as `Authorization: Bearer …`.
    #[must_use]
    pub fn bearer(name: &str, origin: &str) -> Self {
        Self {
            prefix: "Bearer ".to_owned(),
            ..Self::new(name, origin, "Authorization")
        }
    }
}

impl Requires {
    /// Nothing at all: the operation only computes.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Requests to these origins: `https://api.example.com`, `https://*.example.com` (one label),
    /// `https://**.example.com` (any number of labels) or `https://*` (any host); `:*` after it is any port. For [`crate::http`] and for HTTP libraries on `wasi:http`.
    #[must_use]
    pub fn network<S: Into<String>>(self, origins: impl IntoIterator<Item = S>) -> Self {
        Self {
            network: texts(origins),
            ..self
        }
    }

    /// Asking the language model ([`crate::llm`]).
    #[must_use]
    pub fn llm(self) -> Self {
        Self { llm: true, ..self }
    }

    /// The files of the workspace, at `/workspace` ([`crate::workspace`], [`crate::files`]).
    #[must_use]
    pub fn workspace(self, access: Access) -> Self {
        Self {
            workspace: Some(access),
            ..self
        }
    }

    /// Running these programs, by bare name ([`crate::process`]).
    #[must_use]
    pub fn programs<S: Into<String>>(self, programs: impl IntoIterator<Item = S>) -> Self {
        Self {
            programs: texts(programs),
            ..self
        }
    }

    /// Forge's long-term memory ([`crate::memory`]).
    #[must_use]
    pub fn memory(self, access: Access) -> Self {
        Self {
            memory: Some(access),
            ..self
        }
    }

    /// Calling these other capabilities ([`crate::capabilities`]).
    #[must_use]
    pub fn calls<S: Into<String>>(self, capabilities: impl IntoIterator<Item = S>) -> Self {
        Self {
            calls: texts(capabilities),
            ..self
        }
    }

    /// Reading these views of the host ([`crate::observe`]).
    #[must_use]
    pub fn observes(self, views: impl IntoIterator<Item = View>) -> Self {
        Self {
            observes: views.into_iter().collect(),
            ..self
        }
    }

    /// One more secret that the host adds to requests.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        self.secrets.push(secret);
        self
    }
}

impl View {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Units => "units",
            Self::Containers => "containers",
            Self::Journal => "journal",
        }
    }
}

fn texts<S: Into<String>>(texts: impl IntoIterator<Item = S>) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}
