//! Paths in the workspace, which a tool that declared it finds at `/workspace`. Not here: opening
//! anything; `std::fs` does that, and the sandbox refuses what leads outside by a link.

use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};

/// The folder of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(root) = crate::testing::workspace() {
        return root;
    }
    PathBuf::from("/workspace")
}

/// Where `path` of the workspace lies, for `std::fs`.
///
/// A leading `/` means the workspace itself; `.` and `..` are resolved by their letters alone.
///
/// # Errors
/// `invalid-input` when `..` leads out of the workspace or the path holds a NUL character.
pub fn join(path: &str) -> Result<PathBuf> {
    if path.contains('\0') {
        return Err(Error::invalid_input(format!(
            "path `{}` holds a NUL character",
            path.escape_debug()
        )));
    }
    let mut inside = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir if !inside.pop() => {
                return Err(Error::invalid_input(format!(
                    "path `{path}` leads out of the workspace: give one inside it, such as `notes.txt`"
                )));
            }
            Component::ParentDir
            | Component::CurDir
            | Component::RootDir
            | Component::Prefix(_) => {}
        }
    }
    Ok(root().join(inside))
}

#[cfg(test)]
mod tests;
