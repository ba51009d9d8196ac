//! The grant's path patterns, held against real paths.
//!
//! A guest's path is no evidence: a link inside the workspace may lead elsewhere in it. What is compared
//! is where the kernel says that an open file or folder lies.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use forge_contract::grant::Grant;
use wasmtime_wasi::filesystem::Descriptor;

use crate::workspace::Workspace;

/// Where in the workspace a call may open and change files.
pub(crate) struct Scope {
    /// `None` where the grant has no patterns: then nothing is looked up.
    narrowed: Option<Narrowed>,
}

struct Narrowed {
    grant: Grant,
    root: PathBuf,
}

impl Scope {
    pub(crate) fn everywhere() -> Self {
        Self { narrowed: None }
    }

    pub(crate) fn of(grant: &Grant, workspace: &Workspace) -> Self {
        let narrowed = (!grant.paths.is_empty()).then(|| Narrowed {
            grant: grant.clone(),
            root: workspace.root().to_owned(),
        });
        Self { narrowed }
    }

    /// Whether the patterns leave everything open.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.narrowed.is_none()
    }

    /// Whether the open file may be used. Folders may be looked at anywhere.
    pub(crate) fn covers(&self, opened: &Descriptor) -> bool {
        match (&self.narrowed, opened) {
            (None, _) | (_, Descriptor::Dir(_)) => true,
            (Some(narrowed), Descriptor::File(file)) => {
                real_path(&file.file).is_some_and(|path| narrowed.covers_path(&path))
            }
        }
    }

    /// Whether the entry `path` of `folder` may be made, changed or removed. The folder that holds it is
    /// resolved; the entry itself is never followed.
    pub(crate) fn covers_entry(&self, folder: &Descriptor, path: &str) -> bool {
        let Some(narrowed) = &self.narrowed else {
            return true;
        };
        let Descriptor::Dir(folder) = folder else {
            return false;
        };
        let resolved = real_path(&folder.dir).and_then(|folder| resolved_entry(&folder.join(path)));
        resolved.is_some_and(|path| narrowed.covers_path(&path))
    }
}

impl Narrowed {
    fn covers_path(&self, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        relative.is_some_and(|path| self.grant.covers_path(path))
    }
}

/// `path` with the folders on its way resolved and its last part as it is.
fn resolved_entry(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    Some(path.parent()?.canonicalize().ok()?.join(name))
}

/// Where the kernel says that an open file lies.
fn real_path(file: &File) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}
