//! `list`: what a folder holds, hidden entries too. Not here: ignore files, which hide things from
//! `search` alone.

use std::fs;
use std::path::{Path, PathBuf};

use forge_sdk::{Error, Result};

use crate::place::{Place, on_one_line};

/// The most rows of an answer.
const MAX_ROWS: usize = 1000;
/// The most levels of folders.
const MAX_DEPTH: u32 = 5;

/// Which folder, and how deep.
#[forge_sdk::input]
pub(crate) struct List {
    /// The folder, relative to the workspace; without it the workspace itself.
    #[schemars(length(max = 400))]
    path: Option<String>,
    /// How many levels of folders; 1 without it.
    #[schemars(range(min = 1, max = 5))]
    depth: Option<u32>,
}

pub(crate) fn list(input: List) -> Result<String> {
    let place = Place::parse(input.path.as_deref().unwrap_or_default())?;
    if !place.metadata()?.is_dir() {
        return Err(Error::invalid_input(format!(
            "`{}` is a file: use `read`",
            place.shown
        )));
    }
    let depth = input.depth.unwrap_or(1).clamp(1, MAX_DEPTH);
    let mut rows = Rows::default();
    let entries = entries(&place.path).map_err(|error| place.explain(&error))?;
    rows.add(entries, "", depth);
    Ok(rows.render())
}

#[derive(Default)]
struct Rows {
    rows: Vec<String>,
    are_cut: bool,
}

struct Entry {
    path: PathBuf,
    name: String,
    kind: Kind,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Folder,
    /// Listed as the folder that it leads to, and never entered: it may lead to itself.
    LinkToFolder,
    File,
}

impl Rows {
    /// Adds a row for each entry, and below a folder's row its own entries while `depth` lasts.
    fn add(&mut self, entries: Vec<Entry>, above: &str, depth: u32) {
        for Entry { path, name, kind } in entries {
            if self.rows.len() == MAX_ROWS {
                self.are_cut = true;
                return;
            }
            let mark = if kind == Kind::File { ' ' } else { '/' };
            self.rows.push(format!("{mark} {above}{name}"));
            if kind != Kind::Folder || depth == 1 {
                continue;
            }
            match self::entries(&path) {
                Ok(below) => self.add(below, &format!("{above}{name}/"), depth - 1),
                Err(error) => self
                    .rows
                    .push(format!("  [`{above}{name}` can't be listed: {error}]")),
            }
        }
    }

    fn render(self) -> String {
        let Self { mut rows, are_cut } = self;
        if rows.is_empty() {
            return "(empty directory)".to_owned();
        }
        if are_cut {
            rows.push(format!(
                "[there are more: only {MAX_ROWS} are shown; list one folder or use `search`]"
            ));
        }
        rows.join("\n")
    }
}

/// What `folder` holds: folders first, then files, each by name.
fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() && path.is_dir() => Kind::LinkToFolder,
            _ => Kind::File,
        };
        let name = on_one_line(&entry.file_name().to_string_lossy());
        entries.push(Entry { path, name, kind });
    }
    entries.sort_by(|a, b| {
        let is_file = |entry: &Entry| entry.kind == Kind::File;
        is_file(a)
            .cmp(&is_file(b))
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(entries)
}

#[cfg(test)]
mod tests;
