//! Files and folders that only their owner can read and change. Not here: what is in them.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// How a file is opened that is made for its owner alone, if it is made.
pub(crate) fn file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes `folder` and those above it for their owner alone, as far as they are missing.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
