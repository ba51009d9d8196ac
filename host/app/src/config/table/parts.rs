//! What several settings are made of.

use super::{Fallback, Narrowing, Setting};
use crate::config::kind::Kind;

pub(super) const PROVIDER: Kind = Kind::Choice {
    allowed: &["llama_cpp", "scripted"],
    absent: &["ollama", "openrouter"],
};

pub(super) const MODE: Kind = Kind::Choice {
    allowed: &["full", "auto", "ask", "read-only"],
    absent: &[],
};

/// A day at the most.
pub(super) const SECONDS: Kind = Kind::Number {
    least: 1,
    most: 86_400,
};

pub(super) const fn setting(
    key: &'static str,
    variable: &'static str,
    kind: Kind,
    fallback: Fallback,
    narrowing: Narrowing,
    doc: &'static str,
) -> Setting {
    Setting {
        key,
        variable,
        kind,
        fallback,
        narrowing,
        doc,
    }
}
