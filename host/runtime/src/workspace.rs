//! The folder that tools work in, opened once for both kinds of access.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_contract::requirements::Access;
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{FsPerms, WasiCtx};

/// Where a guest finds the workspace.
pub(crate) const GUEST_PATH: &str = "/workspace";
/// Where it finds what earlier calls of the conversation answered at length.
const ARTIFACTS_PATH: &str = "/artifacts";

/// A folder that calls may be given.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
    read_only: WasiFilesystemCtx,
    read_write: WasiFilesystemCtx,
    protected: Arc<Protected>,
    /// The folder itself, so that it can be opened once more.
    handle: Arc<File>,
    artifacts: Option<PathBuf>,
}

/// What no call may change, whatever it is granted.
#[derive(Debug, Default)]
pub(crate) struct Protected {
    names: Vec<String>,
    paths: Vec<PathBuf>,
}

impl Workspace {
    /// Opens `folder`. The handle stays with this very folder, even if it is moved.
    ///
    /// # Errors
    /// When it is no folder or can't be opened.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        let root = folder.canonicalize()?;
        Ok(Self {
            read_only: open(&root, None, FsPerms::ReadOnly)?,
            read_write: open(&root, None, FsPerms::ReadWrite)?,
            handle: Arc::new(File::open(&root)?),
            root,
            protected: Arc::default(),
            artifacts: None,
        })
    }

    /// The same folder with a second one beside it, which calls find at `/artifacts` and can only read.
    ///
    /// # Errors
    /// When it is no folder or can't be opened.
    pub fn with_artifacts(&self, folder: &Path) -> std::io::Result<Self> {
        // By its handle: the path may lead elsewhere by now.
        let same = PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()));
        Ok(Self {
            read_only: open(&same, Some(folder), FsPerms::ReadOnly)?,
            read_write: open(&same, Some(folder), FsPerms::ReadWrite)?,
            artifacts: Some(folder.canonicalize()?),
            ..self.clone()
        })
    }

    /// With entries that no call may change, whatever it is granted: everything that is called one of
    /// `names` (in capitals or not) and what lies in it, wherever it is, and everything at or under one of
    /// `paths`. They can still be read.
    #[must_use]
    pub fn protecting(self, names: &[&str], paths: &[PathBuf]) -> Self {
        let resolved = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        Self {
            protected: Arc::new(Protected {
                names: names.iter().map(|&name| name.to_owned()).collect(),
                paths: paths.iter().map(resolved).collect(),
            }),
            ..self
        }
    }

    /// The folder, links resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn opened(&self, access: Access) -> WasiFilesystemCtx {
        match access {
            Access::Read => self.read_only.clone(),
            Access::Write => self.read_write.clone(),
        }
    }

    /// The folder of artifacts, links resolved.
    pub(crate) fn artifacts(&self) -> Option<&Path> {
        self.artifacts.as_deref()
    }

    pub(crate) fn protected(&self) -> &Arc<Protected> {
        &self.protected
    }
}

/// Opens `folder` as the workspace, and `artifacts` beside it.
fn open(
    folder: &Path,
    artifacts: Option<&Path>,
    perms: FsPerms,
) -> std::io::Result<WasiFilesystemCtx> {
    let mut wasi = WasiCtx::builder();
    // The handle remembers this setting: it must be made before the folder is opened.
    wasi.allow_blocking_current_thread(true);
    wasi.preopened_dir(folder, GUEST_PATH, perms)
        .map_err(std::io::Error::other)?;
    if let Some(artifacts) = artifacts {
        wasi.preopened_dir(artifacts, ARTIFACTS_PATH, FsPerms::ReadOnly)
            .map_err(std::io::Error::other)?;
    }
    Ok(wasi.build().filesystem().clone())
}

impl Protected {
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }

    /// Whether `path`, links resolved, may not be changed in the workspace at `root`.
    pub(crate) fn covers(&self, root: &Path, path: &Path) -> bool {
        let mut parts = path.strip_prefix(root).unwrap_or(path).components();
        let is_named = parts.any(|part| {
            let part = part.as_os_str();
            self.names
                .iter()
                .any(|name| part.eq_ignore_ascii_case(name))
        });
        // Neither what is protected nor a folder that holds it: moving that would move it too.
        let is_at =
            |protected: &PathBuf| path.starts_with(protected) || protected.starts_with(path);
        is_named || self.paths.iter().any(is_at)
    }
}
