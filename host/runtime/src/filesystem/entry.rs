//! What a change is about: an entry of a folder that is held open, so that what was checked is what is
//! changed. Not here: the change itself.
//!
//! Where a path leads can change between a look and a deed. So the folder is opened first, the kernel says
//! where it really lies, and the deed then names one entry of this very folder.

use std::path::Path;

use forge_contract::effect::FileAction;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use super::{Filesystem, error_name};

/// An entry that may be changed. It is handed back to [`Filesystem::settle`].
pub(super) struct Entry {
    action: FileAction,
    guest_path: String,
    folder: Resource<Descriptor>,
    /// Whether the folder was opened for this.
    is_own: bool,
    name: String,
}

impl Entry {
    /// The folder that holds it.
    pub(super) fn folder(&self) -> Resource<Descriptor> {
        Resource::new_borrow(self.folder.rep())
    }

    /// Its name there.
    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    /// The guest's own name for it.
    pub(super) fn guest_path(&self) -> &str {
        &self.guest_path
    }
}

impl Filesystem<'_> {
    /// The entry `path` of the folder `fd`, if it may be changed: the change can be noted, and the call's
    /// scope covers it. A refusal is noted here.
    pub(super) async fn entry(
        &mut self,
        action: FileAction,
        fd: &Resource<Descriptor>,
        path: &str,
    ) -> FsResult<Entry> {
        self.recorder.before_change().map_err(FsError::trap)?;
        let guest_path = self.guest_path(fd, path);
        match self.opened_entry(action, fd, path, &guest_path).await {
            Ok(entry) => Ok(entry),
            Err(error) => self.note(action, &guest_path, None, Err(error)),
        }
    }

    /// Notes what came of a change of `entry` and lets its folder go.
    pub(super) fn settle<T>(
        &mut self,
        entry: Entry,
        to: Option<String>,
        result: FsResult<T>,
    ) -> FsResult<T> {
        let error = error_name(&result);
        let Entry {
            action, guest_path, ..
        } = self.let_go(entry)?;
        self.recorder.changed(action, guest_path, to, error);
        result
    }

    /// Lets the folder of `entry` go. Nothing is noted.
    pub(super) fn let_go(&mut self, mut entry: Entry) -> FsResult<Entry> {
        if entry.is_own {
            let borrowed = entry.folder();
            let folder = std::mem::replace(&mut entry.folder, borrowed);
            HostDescriptor::drop(&mut self.plain(), folder).map_err(FsError::trap)?;
        }
        Ok(entry)
    }

    async fn opened_entry(
        &mut self,
        action: FileAction,
        fd: &Resource<Descriptor>,
        path: &str,
        guest_path: &str,
    ) -> FsResult<Entry> {
        let whole = |fd: &Resource<Descriptor>| Entry {
            action,
            guest_path: guest_path.to_owned(),
            folder: Resource::new_borrow(fd.rep()),
            is_own: false,
            name: path.to_owned(),
        };
        let is_everywhere = self.scope.is_everywhere();
        let (Some(name), Some(parent)) = (Path::new(path).file_name(), Path::new(path).parent())
        else {
            // The folder itself.
            return if is_everywhere {
                Ok(whole(fd))
            } else {
                Err(ErrorCode::NotPermitted.into())
            };
        };
        let name = name.to_str().ok_or(ErrorCode::IllegalByteSequence)?;
        let mut entry = whole(fd);
        name.clone_into(&mut entry.name);
        if !parent.as_os_str().is_empty() {
            let parent = parent.to_str().ok_or(ErrorCode::IllegalByteSequence)?;
            entry.folder = self
                .plain()
                .open_at(
                    Resource::new_borrow(fd.rep()),
                    PathFlags::SYMLINK_FOLLOW,
                    parent.to_owned(),
                    OpenFlags::DIRECTORY,
                    DescriptorFlags::READ,
                )
                .await?;
            entry.is_own = true;
        }
        let folder = self.table.get(&entry.folder)?;
        if is_everywhere || self.scope.covers_entry(folder, &entry.name) {
            return Ok(entry);
        }
        self.let_go(entry)?;
        Err(ErrorCode::NotPermitted.into())
    }
}
