//! What is looked for: a name or a text. Not here: where.

use forge_sdk::{Error, Result};
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};

/// Whether letters match their capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

impl Case {
    pub(super) fn of(case_sensitive: Option<bool>) -> Self {
        match case_sensitive {
            Some(true) => Self::Sensitive,
            _ => Self::Insensitive,
        }
    }
}

/// A name: a pattern if it holds one of `*?[{`, else a part of the name. With a `/` it is held against
/// the path relative to the workspace, else against the last part alone.
pub(super) struct Name {
    glob: GlobMatcher,
    is_of_path: bool,
}

impl Name {
    pub(super) fn parse(name: &str, case: Case) -> Result<Self> {
        let name = name.trim().trim_start_matches("./").trim_start_matches('/');
        let is_of_path = name.contains('/');
        let pattern = if name.contains(['*', '?', '[', '{']) {
            name.to_owned()
        } else if is_of_path {
            format!("**/*{}*", globset::escape(name))
        } else {
            format!("*{}*", globset::escape(name))
        };
        let glob = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .case_insensitive(case == Case::Insensitive)
            .build()
            .map_err(|error| {
                Error::invalid_input(format!(
                    "`name` is no pattern: {}; use one such as `*.py`",
                    error.kind()
                ))
            })?;
        Ok(Self {
            glob: glob.compile_matcher(),
            is_of_path,
        })
    }

    /// Whether a path relative to the workspace has this name.
    pub(super) fn matches(&self, path: &str) -> bool {
        let last = path.rsplit('/').next().unwrap_or(path);
        self.glob
            .is_match(if self.is_of_path { path } else { last })
    }
}

/// A text that stands within one line.
pub(super) struct Text(Regex);

impl Text {
    pub(super) fn literal(text: &str, case: Case) -> Result<Self> {
        if text.contains('\n') {
            return Err(Error::invalid_input(
                "`text` spans lines: search for a part of one line",
            ));
        }
        Self::regex(&regex::escape(text), case)
    }

    pub(super) fn regex(pattern: &str, case: Case) -> Result<Self> {
        // `^` and `$` must mean the same in a whole file as in one line of it.
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(case == Case::Insensitive)
            .multi_line(true)
            .crlf(true)
            .build();
        regex.map(Self).map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            Error::invalid_input(format!(
                "`text` is no regular expression: {}; leave out `regex` to search for it as it is",
                reason.trim_start_matches("error: ")
            ))
        })
    }

    /// The lines that hold it, with their numbers from 1.
    pub(super) fn lines_with_it<'a>(
        &'a self,
        bytes: &'a [u8],
    ) -> impl Iterator<Item = (usize, &'a [u8])> {
        // Most files do not hold it at all, and that is known much sooner from all of a file at once.
        let lines = if self.0.is_match(bytes) { bytes } else { &[] };
        lines
            .split(|byte| *byte == b'\n')
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .filter(|(_, line)| !line.is_empty() && self.0.is_match(line))
    }
}
