//! Whole files of the workspace, through the host. Declared by
//! [`Requires::workspace`](crate::Requires::workspace). Rust has `std::fs`, which does more under the
//! same declaration ([`crate::workspace`]). Paths are relative to the workspace.

use crate::error::Result;

/// The bytes of a file.
///
/// # Errors
/// `not-found`, or `denied` without the declaration.
pub fn read(path: &str) -> Result<Vec<u8>> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::files::read(path).map_err(crate::error::Error::from_host);
    #[cfg(not(target_arch = "wasm32"))]
    Ok(std::fs::read(native(path)?)?)
}

/// Creates or replaces a file, at once: a reader sees the old content or the new. A file that is replaced
/// keeps its permissions, and a link that stays in the workspace is written through.
///
/// # Errors
/// `denied` unless [`Access::Write`](crate::Access::Write) was declared, `not-found` when its folder is
/// missing.
pub fn write(path: &str, data: &[u8]) -> Result<()> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::files::write(path, data)
        .map_err(crate::error::Error::from_host);
    #[cfg(not(target_arch = "wasm32"))]
    Ok(std::fs::write(native(path)?, data)?)
}

/// The names in a folder, sorted; folders end in `/`. An empty path is the workspace itself.
///
/// # Errors
/// `not-found`, or `denied` without the declaration.
pub fn list(path: &str) -> Result<Vec<String>> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::files::list(path).map_err(crate::error::Error::from_host);
    #[cfg(not(target_arch = "wasm32"))]
    {
        let entries = std::fs::read_dir(native(path)?)?;
        let mut names = entries
            .map(|entry| {
                let entry = entry?;
                let end = if entry.file_type()?.is_dir() { "/" } else { "" };
                Ok(format!("{}{end}", entry.file_name().to_string_lossy()))
            })
            .collect::<Result<Vec<String>>>()?;
        names.sort();
        Ok(names)
    }
}

/// Where `path` lies in the workspace of a native test.
#[cfg(not(target_arch = "wasm32"))]
fn native(path: &str) -> Result<std::path::PathBuf> {
    if crate::testing::workspace().is_none() {
        return Err(crate::error::Error::unavailable(
            "`files` needs a workspace: give the test one with `testing::with_workspace`",
        ));
    }
    crate::workspace::join(path)
}
