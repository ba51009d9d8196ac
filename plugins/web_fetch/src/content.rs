//! What kind of content came, and its text.

use forge_sdk::{Error, Result};
use mime::Mime;

use crate::fetch::Fetched;
use crate::{charset, page};

/// What stands for a page without any text.
pub(crate) const EMPTY: &str = "[the page holds no text]";
const EMPTY_SHELL: &str = "[the page holds no text of its own: a script draws it in a browser, and no script is run here]";
/// How much of the body of an error is told, in characters.
const EXCERPT_CHARS: usize = 200;

/// Where a byte that no text holds is looked for.
const SNIFFED_BYTES: usize = 1024;

enum Form {
    Html,
    /// Text that is shown as it is.
    Plain,
}

/// The text of what was fetched, HTML as Markdown.
pub(crate) fn text(fetched: &Fetched) -> Result<String> {
    let media = media(fetched);
    let form = form(fetched, media.as_ref())?;
    let decoded = charset::decode(&fetched.body, media.as_ref());
    let text = match form {
        Form::Plain => decoded,
        Form::Html => match page::markdown(&decoded, &fetched.url) {
            text if text.is_empty() && page::has_script(&decoded) => {
                return Ok(EMPTY_SHELL.to_owned());
            }
            text => text,
        },
    };
    if text.trim().is_empty() {
        return Ok(EMPTY.to_owned());
    }
    Ok(text)
}

/// The beginning of what was fetched, in one line, if it is text.
pub(crate) fn excerpt(fetched: &Fetched) -> Option<String> {
    let text = text(fetched).ok()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(EXCERPT_CHARS).collect();
    (!line.is_empty() && !line.starts_with('[')).then_some(line)
}

fn media(fetched: &Fetched) -> Option<Mime> {
    fetched.content_type.as_ref()?.parse().ok()
}

fn form(fetched: &Fetched, media: Option<&Mime>) -> Result<Form> {
    let Some(media) = media else {
        let told = fetched.content_type.as_deref().unwrap_or("nothing");
        return Err(refused(
            fetched,
            &format!("its server says `{told}` of what it is"),
        ));
    };
    let subtype = media.subtype().as_str();
    let suffix = media.suffix().map_or("", |suffix| suffix.as_str());
    // A type is sometimes set without looking at the file. Words alone can look like the beginning of one.
    if fetched
        .body
        .iter()
        .take(SNIFFED_BYTES)
        .any(|byte| *byte == 0)
        && let Some(found) = infer::get(&fetched.body)
        && !found.mime_type().starts_with("text/")
    {
        return Err(refused(
            fetched,
            &format!("it is binary ({})", found.mime_type()),
        ));
    }
    match (media.type_().as_str(), subtype) {
        ("text", "html") | ("application", "xhtml") => Ok(Form::Html),
        ("text", _)
        | ("application", "json" | "xml" | "javascript" | "yaml" | "toml" | "x-ndjson") => {
            Ok(Form::Plain)
        }
        _ if matches!(suffix, "json" | "xml" | "yaml") => Ok(Form::Plain),
        ("application", "pdf") => Err(refused(fetched, "it is a PDF")),
        ("image", _) => Err(refused(fetched, &format!("it is a picture ({media})"))),
        _ => Err(refused(fetched, &format!("it is binary (`{media}`)"))),
    }
}

fn refused(fetched: &Fetched, what: &str) -> Error {
    let (url, bytes) = (&fetched.url, fetched.body.len());
    let more = if fetched.was_cut { " or more" } else { "" };
    Error::invalid_input(format!(
        "`{url}` can't be read as text: {what}, {bytes} bytes{more}; only pages, text and JSON can"
    ))
}
