//! `search`: files by name, lines by text. The steps are in the modules below, in this order. Not here:
//! replacing anything.

use std::fs;
use std::path::Path;

use forge_sdk::{Error, Result, progress};

use crate::place::{Place, shown};

mod pattern;
mod walk;
mod report;

use pattern::{Name, Text};
use report::{Report, Room};

/// The largest file that is searched, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// How many first bytes decide whether a file is binary.
const HEAD_BYTES: usize = 8 * 1024;
/// How many results there are if nothing else is asked.
const DEFAULT_RESULTS: u32 = 100;
/// The most results that can be asked for.
const MAX_RESULTS: u32 = 1000;
/// How many files are searched between two steps of progress.
const FILES_PER_STEP: u64 = 500;

/// What to look for, and where. Give `name`, `text` or both.
#[forge_sdk::input]
#[derive(Default)]
pub(crate) struct Search {
    /// Names of files or folders: a part of the name, or a pattern such as `*.py` or `src/**/*.rs`.
    #[schemars(length(min = 1, max = 200))]
    name: Option<String>,
    /// Words that stand in a line of the file, exactly as written.
    #[schemars(length(min = 1, max = 400))]
    text: Option<String>,
    /// Whether `text` is a regular expression instead.
    regex: Option<bool>,
    /// The folder to search, relative to the workspace; without it all of the workspace.
    #[schemars(length(max = 400))]
    path: Option<String>,
    /// Whether `Name` differs from `name`; it does not without this.
    case_sensitive: Option<bool>,
    /// Whether hidden files are searched too.
    hidden: Option<bool>,
    /// How many results at most; 100 without it.
    #[schemars(range(min = 1, max = 1000))]
    max_results: Option<u32>,
}

pub(crate) fn search(input: Search) -> Result<String> {
    let case = pattern::Case::of(input.case_sensitive);
    let is_given = |text: &&str| !text.is_empty();
    let name = input.name.as_deref().filter(is_given);
    let name = name.map(|name| Name::parse(name, case)).transpose()?;
    let text = input.text.as_deref().filter(is_given);
    let text = match (text, input.regex) {
        (Some(text), Some(true)) => Some(Text::regex(text, case)?),
        (Some(text), _) => Some(Text::literal(text, case)?),
        (None, _) => None,
    };
    if name.is_none() && text.is_none() {
        return Err(Error::invalid_input("give `name`, `text` or both"));
    }
    let place = Place::parse(input.path.as_deref().unwrap_or_default())?;
    place.metadata()?;
    let hidden = walk::Hidden::of(input.hidden);
    let max_results = input
        .max_results
        .unwrap_or(DEFAULT_RESULTS)
        .clamp(1, MAX_RESULTS);
    let mut report = Report::new(max_results as usize);

    for entry in walk::walk(&place.path, hidden) {
        let Ok(entry) = entry else {
            report.unreadable += 1;
            continue;
        };
        let path = entry.path();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let shown = shown(path);
        let is_start_folder = entry.depth() == 0 && is_folder;
        let is_named = name.as_ref().is_none_or(|name| name.matches(&shown));
        let room = match &text {
            _ if is_start_folder || !is_named => Room::Left,
            None if is_folder => report.add(format!("{shown}/")),
            None => report.add(shown),
            Some(text) if is_file => search_file(path, &shown, text, &mut report),
            Some(_) => Room::Left,
        };
        if is_file {
            report.files += 1;
            if report.files.is_multiple_of(FILES_PER_STEP) {
                progress::step(format!("searched {} files", report.files));
            }
        }
        if room == Room::Full {
            break;
        }
    }
    Ok(report.render())
}

/// Adds a row for each line of the file that holds `text`.
fn search_file(path: &Path, shown: &str, text: &Text, report: &mut Report) -> Room {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        report.unreadable += 1;
        return Room::Left;
    };
    if metadata.len() > MAX_FILE_BYTES {
        report.large += 1;
        return Room::Left;
    }
    let Ok(bytes) = fs::read(path) else {
        report.unreadable += 1;
        return Room::Left;
    };
    if bytes[..bytes.len().min(HEAD_BYTES)].contains(&0) {
        report.binary += 1;
        return Room::Left;
    }
    for (number, line) in text.lines_with_it(&bytes) {
        if report.add(report::row(shown, number, line)) == Room::Full {
            return Room::Full;
        }
    }
    Room::Left
}

#[cfg(test)]
mod tests;
