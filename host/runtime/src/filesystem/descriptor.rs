//! What a guest does with an open file or folder.

use std::sync::atomic::Ordering;

use forge_contract::effect::FileAction;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntryStream, ErrorCode,
    Filesize, HostDescriptor, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::streams::{CountingWriter, FileReader};
use super::{Filesystem, error_name, scope};

type Fd = Resource<Descriptor>;

impl HostDescriptor for Filesystem<'_> {
    async fn open_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        let guest_path = self.guest_path(&fd, &path);
        let writes = flags.contains(DescriptorFlags::WRITE)
            || open_flags.intersects(OpenFlags::CREATE | OpenFlags::TRUNCATE);
        let is_folder = open_flags.contains(OpenFlags::DIRECTORY);
        let opened = if writes {
            let entry = self.entry(FileAction::Write, &fd, &path).await?;
            // A link is not followed to be written: where it leads is known only afterwards.
            let opened = self
                .open_plain(
                    entry.folder(),
                    PathFlags::empty(),
                    entry.name(),
                    open_flags,
                    flags,
                )
                .await;
            self.let_go(entry)?;
            opened
        } else {
            self.open_plain(fd, path_flags, path, open_flags, flags)
                .await
        };
        let had_room = self.recorder.has_room();
        match (writes, is_folder, opened) {
            // What is read of a folder is noted when its entries are listed.
            (false, true, Ok(opened)) => {
                self.recorder.opened_unnoted(opened.rep(), guest_path);
                Ok(opened)
            }
            (false, _, Ok(opened)) if !had_room => {
                self.recorder.looked(FileAction::Open, String::new(), None);
                self.recorder.opened_unnoted(opened.rep(), guest_path);
                Ok(opened)
            }
            (_, _, opened) => {
                let error = error_name(&opened);
                if writes {
                    self.recorder
                        .changed(FileAction::Write, guest_path, None, error);
                } else {
                    self.recorder.looked(FileAction::Open, guest_path, error);
                }
                let opened = opened?;
                self.recorder.opened_noted(opened.rep());
                Ok(opened)
            }
        }
    }

    fn read_via_stream(&mut self, fd: Fd, offset: Filesize) -> FsResult<Resource<DynInputStream>> {
        let file = match self.table.get(&fd)? {
            Descriptor::File(file) => file.file.clone(),
            Descriptor::Dir(_) => return Err(ErrorCode::IsDirectory.into()),
        };
        let bytes = self.recorder.bytes_of(fd.rep());
        let stream: DynInputStream = Box::new(FileReader::new(file, offset, bytes));
        Ok(self.table.push(stream)?)
    }

    fn write_via_stream(
        &mut self,
        fd: Fd,
        offset: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        let number = fd.rep();
        let stream = self.plain().write_via_stream(fd, offset)?;
        self.counted(number, stream)
    }

    fn append_via_stream(&mut self, fd: Fd) -> FsResult<Resource<DynOutputStream>> {
        let number = fd.rep();
        let stream = self.plain().append_via_stream(fd)?;
        self.counted(number, stream)
    }

    async fn read(
        &mut self,
        fd: Fd,
        length: Filesize,
        offset: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        let counter = self.recorder.bytes_of(fd.rep());
        let (bytes, is_end) = self.plain().read(fd, length, offset).await?;
        counter.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok((bytes, is_end))
    }

    async fn write(&mut self, fd: Fd, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize> {
        let counter = self.recorder.bytes_of(fd.rep());
        let written = self.plain().write(fd, bytes, offset).await?;
        counter.fetch_add(written, Ordering::Relaxed);
        Ok(written)
    }

    async fn read_directory(&mut self, fd: Fd) -> FsResult<Resource<DirectoryEntryStream>> {
        let path = self.guest_path(&fd, "");
        let entries = self.plain().read_directory(fd).await;
        self.recorder
            .looked(FileAction::List, path, error_name(&entries));
        entries
    }

    async fn set_size(&mut self, fd: Fd, size: Filesize) -> FsResult<()> {
        self.recorder.before_change().map_err(FsError::trap)?;
        let path = self.guest_path(&fd, "");
        let result = self.plain().set_size(fd, size).await;
        self.note(FileAction::Resize, &path, None, result)
    }

    async fn set_times(
        &mut self,
        fd: Fd,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.recorder.before_change().map_err(FsError::trap)?;
        let path = self.guest_path(&fd, "");
        // What is open to be read only may lie where nothing may be changed.
        let result = if self.scope.covers_change(self.table.get(&fd)?) {
            self.plain().set_times(fd, accessed, modified).await
        } else {
            Err(ErrorCode::NotPermitted.into())
        };
        self.note(FileAction::Touch, &path, None, result)
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        _path_flags: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        let entry = self.entry(FileAction::Touch, &fd, &path).await?;
        // A link is not followed to be changed: where it leads is known only afterwards.
        let result = self
            .plain()
            .set_times_at(
                entry.folder(),
                PathFlags::empty(),
                entry.name(),
                accessed,
                modified,
            )
            .await;
        self.settle(entry, None, result)
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let entry = self.entry(FileAction::CreateDirectory, &fd, &path).await?;
        let result = self
            .plain()
            .create_directory_at(entry.folder(), entry.name())
            .await;
        self.settle(entry, None, result)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let entry = self.entry(FileAction::RemoveDirectory, &fd, &path).await?;
        let result = self
            .plain()
            .remove_directory_at(entry.folder(), entry.name())
            .await;
        self.settle(entry, None, result)
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let entry = self.entry(FileAction::Remove, &fd, &path).await?;
        let result = self
            .plain()
            .unlink_file_at(entry.folder(), entry.name())
            .await;
        self.settle(entry, None, result)
    }

    async fn rename_at(
        &mut self,
        fd: Fd,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        let from = self.entry(FileAction::Rename, &fd, &old_path).await?;
        let to = self.entry(FileAction::Rename, &new_fd, &new_path).await?;
        let result = self
            .plain()
            .rename_at(from.folder(), from.name(), to.folder(), to.name())
            .await;
        let to = self.let_go(to)?.guest_path().to_owned();
        self.settle(from, Some(to), result)
    }

    async fn link_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        let from = self.entry(FileAction::Link, &fd, &old_path).await?;
        let to = self.entry(FileAction::Link, &new_fd, &new_path).await?;
        let result = self
            .plain()
            .link_at(
                from.folder(),
                path_flags,
                from.name(),
                to.folder(),
                to.name(),
            )
            .await;
        let to = self.let_go(to)?.guest_path().to_owned();
        self.settle(from, Some(to), result)
    }

    async fn symlink_at(&mut self, fd: Fd, target: String, new_path: String) -> FsResult<()> {
        let entry = self.entry(FileAction::Symlink, &fd, &new_path).await?;
        let folder = self.table.get(&entry.folder())?;
        let stays = self.scope.keeps_link(folder, &target);
        let result = if stays {
            self.plain()
                .symlink_at(entry.folder(), target.clone(), entry.name())
                .await
        } else {
            Err(ErrorCode::NotPermitted.into())
        };
        self.settle(entry, Some(target), result)
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.recorder.closed(fd.rep());
        HostDescriptor::drop(&mut self.plain(), fd)
    }

    async fn advise(
        &mut self,
        fd: Fd,
        offset: Filesize,
        length: Filesize,
        advice: Advice,
    ) -> FsResult<()> {
        self.plain().advise(fd, offset, length, advice).await
    }

    async fn sync_data(&mut self, fd: Fd) -> FsResult<()> {
        self.plain().sync_data(fd).await
    }

    async fn sync(&mut self, fd: Fd) -> FsResult<()> {
        self.plain().sync(fd).await
    }

    async fn get_flags(&mut self, fd: Fd) -> FsResult<DescriptorFlags> {
        self.plain().get_flags(fd).await
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        self.plain().get_type(fd).await
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        self.plain().stat(fd).await
    }

    async fn stat_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        self.plain().stat_at(fd, path_flags, path).await
    }

    async fn readlink_at(&mut self, fd: Fd, path: String) -> FsResult<String> {
        self.plain().readlink_at(fd, path).await
    }

    async fn is_same_object(&mut self, one: Fd, other: Fd) -> wasmtime::Result<bool> {
        self.plain().is_same_object(one, other).await
    }

    async fn metadata_hash(&mut self, fd: Fd) -> FsResult<MetadataHashValue> {
        self.plain().metadata_hash(fd).await
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        self.plain().metadata_hash_at(fd, path_flags, path).await
    }
}

impl Filesystem<'_> {
    /// Opens what the scope covers and what opening can't wait for.
    async fn open_plain(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        // To open a pipe waits for its other end, on this very thread, which no deadline can end.
        if let Descriptor::Dir(folder) = self.table.get(&fd)?
            && scope::is_special(&folder.dir, &path)
        {
            return Err(ErrorCode::NotPermitted.into());
        }
        let opened = self
            .plain()
            .open_at(fd, path_flags, path, open_flags, flags)
            .await?;
        if self.scope.covers(self.table.get(&opened)?) {
            return Ok(opened);
        }
        HostDescriptor::drop(&mut self.plain(), opened).map_err(FsError::trap)?;
        Err(ErrorCode::NotPermitted.into())
    }

    /// `stream`, counting for the handle `number`.
    fn counted(
        &mut self,
        number: u32,
        stream: Resource<DynOutputStream>,
    ) -> FsResult<Resource<DynOutputStream>> {
        let inner = self.table.delete(stream)?;
        let bytes = self.recorder.bytes_of(number);
        let stream: DynOutputStream = Box::new(CountingWriter::new(inner, bytes));
        Ok(self.table.push(stream)?)
    }
}
