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
use super::{Filesystem, error_name};

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
        // Under patterns a link is not followed to be written: where it leads is known only afterwards.
        let path_flags = if writes && !self.scope.is_everywhere() {
            PathFlags::empty()
        } else {
            path_flags
        };
        if writes {
            self.may_change(FileAction::Write, &fd, &path)?;
        }
        let opened = self
            .plain()
            .open_at(fd, path_flags, path, open_flags, flags)
            .await;
        let opened = match opened {
            Ok(opened) if !self.scope.covers(self.table.get(&opened)?) => {
                HostDescriptor::drop(&mut self.plain(), opened).map_err(FsError::trap)?;
                Err(ErrorCode::NotPermitted.into())
            }
            opened => opened,
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
        self.may_change(FileAction::Touch, &fd, "")?;
        let path = self.guest_path(&fd, "");
        let result = self.plain().set_times(fd, accessed, modified).await;
        self.note(FileAction::Touch, &path, None, result)
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.may_change(FileAction::Touch, &fd, &path)?;
        let path_flags = if self.scope.is_everywhere() {
            path_flags
        } else {
            PathFlags::empty()
        };
        let guest_path = self.guest_path(&fd, &path);
        let result = self
            .plain()
            .set_times_at(fd, path_flags, path, accessed, modified)
            .await;
        self.note(FileAction::Touch, &guest_path, None, result)
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.may_change(FileAction::CreateDirectory, &fd, &path)?;
        let guest_path = self.guest_path(&fd, &path);
        let result = self.plain().create_directory_at(fd, path).await;
        self.note(FileAction::CreateDirectory, &guest_path, None, result)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.may_change(FileAction::RemoveDirectory, &fd, &path)?;
        let guest_path = self.guest_path(&fd, &path);
        let result = self.plain().remove_directory_at(fd, path).await;
        self.note(FileAction::RemoveDirectory, &guest_path, None, result)
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.may_change(FileAction::Remove, &fd, &path)?;
        let guest_path = self.guest_path(&fd, &path);
        let result = self.plain().unlink_file_at(fd, path).await;
        self.note(FileAction::Remove, &guest_path, None, result)
    }

    async fn rename_at(
        &mut self,
        fd: Fd,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        self.may_change(FileAction::Rename, &fd, &old_path)?;
        self.may_change(FileAction::Rename, &new_fd, &new_path)?;
        let (from, to) = (
            self.guest_path(&fd, &old_path),
            self.guest_path(&new_fd, &new_path),
        );
        let result = self.plain().rename_at(fd, old_path, new_fd, new_path).await;
        self.note(FileAction::Rename, &from, Some(to), result)
    }

    async fn link_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        old_path: String,
        new_fd: Fd,
        new_path: String,
    ) -> FsResult<()> {
        self.may_change(FileAction::Link, &fd, &old_path)?;
        self.may_change(FileAction::Link, &new_fd, &new_path)?;
        let (from, to) = (
            self.guest_path(&fd, &old_path),
            self.guest_path(&new_fd, &new_path),
        );
        let result = self
            .plain()
            .link_at(fd, path_flags, old_path, new_fd, new_path)
            .await;
        self.note(FileAction::Link, &from, Some(to), result)
    }

    async fn symlink_at(&mut self, fd: Fd, target: String, new_path: String) -> FsResult<()> {
        self.may_change(FileAction::Symlink, &fd, &new_path)?;
        let guest_path = self.guest_path(&fd, &new_path);
        if !self
            .scope
            .keeps_link(self.table.get(&fd)?, &new_path, &target)
        {
            let refused = Err(ErrorCode::NotPermitted.into());
            return self.note(FileAction::Symlink, &guest_path, Some(target), refused);
        }
        let result = self.plain().symlink_at(fd, target.clone(), new_path).await;
        self.note(FileAction::Symlink, &guest_path, Some(target), result)
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
