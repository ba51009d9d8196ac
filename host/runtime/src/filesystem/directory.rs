//! The entries of a folder, one by one: handed on as they are.

use wasmtime::component::Resource;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DirectoryEntry, DirectoryEntryStream, HostDirectoryEntryStream,
};

use super::Filesystem;

impl HostDirectoryEntryStream for Filesystem<'_> {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        HostDirectoryEntryStream::read_directory_entry(&mut self.plain(), stream).await
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        HostDirectoryEntryStream::drop(&mut self.plain(), stream)
    }
}
