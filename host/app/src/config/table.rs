//! Every setting there is: its names, what it may hold, what holds without it, and how far the file of a
//! project may go. Parsing, `forge config`, the file of `forge init`, the help and `.env.example` come
//! from here.
//!
//! Not here: the settings themselves (`settings`), and names of other versions that have no effect in this one
//! (`absent`).

mod settings;
mod parts;

use super::kind::Kind;

pub use settings::SETTINGS;

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its key in a file, with its table: `llama_cpp.url`.
    pub key: &'static str,
    /// Its environment variable.
    pub variable: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// What holds while nobody sets it.
    pub fallback: Fallback,
    /// How the file of a project may change it.
    pub narrowing: Narrowing,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What holds while nobody sets a setting.
#[derive(Debug, Clone, Copy)]
pub enum Fallback {
    /// This value, as in a variable.
    Value(&'static str),
    /// What is told here: it depends on the machine, or on the kind of run.
    Told(&'static str),
}

/// How the file of a project, which may be a stranger's, may change a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowing {
    /// Not at all.
    Never,
    /// To `false`.
    OnlyFalse,
    /// To a lower number. Where none is set, 1 counts as what holds.
    OnlyLower,
    /// To fewer of the names that hold.
    Subset,
    /// To a folder inside the one that holds.
    FolderInside,
    /// To this one choice.
    Only(&'static str),
}

impl Setting {
    /// The setting with this key.
    #[must_use]
    pub fn of_key(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The setting with this variable.
    #[must_use]
    pub fn of_variable(variable: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.variable == variable)
    }

    /// What holds without it, for people.
    #[must_use]
    pub fn fallback_shown(&self) -> &'static str {
        match self.fallback {
            Fallback::Value(text) | Fallback::Told(text) => text,
        }
    }
}
