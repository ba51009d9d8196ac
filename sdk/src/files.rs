//! Whole files of the workspace, through the host. Declared by
//! [`Requires::workspace`](crate::Requires::workspace). Rust has `std::fs`, which does more under the
//! same declaration ([`crate::workspace`]). Paths are relative to the workspace.

use crate::bindings::forge::tool::files as host;
use crate::component::on_host;
use crate::error::Result;

/// The bytes of a file.
///
/// # Errors
/// `not-found`, or `denied` without the declaration.
pub fn read(path: &str) -> Result<Vec<u8>> {
    on_host("files", || host::read(path))
}

/// Creates or replaces a file.
///
/// # Errors
/// `denied` unless [`Access::Write`](crate::Access::Write) was declared, `not-found` when its folder is
/// missing.
pub fn write(path: &str, data: &[u8]) -> Result<()> {
    on_host("files", || host::write(path, data))
}

/// The names in a folder, sorted; folders end in `/`. An empty path is the workspace itself.
///
/// # Errors
/// `not-found`, or `denied` without the declaration.
pub fn list(path: &str) -> Result<Vec<String>> {
    on_host("files", || host::list(path))
}
