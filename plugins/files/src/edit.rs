//! `edit`: one text of a file for another. Not here: what is said when it is not found ([`nearest`]).

use forge_sdk::{Error, Output, Result, json};

mod nearest;

use crate::fence;
use crate::place::Place;
use crate::seen::{self, Fingerprint};
use crate::standing::{self, Standing};
use nearest::hint;

/// The largest file that is edited, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// How many matches are named by their lines.
const NAMED_MATCHES: usize = 20;

/// Which file, and what becomes what.
#[forge_sdk::input]
pub(crate) struct Edit {
    /// The file, relative to the workspace.
    #[schemars(length(max = 400))]
    path: String,
    /// Text that stands in the file exactly once.
    find: String,
    /// What stands there instead; without it the text is deleted.
    replace: Option<String>,
    /// Replaces every match.
    all: Option<bool>,
    /// Changes a file that changed since it was read.
    even_if_changed: Option<bool>,
}

pub(crate) fn edit(input: Edit) -> Result<Output> {
    let place = Place::parse(&input.path)?;
    let shown = &place.shown;
    if input.find.is_empty() {
        return Err(Error::invalid_input(
            "`find` is empty: give the text that shall be replaced",
        ));
    }
    let before = Standing::at(&place)?;
    let now = before.fingerprint();
    let old = before.text(&place)?;
    if old.len() > MAX_BYTES {
        return Err(Error::invalid_input(format!(
            "`{shown}` has {} bytes, more than {MAX_BYTES}: use `patch`",
            old.len()
        )));
    }
    seen::check(&place, now.as_ref(), input.even_if_changed)?;
    let wanted = Replacement {
        find: input.find,
        replace: input.replace.unwrap_or_default(),
    }
    .fitted_to(&old);
    let lines = wanted.lines(&old);
    let count = lines.len();
    if count == 0 {
        return Err(Error::invalid_input(format!(
            "`{shown}` does not hold {}",
            hint(&old, &wanted.find)
        )));
    }
    if count > 1 && input.all != Some(true) {
        return Err(Error::invalid_input(format!(
            "`find` stands {count} times in `{shown}`, on lines {}: give more of the text around the one that is meant, or say `all`",
            listed(&lines)
        ))
        .with_details(json!({ "matches": count })));
    }
    let new = old.replace(&wanted.find, &wanted.replace);
    let (change, report, version) = if new == old {
        let report = format!("`{shown}` is unchanged: `replace` is the same as `find`");
        ("unchanged", report, Fingerprint::of(old.as_bytes()))
    } else {
        let version = standing::write(&place, &new)?;
        let times = if count == 1 { "place" } else { "places" };
        let diff = fence::diff(shown, Some(&old), Some(&new));
        let report = format!("changed `{shown}` in {count} {times}\n{diff}");
        ("replaced", report, version)
    };
    Ok(Output::text(report).with_structured(json!({
        "path": shown,
        "change": change,
        "replacements": count,
        "bytes": new.len(),
        "fingerprint": version.as_str(),
    })))
}

struct Replacement {
    find: String,
    replace: String,
}

impl Replacement {
    /// With the line endings of `text`, where models write `\n` whatever the file has.
    fn fitted_to(self, text: &str) -> Self {
        let breaks = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        let is_crlf = crlf > 0 && crlf == breaks;
        if is_crlf {
            return self.map(with_crlf);
        }
        if text.contains(&self.find) {
            return self;
        }
        if text.contains(&with_lf(&self.find)) {
            return self.map(with_lf);
        }
        if text.contains(&with_crlf(&self.find)) {
            return self.map(with_crlf);
        }
        self
    }

    fn map(self, ending: fn(&str) -> String) -> Self {
        Self {
            find: ending(&self.find),
            replace: ending(&self.replace),
        }
    }

    /// The line of each match, counted from 1.
    fn lines(&self, text: &str) -> Vec<usize> {
        let mut lines = Vec::new();
        let (mut line, mut from) = (1, 0);
        for (at, _) in text.match_indices(&self.find) {
            line += text[from..at].matches('\n').count();
            from = at;
            lines.push(line);
        }
        lines
    }
}

fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn with_crlf(text: &str) -> String {
    with_lf(text).replace('\n', "\r\n")
}

fn listed(lines: &[usize]) -> String {
    let named: Vec<String> = lines
        .iter()
        .take(NAMED_MATCHES)
        .map(ToString::to_string)
        .collect();
    let more = if lines.len() > NAMED_MATCHES {
        " …"
    } else {
        ""
    };
    format!("{}{more}", named.join(", "))
}

#[cfg(test)]
mod tests;
