//! Names of capabilities, operations and programs. Not here: what a name stands for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a capability or an operation: 1 to 64 lower-case ASCII letters, digits and `_`, the
/// first a letter. Such a name can stand in a grammar, a file name and a function name unescaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

impl Name {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// Checks `text` once; every other function can rely on it.
    ///
    /// # Errors
    /// When `text` is not such a name.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        let starts_with_letter = text.starts_with(|c: char| c.is_ascii_lowercase());
        let is_name = starts_with_letter
            && text.len() <= Self::MAX_BYTES
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAName { text: shown(text) })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = NotAName;

    fn try_from(text: String) -> Result<Self, NotAName> {
        Self::parse(&text)
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

/// A text that is no [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a name: use 1 to 64 lower-case letters, digits and `_`, the first a letter"
)]
pub struct NotAName {
    text: String,
}

/// The name of a program that a tool may run, as in `programs: ["git"]`: 1 to 64 letters, digits and
/// `. _ + -`, the first a letter or a digit. Never a path: which file it is, the operator says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProgramName(String);

impl ProgramName {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is not such a name, for instance because it holds a `/`.
    pub fn parse(text: &str) -> Result<Self, NotAProgram> {
        let is_program = text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.len() <= Name::MAX_BYTES
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b));
        if is_program {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAProgram { text: shown(text) })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ProgramName {
    type Error = NotAProgram;

    fn try_from(text: String) -> Result<Self, NotAProgram> {
        Self::parse(&text)
    }
}

impl From<ProgramName> for String {
    fn from(name: ProgramName) -> Self {
        name.0
    }
}

/// A text that is no [`ProgramName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a program's name: give the bare name, such as `git`, never a path or a command line"
)]
pub struct NotAProgram {
    text: String,
}

/// A text that came from outside, as it may stand in a message: escaped, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(80)
        .collect::<String>()
        .escape_debug()
        .collect();
    if text.chars().nth(80).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let check = |text: &str, ok: bool| assert_eq!(Name::parse(text).is_ok(), ok, "{text:?}");
        check("files", true);
        check("web_fetch2", true);
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        check("", false);
        check("2files", false);
        check("Files", false);
        check("files-read", false);
        check("files read", false);
        check("fílés", false);
    }

    #[test]
    fn a_program_is_never_a_path() {
        let check =
            |text: &str, ok: bool| assert_eq!(ProgramName::parse(text).is_ok(), ok, "{text:?}");
        check("git", true);
        check("clang-19", true);
        check("g++", true);
        check("/bin/sh", false);
        check("../git", false);
        check("-rf", false);
        check("git status", false);
    }
}
