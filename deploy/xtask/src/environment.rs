//! What this program takes from its environment; no other file reads it.

#![expect(
    clippy::disallowed_methods,
    reason = "the ban is for Forge; here is this program's place"
)]

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// `CARGO`: the cargo that runs this program, else the one on `PATH`.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// `LLAMA_SERVER`: the llama-server that the person wants used.
pub(crate) fn llama_server() -> Option<PathBuf> {
    env::var_os("LLAMA_SERVER").map(PathBuf::from)
}

/// `FORGE_DEV_CACHE`, else `forge-dev` in the person's cache folder; `None` without a home.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("FORGE_DEV_CACHE") {
        return Some(folder.into());
    }
    let caches = match env::var_os("XDG_CACHE_HOME") {
        Some(folder) => folder.into(),
        None => env::home_dir()?.join(".cache"),
    };
    Some(caches.join("forge-dev"))
}

/// The first file called `name` in a folder of `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
