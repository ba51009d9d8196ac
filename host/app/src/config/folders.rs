//! The folders that Forge uses, and the rule between them: nothing of Forge's own lies where a tool
//! could reach it.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::layers::Layers;
use super::{ConfigError, Environment};

pub(super) struct Folders {
    pub(super) workspace: PathBuf,
    pub(super) data_dir: PathBuf,
    pub(super) cache_dir: PathBuf,
    pub(super) plugins_dir: PathBuf,
    pub(super) trace_file: Option<PathBuf>,
}

pub(super) fn read(settled: &Layers, environment: &Environment) -> Result<Folders, ConfigError> {
    let workspace = workspace(settled)?;
    let own = |key: &str| {
        let path = settled.path(key);
        path.map(|path| resolved(&path)).ok_or(ConfigError::NoHome)
    };
    let trace_file = settled
        .switch("trace.enabled")
        .then(|| own("trace.file"))
        .transpose()?;
    let folders = Folders {
        data_dir: own("data_dir")?,
        cache_dir: own("cache_dir")?,
        plugins_dir: own("plugins_dir")?,
        trace_file,
        workspace,
    };
    let settings = environment.settings_dir().filter(|folder| folder.exists());
    let settings = settings.map(|folder| resolved(&folder));
    let guarded = [
        ("the data folder", "FORGE_DATA_DIR", Some(&folders.data_dir)),
        (
            "the cache folder",
            "FORGE_CACHE_DIR",
            Some(&folders.cache_dir),
        ),
        (
            "the folder of further tools",
            "FORGE_PLUGINS_DIR",
            Some(&folders.plugins_dir),
        ),
        (
            "the file of traces",
            "TRACE_FILE",
            folders.trace_file.as_ref(),
        ),
        (
            "the folder of your settings",
            "XDG_CONFIG_HOME",
            settings.as_ref(),
        ),
    ];
    for (what, variable, path) in guarded {
        if let Some(path) = path
            && path.starts_with(&folders.workspace)
        {
            return Err(ConfigError::InsideWorkspace {
                what: what.to_owned(),
                path: path.display().to_string(),
                workspace: folders.workspace.display().to_string(),
                variable: variable.to_owned(),
            });
        }
    }
    Ok(folders)
}

fn workspace(settled: &Layers) -> Result<PathBuf, ConfigError> {
    let path = settled
        .path("workspace")
        .ok_or(ConfigError::NoCurrentFolder)?;
    let refused = |problem: String| ConfigError::Workspace {
        path: path.display().to_string(),
        problem,
    };
    let resolved = path
        .canonicalize()
        .map_err(|error| refused(error.to_string()))?;
    if resolved.is_dir() {
        Ok(resolved)
    } else {
        Err(refused("it is no folder".to_owned()))
    }
}

/// `path` with its links followed as far as it exists, and without `..`.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(found) = existing.canonicalize() {
            let rest = missing.iter().rev().map(PathBuf::from);
            return rest.fold(found, |folder, part| match part.components().next() {
                Some(Component::ParentDir) => {
                    folder.parent().map_or_else(PathBuf::new, Path::to_path_buf)
                }
                Some(Component::CurDir) | None => folder,
                Some(_) => folder.join(part),
            });
        }
        let Some(parent) = existing.parent() else {
            return path.to_path_buf();
        };
        let last = existing.components().next_back();
        missing.extend(last.map(|part| part.as_os_str().to_owned()));
        existing = parent;
    }
}
