//! The folders that Forge uses, and the rule between them: nothing of Forge's own lies where a tool
//! could reach it.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::environment::{Environment, Unset};
use super::{ConfigError, Overrides};

pub(super) struct Folders {
    pub(super) workspace: PathBuf,
    pub(super) data_dir: PathBuf,
    pub(super) cache_dir: PathBuf,
    pub(super) trace_file: Option<PathBuf>,
}

pub(super) fn read(
    environment: &Environment,
    overrides: &Overrides,
) -> Result<Folders, ConfigError> {
    let workspace = workspace(environment, overrides)?;
    let own = |variable: &str, user_dir: &Option<PathBuf>| {
        let default = || user_dir.as_ref().map(|folder| folder.join("forge"));
        let path = environment.path(variable)?.or_else(default);
        path.map(|path| resolved(&path)).ok_or(ConfigError::NoHome)
    };
    let data_dir = own("FORGE_DATA_DIR", &environment.user_data_dir)?;
    let cache_dir = own("FORGE_CACHE_DIR", &environment.user_cache_dir)?;
    let trace_file = match environment.path("TRACE_FILE")? {
        Some(path) => resolved(&path),
        None => data_dir.join("traces.jsonl"),
    };
    let is_traced = environment.switch("TRACE_ENABLED", Unset::On)?;
    let trace_file = is_traced.then_some(trace_file);
    let guarded = [
        ("the data folder", "FORGE_DATA_DIR", Some(&data_dir)),
        ("the cache folder", "FORGE_CACHE_DIR", Some(&cache_dir)),
        ("the file of traces", "TRACE_FILE", trace_file.as_ref()),
    ];
    for (what, variable, path) in guarded {
        if let Some(path) = path
            && path.starts_with(&workspace)
        {
            return Err(ConfigError::InsideWorkspace {
                what: what.to_owned(),
                path: path.display().to_string(),
                workspace: workspace.display().to_string(),
                variable: variable.to_owned(),
            });
        }
    }
    Ok(Folders {
        workspace,
        data_dir,
        cache_dir,
        trace_file,
    })
}

fn workspace(environment: &Environment, overrides: &Overrides) -> Result<PathBuf, ConfigError> {
    let path = match &overrides.workspace {
        Some(path) => environment.current_dir.join(path),
        None => environment
            .path("WORKSPACE_DIR")?
            .unwrap_or_else(|| environment.current_dir.clone()),
    };
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
fn resolved(path: &Path) -> PathBuf {
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
