//! `forge:tool/files`: whole files of the workspace, for languages without a usable file API.
//!
//! It goes through the same recorded file system as a guest's own file functions, so that paths are
//! confined, patterns hold and effects are noted in one place.

use forge_contract::outcome::FailureCode;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host as _;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor, HostDirectoryEntryStream,
    OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use crate::bindings::forge::tool::files::Host;
use crate::bindings::forge::tool::types::Error;
use crate::filesystem::{self, Filesystem};
use crate::state::State;

impl Host for State {
    async fn read(&mut self, path: String) -> wasmtime::Result<Result<Vec<u8>, Error>> {
        let limit = self.limits.file_bytes;
        let read = read(&mut filesystem::of(self), &path, limit).await;
        answer(&path, read)
    }

    async fn write(&mut self, path: String, data: Vec<u8>) -> wasmtime::Result<Result<(), Error>> {
        let written = write(&mut filesystem::of(self), &path, data).await;
        answer(&path, written)
    }

    async fn list(&mut self, path: String) -> wasmtime::Result<Result<Vec<String>, Error>> {
        let listed = list(&mut filesystem::of(self), &path).await;
        answer(&path, listed)
    }
}

async fn read(files: &mut Filesystem<'_>, path: &str, limit: u64) -> FsResult<Vec<u8>> {
    let file = open(files, path, OpenFlags::empty(), DescriptorFlags::READ).await?;
    let number = file.rep();
    let read = async {
        if files.stat(handle(number)).await?.size > limit {
            return Err(ErrorCode::FileTooLarge.into());
        }
        let mut bytes = Vec::new();
        loop {
            let (chunk, is_end) = files
                .read(handle(number), 64 << 10, bytes.len() as u64)
                .await?;
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > limit {
                return Err(ErrorCode::FileTooLarge.into());
            }
            if is_end {
                return Ok(bytes);
            }
        }
    }
    .await;
    HostDescriptor::drop(files, file).map_err(FsError::trap)?;
    read
}

async fn write(files: &mut Filesystem<'_>, path: &str, data: Vec<u8>) -> FsResult<()> {
    let workspace = workspace(files)?;
    let written = files.replace(&workspace, path, data).await;
    HostDescriptor::drop(files, workspace).map_err(FsError::trap)?;
    written
}

async fn list(files: &mut Filesystem<'_>, path: &str) -> FsResult<Vec<String>> {
    let folder = open(files, path, OpenFlags::DIRECTORY, DescriptorFlags::READ).await?;
    let entries = files.read_directory(handle(folder.rep())).await;
    HostDescriptor::drop(files, folder).map_err(FsError::trap)?;
    let entries = entries?;
    let number = entries.rep();
    let mut names = Vec::new();
    while let Some(entry) = files
        .read_directory_entry(Resource::new_borrow(number))
        .await?
    {
        let is_folder = matches!(entry.type_, DescriptorType::Directory);
        names.push(if is_folder {
            format!("{}/", entry.name)
        } else {
            entry.name
        });
    }
    HostDirectoryEntryStream::drop(files, entries).map_err(FsError::trap)?;
    names.sort();
    Ok(names)
}

/// Opens `path` in the workspace.
async fn open(
    files: &mut Filesystem<'_>,
    path: &str,
    open_flags: OpenFlags,
    flags: DescriptorFlags,
) -> FsResult<Resource<Descriptor>> {
    let workspace = workspace(files)?;
    let path = if path.is_empty() { "." } else { path };
    let number = workspace.rep();
    let opened = files
        .open_at(
            handle(number),
            PathFlags::SYMLINK_FOLLOW,
            path.to_owned(),
            open_flags,
            flags,
        )
        .await;
    HostDescriptor::drop(files, workspace).map_err(FsError::trap)?;
    opened
}

/// The workspace's folder.
fn workspace(files: &mut Filesystem<'_>) -> FsResult<Resource<Descriptor>> {
    let folders = files.get_directories().map_err(FsError::trap)?;
    let first = folders.into_iter().next();
    first
        .map(|(folder, _)| folder)
        .ok_or_else(|| ErrorCode::Access.into())
}

fn handle(number: u32) -> Resource<Descriptor> {
    Resource::new_borrow(number)
}

/// A failure of the file system as the guest is told it; a trap stays one.
fn answer<T>(path: &str, result: FsResult<T>) -> wasmtime::Result<Result<T, Error>> {
    let error = match result {
        Ok(value) => return Ok(Ok(value)),
        Err(error) => error.downcast()?,
    };
    let code = match error {
        ErrorCode::NoEntry => FailureCode::NotFound,
        ErrorCode::NotPermitted | ErrorCode::Access | ErrorCode::ReadOnly => FailureCode::Denied,
        ErrorCode::Invalid | ErrorCode::IsDirectory | ErrorCode::NotDirectory => {
            FailureCode::InvalidInput
        }
        _ => FailureCode::Failed,
    };
    let message = format!("`{path}`: {}", filesystem::code_name(&error));
    Ok(Err(Error {
        code: code.as_str().to_owned(),
        message,
        details: None,
    }))
}
