//! The texts of settings files: `forge.toml` as a table, `.env` as variables. Not here: what they may
//! say.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use config::{FileFormat, Map, Source, Value};

use super::ConfigError;

/// The longest file that is read, in bytes. A folder may be a stranger's.
const MAX_BYTES: u64 = 1 << 20;

/// The text of the file at `path`; `None` when there is none.
pub(super) fn text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |problem: String| ConfigError::Unreadable {
        file: path.display().to_string(),
        problem,
    };
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
        // Opening a pipe would wait for whoever writes to it.
        Ok(found) if !found.is_file() => return Err(unreadable("it is no file".to_owned())),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let mut text = String::new();
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unreadable(format!("it is longer than {MAX_BYTES} bytes")));
    }
    Ok(Some(text))
}

/// `text` of the file `path` as TOML.
pub(super) fn table(path: &Path, text: &str) -> Result<Map<String, Value>, ConfigError> {
    let parsed = config::File::from_str(text, FileFormat::Toml).collect();
    parsed.map_err(|error| {
        let told = match &error {
            config::ConfigError::FileParse { cause, .. } => cause.to_string(),
            other => other.to_string(),
        };
        // The lines between show the text of the file.
        let mut lines = told.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().unwrap_or_default();
        let last = lines.next_back();
        let position = first.strip_prefix("TOML parse error").unwrap_or_default();
        ConfigError::Syntax {
            file: path.display().to_string(),
            position: position.to_owned(),
            problem: last.unwrap_or(first).to_owned(),
        }
    })
}

/// `text` of the file `path` as variables, in the order in which they are set.
pub(super) fn variables(path: &Path, text: &str) -> Result<Vec<(String, String)>, ConfigError> {
    // A mark at the beginning is no part of the first name.
    let text = text.trim_start_matches('\u{feff}');
    dotenvy::from_read_iter(text.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| ConfigError::Syntax {
            file: path.display().to_string(),
            position: line_of(&error, text),
            problem: "write `NAME=value`, with quotes around a value that has spaces".to_owned(),
        })
}

fn line_of(error: &dotenvy::Error, text: &str) -> String {
    let dotenvy::Error::LineParse(wrong, _) = error else {
        return String::new();
    };
    let wrong = wrong.lines().next().unwrap_or_default();
    let is_it = |line: &str| line.starts_with(wrong);
    text.lines()
        .position(is_it)
        .map_or_else(String::new, |index| format!(" at line {}", index + 1))
}
