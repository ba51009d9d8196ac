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
        Ok(Self::at(workspace::join(path.trim())?))
    }

    /// The place to read that a caller's `path` names: a file of the workspace, or `artifact:` and the name of
    /// a long output of this conversation, which the host keeps beside it.
    pub(crate) fn to_read(path: &str) -> Result<Self> {
        let Some(name) = path.trim().strip_prefix("artifact:") else {
            return Self::parse(path);
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name {
            return Err(Error::invalid_input(format!(
                "`artifact:{}` is no artifact: use a name as an answer gives it, such as `artifact:3fa2c19b04de`",
                on_one_line(name)
            )));
        }
        let place = Self {
            path: Path::new("/artifacts").join(name),
            shown: format!("artifact:{name}"),
        };
        if !place.path.exists() {
            return Err(Error::not_found(format!(
                "there is no `{}` in this conversation",
                place.shown
            )));
        }
        Ok(place)
    }

    /// The place of `path`, which lies in the workspace.
    pub(crate) fn at(path: PathBuf) -> Self {
        let shown = shown(&path);
        Self { path, shown }
    }

    /// Whether it is the workspace itself.
    pub(crate) fn is_root(&self) -> bool {
        self.path == workspace::root()
    }

    /// Its path relative to the workspace, for the host.
    pub(crate) fn relative(&self) -> String {
        let relative = self.path.strip_prefix(workspace::root());
        relative
            .unwrap_or(&self.path)
            .to_string_lossy()
            .into_owned()
    }

    /// Where this place, which lies in `from`, is when `from` is moved to `to`.
    pub(crate) fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        let below = self.path.strip_prefix(&from.path).ok()?;
        Some(Self::at(to.path.join(below)))
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

    /// Why `error` came of changing what is at this place, with the way out.
    pub(crate) fn explain_change(&self, error: &io::Error) -> Error {
        let shown = &self.shown;
        if let Some(file) = self.file_on_the_way() {
            return Error::invalid_input(format!(
                "`{file}` is a file: nothing can lie below it, so `{shown}` can't be there"
            ));
        }
        match error.kind() {
            io::ErrorKind::PermissionDenied if !self.leads_out() => Error::denied(format!(
                "`{shown}` may not be changed: the folder `.git` and Forge's own files, such as `forge.toml` and `.env`, are protected, and the operator may have narrowed the rest"
            )),
            io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound => self.explain(error),
            _ => Error::failed(format!("`{shown}` can't be changed: {error}")),
        }
    }

    /// Whether a link on the way is refused. One that stays inside may still lead to what is protected.
    fn leads_out(&self) -> bool {
        let refused = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        self.link().is_some() && fs::metadata(&self.path).is_err_and(refused)
    }

    /// The first file where a folder would have to be.
    fn file_on_the_way(&self) -> Option<String> {
        let above = self.path.ancestors().skip(1);
        let file = above
            .take_while(|path| path.starts_with(workspace::root()))
            .find(|path| path.is_file());
        file.map(shown)
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
