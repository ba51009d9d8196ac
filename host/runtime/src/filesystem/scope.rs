//! The grant's path patterns, held against real paths, and links that would lead outside.
//!
//! A guest's path is no evidence: a link inside the workspace may lead elsewhere in it. What is compared
//! is where the kernel says that an open file or folder lies.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Component, Path, PathBuf};

use forge_contract::grant::Grant;
use wasmtime_wasi::filesystem::Descriptor;

use crate::workspace::Workspace;

/// Where in the workspace a call may open and change files.
pub(crate) struct Scope {
    root: PathBuf,
    /// `None` where the grant has no patterns: then nothing is looked up.
    narrowed: Option<Grant>,
}

impl Scope {
    /// For a call without a workspace.
    pub(crate) fn nowhere() -> Self {
        Self {
            root: PathBuf::new(),
            narrowed: None,
        }
    }

    pub(crate) fn of(grant: &Grant, workspace: &Workspace) -> Self {
        Self {
            root: workspace.root().to_owned(),
            narrowed: (!grant.paths.is_empty()).then(|| grant.clone()),
        }
    }

    /// Whether the patterns leave everything open.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.narrowed.is_none()
    }

    /// Whether the open file may be used. Folders may be looked at anywhere.
    pub(crate) fn covers(&self, opened: &Descriptor) -> bool {
        match (&self.narrowed, opened) {
            (None, _) | (_, Descriptor::Dir(_)) => true,
            (Some(grant), Descriptor::File(file)) => {
                real_path(&file.file).is_some_and(|path| self.covers_path(grant, &path))
            }
        }
    }

    /// Whether the entry `path` of `folder` may be made, changed or removed. The folder that holds it is
    /// resolved; the entry itself is never followed.
    pub(crate) fn covers_entry(&self, folder: &Descriptor, path: &str) -> bool {
        let Some(grant) = &self.narrowed else {
            return true;
        };
        let entry = resolved_folder(folder, path).zip(Path::new(path).file_name());
        entry.is_some_and(|(folder, name)| self.covers_path(grant, &folder.join(name)))
    }

    /// Whether a symbolic link at `path` of `folder` with this `target` would stay in the workspace. The
    /// sandbox would not follow one that does not, but other programs on this machine would.
    pub(crate) fn keeps_link(&self, folder: &Descriptor, path: &str, target: &str) -> bool {
        let depth = resolved_folder(folder, path)
            .and_then(|folder| Some(folder.strip_prefix(&self.root).ok()?.components().count()));
        let ups = |component: &Component<'_>| matches!(component, Component::ParentDir);
        let mut components = Path::new(target).components().peekable();
        let mut climbed = 0;
        while components.next_if(ups).is_some() {
            climbed += 1;
        }
        // A `..` after a name could climb from wherever that name leads.
        let goes_down = components
            .all(|component| matches!(component, Component::Normal(_) | Component::CurDir));
        goes_down && depth.is_some_and(|depth| climbed <= depth)
    }

    fn covers_path(&self, grant: &Grant, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        relative.is_some_and(|path| grant.covers_path(path))
    }
}

/// The folder that holds the entry `path` of `folder`, with every link on the way resolved.
fn resolved_folder(folder: &Descriptor, path: &str) -> Option<PathBuf> {
    let Descriptor::Dir(folder) = folder else {
        return None;
    };
    let parent = Path::new(path).parent()?;
    real_path(&folder.dir)?.join(parent).canonicalize().ok()
}

/// Where the kernel says that an open file lies.
fn real_path(file: &File) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}
