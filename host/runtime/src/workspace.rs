//! The folder that tools work in, opened once for both kinds of access.

use std::path::{Path, PathBuf};

use forge_contract::requirements::Access;
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{FsPerms, WasiCtx};

/// Where a guest finds the workspace.
pub(crate) const GUEST_PATH: &str = "/workspace";

/// A folder that calls may be given.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
    read_only: WasiFilesystemCtx,
    read_write: WasiFilesystemCtx,
}

impl Workspace {
    /// Opens `folder`. The handle stays with this very folder, even if it is moved.
    ///
    /// # Errors
    /// When it is no folder or can't be opened.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        let root = folder.canonicalize()?;
        let open = |perms| {
            let mut wasi = WasiCtx::builder();
            // The handle remembers this setting: it must be made before the folder is opened.
            wasi.allow_blocking_current_thread(true);
            wasi.preopened_dir(&root, GUEST_PATH, perms)
                .map_err(std::io::Error::other)?;
            Ok::<_, std::io::Error>(wasi.build().filesystem().clone())
        };
        Ok(Self {
            read_only: open(FsPerms::ReadOnly)?,
            read_write: open(FsPerms::ReadWrite)?,
            root,
        })
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
}
