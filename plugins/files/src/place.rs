//! A place in the workspace, and what is said when it can't be used. Not here: what is done there.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use forge_sdk::{Error, Result, workspace};

/// How many names of a folder are compared with a missing one.
const COMPARED_NAMES: usize = 1000;
/// How many names are suggested for a missing one.
const SUGGESTED_NAMES: usize = 3;
/// How alike a suggested name must be; 1 is equal.
const ALIKE: f64 = 0.6;

/// A place in the workspace.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where it is, for `std::fs`.
    pub(crate) path: PathBuf,
    /// Its path relative to the workspace, for people; `.` is the workspace itself.
    pub(crate) shown: String,
}

impl Place {
    /// The place that a caller's `path` names.
    pub(crate) fn parse(path: &str) -> Result<Self> {
        let path = workspace::join(path.trim())?;
        let shown = shown(&path);
        Ok(Self { path, shown })
    }

    /// What is there; links are followed.
    pub(crate) fn metadata(&self) -> Result<Metadata> {
        fs::metadata(&self.path).map_err(|error| self.explain(&error))
    }

    /// Why `error` came of opening this place, with the way out.
    pub(crate) fn explain(&self, error: &io::Error) -> Error {
        let shown = &self.shown;
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => self.missing(),
            io::ErrorKind::PermissionDenied => match self.link() {
                Some(link) => Error::denied(format!(
                    "`{link}` is a link that leads out of the workspace: only what lies inside can be opened"
                )),
                None => Error::denied(format!("`{shown}` may not be opened")),
            },
            _ => Error::failed(format!("`{shown}` can't be opened: {error}")),
        }
    }

    fn missing(&self) -> Error {
        let name = &self.shown;
        if self.path == workspace::root() {
            return Error::unavailable("the workspace is not there");
        }
        if let Some(link) = self.link() {
            return Error::not_found(format!("`{link}` is a link to what does not exist"));
        }
        let folder = self.path.parent().filter(|folder| folder.is_dir());
        let Some(folder) = folder else {
            return Error::not_found(format!("`{name}` does not exist, nor does its folder"));
        };
        let names = near_names(folder, &self.path);
        let hint = if names.is_empty() {
            format!("see what `list` shows for `{}`", shown(folder))
        } else {
            format!("did you mean {}?", names.join(", "))
        };
        Error::not_found(format!("`{name}` does not exist: {hint}"))
    }

    /// The first link on the way here, as shown to people.
    fn link(&self) -> Option<String> {
        let root = workspace::root();
        let on_the_way: Vec<&Path> = self
            .path
            .ancestors()
            .take_while(|path| *path != root)
            .collect();
        let link = on_the_way.into_iter().rev().find(|path| path.is_symlink());
        link.map(shown)
    }
}

/// `path` relative to the workspace, on one line.
pub(crate) fn shown(path: &Path) -> String {
    let relative = path.strip_prefix(workspace::root()).unwrap_or(path);
    if relative.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        on_one_line(&relative.to_string_lossy())
    }
}

/// A file's name may hold a line break, and would look like two rows.
pub(crate) fn on_one_line(name: &str) -> String {
    if name.chars().any(char::is_control) {
        name.escape_debug().to_string()
    } else {
        name.to_owned()
    }
}

fn near_names(folder: &Path, wanted: &Path) -> Vec<String> {
    let name_of = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().to_lowercase()
    };
    let wanted = name_of(wanted);
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut alike: Vec<(f64, String)> = entries
        .take(COMPARED_NAMES)
        .flatten()
        .map(|entry| entry.path())
        .map(|path| {
            let likeness = strsim::normalized_damerau_levenshtein(&wanted, &name_of(&path));
            (likeness, format!("`{}`", shown(&path)))
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|(a, a_name), (b, b_name)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    alike
        .into_iter()
        .take(SUGGESTED_NAMES)
        .map(|(_, name)| name)
        .collect()
}

#[cfg(test)]
mod tests;
