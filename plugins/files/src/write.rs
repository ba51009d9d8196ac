//! `write`: a whole file, new or over an old one. Not here: changes of a part ([`mod@crate::edit`],
//! [`mod@crate::patch`]).

use forge_sdk::{Error, Output, Result, json};

use crate::fence;
use crate::place::Place;
use crate::seen;
use crate::standing::{self, Standing};

/// The longest text that is written, in bytes: `read` reads as much whole.
const MAX_BYTES: usize = 64 * 1024;

/// Which file, and its new text.
#[forge_sdk::input]
pub(crate) struct Write {
    /// The file, relative to the workspace.
    #[schemars(length(max = 400))]
    path: String,
    /// Its whole text.
    content: String,
    /// Says that an empty file is meant.
    empty: Option<bool>,
    /// Replaces a file that is no text.
    replace_binary: Option<bool>,
    /// Replaces a file that changed since it was read.
    even_if_changed: Option<bool>,
}

pub(crate) fn write(input: Write) -> Result<Output> {
    let place = Place::parse(&input.path)?;
    let (shown, text) = (&place.shown, input.content.as_str());
    if text.len() > MAX_BYTES {
        return Err(Error::invalid_input(format!(
            "`content` has {} bytes, more than {MAX_BYTES}: write a first part, and add to it with `edit` or `patch`",
            text.len()
        )));
    }
    let before = Standing::at(&place)?;
    if text.is_empty() && input.empty != Some(true) {
        return Err(Error::invalid_input(format!(
            "`content` is empty: say `empty` if `{shown}` shall be an empty file"
        )));
    }
    if !text.is_empty() && input.empty == Some(true) {
        return Err(Error::invalid_input(
            "`empty` is said, but `content` holds text: leave out one of them",
        ));
    }
    seen::check(&place, before.fingerprint().as_ref(), input.even_if_changed)?;
    let bytes = text.len();
    let (change, report) = match &before {
        Standing::Nothing if text.is_empty() => ("created", format!("created `{shown}`, empty")),
        Standing::Nothing => {
            let echo = fence::content(shown, text);
            (
                "created",
                format!("created `{shown}` ({bytes} bytes)\n{echo}"),
            )
        }
        Standing::Text(old) if old == text => (
            "unchanged",
            format!("`{shown}` is unchanged: this is its text already"),
        ),
        Standing::Text(old) => {
            let diff = fence::diff(shown, Some(old), Some(text));
            (
                "replaced",
                format!("replaced `{shown}` ({bytes} bytes)\n{diff}"),
            )
        }
        Standing::Binary(old) => {
            if input.replace_binary != Some(true) {
                return Err(Error::invalid_input(format!(
                    "`{shown}` is no text in UTF-8 ({} bytes): say `replace_binary` to replace it",
                    old.len()
                )));
            }
            let note = format!("its {} bytes were no text, so there is no diff", old.len());
            (
                "replaced",
                format!("replaced `{shown}` ({bytes} bytes): {note}"),
            )
        }
        Standing::Large(old) => (
            "replaced",
            format!("replaced `{shown}` ({bytes} bytes): it had {old} bytes, too many for a diff"),
        ),
    };
    let version = if change == "unchanged" {
        let version = seen::Fingerprint::of(text.as_bytes());
        seen::note(&place, &version);
        version
    } else {
        standing::write(&place, text)?
    };
    Ok(Output::text(report).with_structured(json!({
        "path": shown,
        "change": change,
        "bytes": bytes,
        "fingerprint": version.as_str(),
    })))
}

#[cfg(test)]
mod tests;
