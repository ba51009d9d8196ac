//! Where a call may open and change files: the grant's path patterns, what is protected from every
//! change, and links that would lead outside.
//!
//! A guest's path is no evidence: a link inside the workspace may lead elsewhere in it. What is compared
//! is where the kernel says that an open file or folder lies.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use forge_contract::grant::Grant;
use rustix::fs::{AtFlags, FileType, statat};
use wasmtime_wasi::filesystem::Descriptor;

use crate::workspace::{Protected, Workspace};

/// Where in the workspace a call may open and change files.
pub(crate) struct Scope {
    root: PathBuf,
    /// What lies here may be read whatever the patterns say: it is no part of the workspace.
    artifacts: Option<PathBuf>,
    /// `None` where the grant has no patterns: then nothing is looked up for reading.
    narrowed: Option<Grant>,
    protected: Arc<Protected>,
}

impl Scope {
    /// For a call without a workspace.
    pub(crate) fn nowhere() -> Self {
        Self {
            root: PathBuf::new(),
            artifacts: None,
            narrowed: None,
            protected: Arc::default(),
        }
    }

    pub(crate) fn of(grant: &Grant, workspace: &Workspace) -> Self {
        Self {
            root: workspace.root().to_owned(),
            artifacts: workspace.artifacts().map(Path::to_owned),
            narrowed: (!grant.paths.is_empty()).then(|| grant.clone()),
            protected: workspace.protected().clone(),
        }
    }

    /// The workspace's folder, links resolved.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether everything may be changed: there are no patterns and nothing is protected.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.narrowed.is_none() && self.protected.is_empty()
    }

    /// Whether the open file may be used. Folders may be looked at anywhere.
    pub(crate) fn covers(&self, opened: &Descriptor) -> bool {
        match (&self.narrowed, opened) {
            (None, _) | (_, Descriptor::Dir(_)) => true,
            (Some(grant), Descriptor::File(file)) => {
                let is_covered =
                    |path: PathBuf| self.is_artifact(&path) || self.matches(grant, &path);
                real_path(&file.file).is_some_and(is_covered)
            }
        }
    }

    /// Whether the entry `name` of `folder` may be made, changed or removed. The entry itself is never
    /// followed.
    pub(crate) fn covers_entry(&self, folder: &Descriptor, name: &str) -> bool {
        let Descriptor::Dir(folder) = folder else {
            return false;
        };
        real_path(&folder.dir).is_some_and(|folder| self.lets_change(&folder.join(name)))
    }

    /// Whether the open file or folder itself may be changed.
    pub(crate) fn covers_change(&self, opened: &Descriptor) -> bool {
        let opened = match opened {
            Descriptor::Dir(folder) => &folder.dir,
            Descriptor::File(file) => &file.file,
        };
        self.is_everywhere() || real_path(opened).is_some_and(|path| self.lets_change(&path))
    }

    /// Whether a symbolic link in `folder` itself with this `target` would stay in the workspace. The sandbox
    /// would not follow one that does not, but other programs on this machine would.
    pub(crate) fn keeps_link(&self, folder: &Descriptor, target: &str) -> bool {
        let Descriptor::Dir(folder) = folder else {
            return false;
        };
        let depth = real_path(&folder.dir)
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

    fn lets_change(&self, path: &Path) -> bool {
        let is_matched = |grant: &Grant| self.matches(grant, path);
        !self.protected.covers(&self.root, path) && self.narrowed.as_ref().is_none_or(is_matched)
    }

    fn is_artifact(&self, path: &Path) -> bool {
        let artifacts = self.artifacts.as_ref();
        artifacts.is_some_and(|artifacts| path.starts_with(artifacts))
    }

    fn matches(&self, grant: &Grant, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
        relative.is_some_and(|path| grant.covers_path(path))
    }
}

/// Whether `path` of `folder` is a pipe, a socket or a device.
pub(super) fn is_special(folder: &File, path: &str) -> bool {
    let is_special = |kind| {
        !matches!(
            kind,
            FileType::RegularFile | FileType::Directory | FileType::Symlink
        )
    };
    statat(folder, path, AtFlags::empty())
        .is_ok_and(|stat| is_special(FileType::from_raw_mode(stat.st_mode)))
}

/// Where the kernel says that an open file lies.
pub(super) fn real_path(file: &File) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}
