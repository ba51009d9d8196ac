//! Tools and guests: compiled for `wasm32-wasip2` and put where the host and the tests look.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cache::Cache;
use crate::command;
use crate::progress::say;
use crate::wasm_target::{self, TARGET, Toolchain};
use crate::workspace::{Component, Workspace};

/// The cargo profile of components; the host's is `release`.
pub(crate) const PROFILE: &str = "plugin";

/// What to build.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Which {
    /// What ships.
    Plugins,
    /// Also what the tests load.
    PluginsAndGuests,
}

/// Builds them in one run of cargo and installs them under `target/`.
pub(crate) fn build(workspace: &Workspace, which: Which) -> Result<()> {
    let guests = match which {
        Which::Plugins => &[],
        Which::PluginsAndGuests => workspace.guests.as_slice(),
    };
    ensure_target()?;
    let mut cargo = command::cargo();
    cargo
        .current_dir(&workspace.root)
        .args(["build", "--profile", PROFILE, "--target", TARGET]);
    for component in workspace.plugins.iter().chain(guests) {
        cargo.args(["--package", &component.package]);
    }
    command::run(&mut cargo)?;

    let built = workspace.target.join(TARGET).join(PROFILE);
    install(&workspace.plugins, &built, &workspace.plugins_folder())?;
    if which == Which::PluginsAndGuests {
        install(guests, &built, &workspace.guests_folder())?;
    }
    Ok(())
}

/// Makes the active toolchain able to compile components.
pub(crate) fn ensure_target() -> Result<()> {
    wasm_target::ensure(&Toolchain::active()?, &Cache::open_default()?)
}

/// Makes `folder` hold exactly these components. A file whose bytes are the same is left alone:
/// the app's build script watches the folder, and a new time stamp would rebuild the app.
fn install(components: &[Component], built: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("`{}`", folder.display()))?;
    for component in components {
        let (from, to) = (
            built.join(&component.artifact),
            folder.join(&component.file),
        );
        if write_if_changed(&from, &to)? {
            say(format_args!("installed {}", to.display()));
        }
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ours = path
            .extension()
            .is_some_and(|it| it == "wasm" || it == "partial");
        let wanted = components
            .iter()
            .any(|it| path.file_name() == Some(OsStr::new(&it.file)));
        if ours && !wanted {
            fs::remove_file(&path).with_context(|| format!("`{}`", path.display()))?;
            say(format_args!("removed {}", path.display()));
        }
    }
    Ok(())
}

fn write_if_changed(from: &Path, to: &Path) -> Result<bool> {
    let bytes =
        fs::read(from).with_context(|| format!("cargo did not make `{}`", from.display()))?;
    match fs::read(to) {
        Ok(present) if present == bytes => return Ok(false),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("`{}`", to.display()));
        }
        Ok(_) | Err(_) => {}
    }
    // Renamed into place: whoever reads the folder meanwhile never sees half a file.
    let partial = to.with_extension("partial");
    fs::write(&partial, bytes).with_context(|| format!("`{}`", partial.display()))?;
    fs::rename(&partial, to).with_context(|| format!("`{}`", to.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests;
