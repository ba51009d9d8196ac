//! Patterns of paths inside the workspace. Not here: the resolution of links, which the runtime does
//! before it asks a pattern.

use std::{fmt, hash};

use serde::{Deserialize, Serialize};

use crate::name::shown;

/// A glob over paths relative to the workspace, `/` between the parts: `docs/**`, `*.md`, `src/*.rs`.
/// `*` and `?` stay inside one part, `**` crosses parts, a pattern without wildcard is one path. A
/// pattern that names a folder does not cover what lies in it: write `docs/**`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern {
    text: String,
    glob: globset::GlobMatcher,
}

impl PathPattern {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is empty, absolute, holds `..`, `.` or an empty part, or is no glob.
    pub fn parse(text: &str) -> Result<Self, NotAPathPattern> {
        let not_a_pattern = |reason: String| NotAPathPattern {
            text: shown(text),
            reason,
        };
        if text.is_empty() || text.starts_with('/') {
            return Err(not_a_pattern("it must be relative to the workspace".into()));
        }
        if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(not_a_pattern(
                "it may hold no empty part, `.` or `..`".into(),
            ));
        }
        let glob = globset::GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| not_a_pattern(error.kind().to_string()))?;
        Ok(Self {
            text: text.to_owned(),
            glob: glob.compile_matcher(),
        })
    }

    /// Whether `path` (relative to the workspace, links resolved) matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.glob.is_match(path)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PathPattern({:?})", self.text)
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl hash::Hash for PathPattern {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl TryFrom<String> for PathPattern {
    type Error = NotAPathPattern;

    fn try_from(text: String) -> Result<Self, NotAPathPattern> {
        Self::parse(&text)
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.text
    }
}

/// A text that is no [`PathPattern`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a path pattern: {reason}, as in `docs/**`")]
pub struct NotAPathPattern {
    text: String,
    reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_part_by_part() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(
                PathPattern::parse(pattern).unwrap().matches(path),
                expected,
                "{pattern} against {path}"
            );
        };
        check("docs/**", "docs/a.md", true);
        check("docs/**", "docs/a/b.md", true);
        check("docs/**", "docs", false);
        check("docs/**", "docsx/a.md", false);
        check("*.md", "a.md", true);
        check("*.md", "docs/a.md", false);
        check("**/*.md", "docs/a.md", true);
        check("src/*.rs", "src/lib.rs", true);
        check("src/*.rs", "src/deep/lib.rs", false);
        check("README", "README", true);
    }

    #[test]
    fn what_leaves_the_workspace_is_no_pattern() {
        for text in ["", "/etc", "../x", "a/../b", "a//b", "./a", "a/", "[", "{a"] {
            assert!(PathPattern::parse(text).is_err(), "{text:?} was taken");
        }
    }
}
