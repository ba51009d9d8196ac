//! The texts of settings files: `forge.toml` as a table, `.env` as variables. Not here: what they may
//! say.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use config::{FileFormat, Map, Source, Value};

use super::ConfigError;

/// The longest file that is read, in bytes: a folder may be a stranger's.
const MAX_BYTES: u64 = 1 << 20;

/// The text of the file at `path`, which messages call `shown`; `None` when there is none.
pub(super) fn text(path: &Path, shown: &str) -> Result<Option<String>, ConfigError> {
    let unusable = |problem: String| ConfigError::File {
        file: shown.to_owned(),
        problem,
        way_out: "make it a readable text file or take it away".to_owned(),
    };
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error.to_string())),
        // A virtual environment of Python's is often a folder of this name.
        Ok(found) if found.is_dir() => return Ok(None),
        // Opening a pipe would wait for whoever writes to it.
        Ok(found) if !found.is_file() => return Err(unusable("it is no file".to_owned())),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(|error| unusable(error.to_string()))?;
    let mut text = String::new();
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| unusable(error.to_string()))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unusable(format!("it is longer than {MAX_BYTES} bytes")));
    }
    Ok(Some(text))
}

/// `text` of the file `shown` as TOML.
pub(super) fn table(text: &str, shown: &str) -> Result<Map<String, Value>, ConfigError> {
    let parsed = config::File::from_str(text, FileFormat::Toml).collect();
    parsed.map_err(|error| {
        let told = match &error {
            config::ConfigError::FileParse { cause, .. } => cause.to_string(),
            other => other.to_string(),
        };
        // The lines between show the text of the file.
        let mut lines = told.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().unwrap_or_default();
        let last = lines.next_back().unwrap_or(first);
        let problem = match first.strip_prefix("TOML parse error at ") {
            Some(position) => format!("{position}: {last}"),
            None => last.to_owned(),
        };
        ConfigError::File {
            file: shown.to_owned(),
            problem,
            way_out: "write TOML, as in `max_steps = 3`".to_owned(),
        }
    })
}

/// `text` of the file `shown` as variables, in the order in which they are set.
pub(super) fn variables(text: &str, shown: &str) -> Result<Vec<(String, String)>, ConfigError> {
    // A mark at the beginning is no part of the first name.
    let text = text.trim_start_matches('\u{feff}');
    dotenvy::from_read_iter(text.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| ConfigError::File {
            file: shown.to_owned(),
            problem: line_of(&error, text),
            way_out: "write `NAME=value`, with quotes around a value that has spaces".to_owned(),
        })
}

fn line_of(error: &dotenvy::Error, text: &str) -> String {
    let dotenvy::Error::LineParse(wrong, _) = error else {
        return "it is no text".to_owned();
    };
    let wrong = wrong.lines().next().unwrap_or_default();
    let at = text.lines().position(|line| line.starts_with(wrong));
    format!("line {}", at.unwrap_or_default() + 1)
}
