//! A file replaced at once: a reader sees the old content or the new, whatever happens.
//!
//! WASI has no permission bits, so a guest that writes beside and renames would lose them; the host
//! keeps them. Hard links to the old file keep the old content.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forge_contract::effect::FileAction;
use rustix::fs::{Gid, Uid};
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use super::entry::Entry;
use super::{Filesystem, scope};

impl Filesystem<'_> {
    /// Creates or replaces the file `path` of `folder` and notes it. A link that stays in the workspace is
    /// written through.
    pub(crate) async fn replace(
        &mut self,
        folder: &Resource<Descriptor>,
        path: &str,
        data: Vec<u8>,
    ) -> FsResult<()> {
        let length = data.len() as u64;
        let existing = match self.existing(folder, path).await {
            Ok(existing) => existing,
            Err(error) => {
                self.recorder.before_change().map_err(FsError::trap)?;
                let path = self.guest_path(folder, path);
                return self.note(FileAction::Write, &path, None, Err(error));
            }
        };
        // What was there tells where it really lies; what is new lies where the path says.
        let target = existing.as_ref().map_or(path, |(path, _)| path);
        let entry = self.entry(FileAction::Write, folder, target).await?;
        let old = existing.map(|(_, file)| file);
        let result = self.write_beside(&entry, old, data).await;
        let is_written = result.is_ok();
        self.settle(entry, None, result)?;
        if is_written {
            self.recorder.wrote(length);
        }
        Ok(())
    }

    /// The file at `path`, links followed: its path in the workspace, and itself, open.
    async fn existing(
        &mut self,
        folder: &Resource<Descriptor>,
        path: &str,
    ) -> FsResult<Option<(String, Arc<File>)>> {
        let borrowed = || Resource::new_borrow(folder.rep());
        let follow = PathFlags::SYMLINK_FOLLOW;
        let stat = self
            .plain()
            .stat_at(borrowed(), follow, path.to_owned())
            .await;
        match stat.map(|stat| stat.type_) {
            Ok(DescriptorType::RegularFile) => {}
            Ok(DescriptorType::Directory) => return Err(ErrorCode::IsDirectory.into()),
            Ok(_) => return Err(ErrorCode::NotPermitted.into()),
            Err(error) if matches!(error.downcast_ref(), Some(ErrorCode::NoEntry)) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        // To be allowed to write it is what a guest would need to replace its content.
        let (none, write) = (OpenFlags::empty(), DescriptorFlags::WRITE);
        let opened = self
            .plain()
            .open_at(borrowed(), follow, path.to_owned(), none, write)
            .await?;
        let file = match self.table.get(&opened)? {
            Descriptor::File(file) => file.file.clone(),
            Descriptor::Dir(_) => return Err(ErrorCode::IsDirectory.into()),
        };
        HostDescriptor::drop(&mut self.plain(), opened).map_err(FsError::trap)?;
        let real = scope::real_path(&file).ok_or(ErrorCode::NotPermitted)?;
        let inside = real
            .strip_prefix(self.scope.root())
            .ok()
            .and_then(Path::to_str);
        let inside = inside.ok_or(ErrorCode::NotPermitted)?.to_owned();
        Ok(Some((inside, file)))
    }

    /// Writes `data` beside `entry` and puts it in its place.
    async fn write_beside(
        &mut self,
        entry: &Entry,
        old: Option<Arc<File>>,
        data: Vec<u8>,
    ) -> FsResult<()> {
        let beside = beside(&entry.name());
        let new = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
        let opened = self
            .plain()
            .open_at(
                entry.folder(),
                PathFlags::empty(),
                beside.clone(),
                new,
                DescriptorFlags::WRITE,
            )
            .await?;
        let file = match self.table.get(&opened)? {
            Descriptor::File(file) => file.file.clone(),
            Descriptor::Dir(_) => return Err(ErrorCode::IsDirectory.into()),
        };
        HostDescriptor::drop(&mut self.plain(), opened).map_err(FsError::trap)?;
        // The disk may take its time, and this thread serves others.
        let written = tokio::task::spawn_blocking(move || fill(&file, old.as_deref(), &data)).await;
        let written = written
            .map_err(io::Error::other)
            .and_then(|written| written);
        let result = match written {
            Ok(()) => {
                let (from, to) = (beside.clone(), entry.name());
                self.plain()
                    .rename_at(entry.folder(), from, entry.folder(), to)
                    .await
            }
            Err(error) => Err(ErrorCode::from(error).into()),
        };
        if result.is_err() {
            // The first failure is the one to tell; what lies beside is tried to be removed.
            let _ = self.plain().unlink_file_at(entry.folder(), beside).await;
        }
        result
    }
}

/// Gives `file` the content `data` and what else belongs to `old`, and waits until the disk has it.
fn fill(mut file: &File, old: Option<&File>, data: &[u8]) -> io::Result<()> {
    file.write_all(data)?;
    if let Some(old) = old {
        let metadata = old.metadata()?;
        keep_owner(file, &metadata);
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()
}

/// Only root may give a file away; for anyone else the file simply is theirs.
fn keep_owner(file: &File, old: &std::fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let owner = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
    let _ = rustix::fs::fchown(file, Some(owner.0), Some(owner.1));
}

/// A name beside `name` that nobody uses.
fn beside(name: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // A name has at most 255 bytes.
    let name = &name[..name.floor_char_boundary(200)];
    format!(".{name}.{}-{number}.tmp", std::process::id())
}
