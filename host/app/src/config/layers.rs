//! The layers of settings, one over the other: what holds without any, the operator's file, the
//! project's file, files of variables, the environment, the command line.
//!
//! Everything is checked as it is read, in every layer, also where another lies over it. The crate
//! `config` parses the files, merges the layers and keeps where each value came from.

mod variables;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use config::{Config as Merged, Map, Source, Value, ValueKind};
use forge_core::policy::Mode;

use super::kind::{self, Base};
use super::table::{Fallback, SETTINGS, Setting};
use super::{ConfigError, Environment, Overrides, files, narrow, nearest};

/// What all layers say together.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The merged values, in tables.
    values: Map<String, Value>,
    /// What is odd, one message each.
    pub warnings: Vec<String>,
}

/// Reads every layer of `environment` and `overrides`.
///
/// # Errors
/// When a file, a variable or a flag can't be used.
pub fn settle(environment: &Environment, overrides: &Overrides) -> Result<Settled, ConfigError> {
    let mut warnings = Vec::new();
    let mut stack = Stack::default();
    stack.put(defaults(environment));
    let user_file = user_file(environment, overrides);
    stack.put(operators(environment, overrides, user_file.as_deref())?);
    stack.put(projects(environment, user_file.as_deref(), &stack)?);
    let narrowed = variables::in_current_folder(environment, overrides, &stack, &mut warnings)?;
    stack.put(narrowed);
    stack.put(variables::trusted(environment, overrides, &mut warnings)?);
    stack.put(flags(environment, overrides)?);
    Ok(Settled {
        values: stack.values,
        warnings,
    }
    .completed())
}

/// The operator's file, which need not exist: the one that is named, else the one in the folder of
/// settings.
#[must_use]
pub fn user_file(environment: &Environment, overrides: &Overrides) -> Option<PathBuf> {
    named_file(environment, overrides)
        .or_else(|| environment.config_dir().map(|folder| folder.join(FILE)))
}

impl Settled {
    /// What `key` holds as people may see it; `None` where nothing says.
    #[must_use]
    pub fn shown(&self, setting: &Setting) -> Option<String> {
        self.kind(setting.key)
            .map(|value| setting.kind.shown(value))
    }

    /// Where the value of `key` came from; `None` when it is the default.
    #[must_use]
    pub fn source(&self, key: &str) -> Option<&str> {
        found(&self.values, key).and_then(Value::origin)
    }

    pub(super) fn is_set(&self, key: &str) -> bool {
        self.source(key).is_some()
    }

    pub(super) fn switch(&self, key: &str) -> bool {
        matches!(self.kind(key), Some(ValueKind::Boolean(true)))
    }

    pub(super) fn number(&self, key: &str) -> Option<i64> {
        self.kind(key).and_then(|value| match value {
            ValueKind::I64(number) => Some(*number),
            _ => None,
        })
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.kind(key).and_then(kind::text)
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    pub(super) fn names(&self, key: &str) -> Vec<&str> {
        match self.kind(key) {
            Some(ValueKind::Array(items)) => items
                .iter()
                .filter_map(|item| kind::text(&item.kind))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn kind(&self, key: &str) -> Option<&ValueKind> {
        found(&self.values, key).map(|value| &value.kind)
    }

    /// With the places that follow from the data folder.
    fn completed(mut self) -> Self {
        let below = [("plugins_dir", "plugins"), ("trace.file", "traces.jsonl")];
        let mut layer = Layer::default();
        for (key, name) in below {
            if let (Some(setting), Some(folder), None) =
                (Setting::of_key(key), self.path("data_dir"), self.kind(key))
                && let Some(path) = folder.join(name).to_str()
            {
                layer.set(setting, ValueKind::from(path), None);
            }
        }
        let mut stack = Stack {
            values: self.values,
        };
        stack.put(layer);
        self.values = stack.values;
        self
    }
}

/// The name of the operator's file and of a project's.
const FILE: &str = "forge.toml";

/// Checked values of one layer.
#[derive(Debug, Clone, Default)]
struct Layer(Map<String, Value>);

impl Layer {
    fn set(&mut self, setting: &Setting, value: ValueKind, source: Option<&String>) {
        let value = Value::new(source, value);
        self.0.insert(setting.key.to_owned(), value);
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

/// The layers so far.
#[derive(Debug, Clone, Default)]
struct Stack {
    values: Map<String, Value>,
}

impl Stack {
    fn put(&mut self, layer: Layer) {
        let below = Layer(std::mem::take(&mut self.values));
        let merged = Merged::builder().add_source(below).add_source(layer);
        self.values = merged
            .build()
            .and_then(|merged| merged.collect())
            .expect("maps in memory can be read");
    }

    fn holds(&self, setting: &Setting) -> Option<&ValueKind> {
        found(&self.values, setting.key).map(|value| &value.kind)
    }
}

fn found<'a>(table: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((name, rest)) => match &table.get(name)?.kind {
            ValueKind::Table(inner) => found(inner, rest),
            _ => None,
        },
    }
}

fn defaults(environment: &Environment) -> Layer {
    let base = Base {
        folder: &environment.current_dir,
        home: None,
    };
    let own = |folder: &Option<PathBuf>| folder.as_ref().map(|folder| folder.join("forge"));
    let mut layer = Layer::default();
    for setting in SETTINGS {
        let value = match (setting.fallback, setting.key) {
            (Fallback::Value(text), _) => setting.kind.of_text(text, base).ok(),
            (_, "workspace") => as_value(Some(environment.current_dir.clone())),
            (_, "data_dir") => as_value(own(&environment.user_data_dir)),
            (_, "cache_dir") => as_value(own(&environment.user_cache_dir)),
            _ => None,
        };
        if let Some(value) = value {
            layer.set(setting, value, None);
        }
    }
    layer
}

fn as_value(path: Option<PathBuf>) -> Option<ValueKind> {
    path.and_then(|path| path.to_str().map(ValueKind::from))
}

fn named_file(environment: &Environment, overrides: &Overrides) -> Option<PathBuf> {
    let variable = environment.variables.get(OsStr::new("FORGE_CONFIG_FILE"));
    let named = overrides.config_file.clone();
    named
        .or_else(|| variable.filter(|it| !it.is_empty()).map(PathBuf::from))
        .map(|path| environment.current_dir.join(path))
}

/// The operator's file.
fn operators(
    environment: &Environment,
    overrides: &Overrides,
    path: Option<&Path>,
) -> Result<Layer, ConfigError> {
    let Some(path) = path else {
        return Ok(Layer::default());
    };
    let shown = environment.shown(path);
    match files::text(path, &shown)? {
        Some(text) => file(environment, path, &text),
        None if named_file(environment, overrides).is_some() => Err(ConfigError::File {
            file: shown,
            problem: "there is none".to_owned(),
            way_out: "name another with `--config` or `FORGE_CONFIG_FILE`, or write it by `forge init`".to_owned(),
        }),
        None => Ok(Layer::default()),
    }
}

/// The file of the project in the current folder, which may be a stranger's.
fn projects(
    environment: &Environment,
    user_file: Option<&Path>,
    below: &Stack,
) -> Result<Layer, ConfigError> {
    let path = environment.current_dir.join(FILE);
    if user_file.is_some_and(|user_file| is_same(user_file, &path)) {
        return Ok(Layer::default());
    }
    let shown = environment.shown(&path);
    let Some(text) = files::text(&path, &shown)? else {
        return Ok(Layer::default());
    };
    let layer = file(environment, &path, &text)?;
    for setting in SETTINGS {
        let Some(wanted) = layer.0.get(setting.key) else {
            continue;
        };
        let holds = below.holds(setting);
        if let Some(rule) = narrow::widens(setting, &wanted.kind, holds) {
            let holds = holds.map(|holds| setting.kind.shown(holds));
            return Err(ConfigError::Widens {
                file: shown,
                key: setting.key.to_owned(),
                wanted: setting.kind.shown(&wanted.kind),
                holds: holds.unwrap_or_else(|| setting.fallback_shown().to_owned()),
                rule,
                user_file: user_file.map_or_else(
                    || "~/.config/forge/forge.toml".to_owned(),
                    |path| environment.shown(path),
                ),
            });
        }
    }
    Ok(layer)
}

/// The checked values of the file at `path`. Paths in it start from its folder.
fn file(environment: &Environment, path: &Path, text: &str) -> Result<Layer, ConfigError> {
    let shown = environment.shown(path);
    let base = Base {
        folder: path.parent().unwrap_or(path),
        home: environment.home_dir.as_deref(),
    };
    let mut layer = Layer::default();
    add_keys("", &files::table(text, &shown)?, &shown, base, &mut layer)?;
    Ok(layer)
}

fn add_keys(
    prefix: &str,
    table: &Map<String, Value>,
    shown: &String,
    base: Base<'_>,
    layer: &mut Layer,
) -> Result<(), ConfigError> {
    let mut names: Vec<&String> = table.keys().collect();
    names.sort();
    for name in names {
        let key = format!("{prefix}{name}");
        let value = &table[name].kind;
        match (Setting::of_key(&key), value) {
            (Some(setting), value) => {
                let read = setting.kind.of_file(value, base);
                let read = read.map_err(|allowed| ConfigError::Value {
                    place: format!("`{key}` in `{shown}`"),
                    value: setting.kind.shown(value),
                    allowed,
                })?;
                layer.set(setting, read, Some(shown));
            }
            (None, ValueKind::Table(inner)) if !inner.is_empty() || is_table(&key) => {
                add_keys(&format!("{key}."), inner, shown, base, layer)?;
            }
            (None, _) => {
                return Err(ConfigError::Unknown {
                    place: format!("`{key}` in `{shown}`"),
                    way_out: nearest::key(&key),
                });
            }
        }
    }
    Ok(())
}

fn is_table(key: &str) -> bool {
    let prefix = format!("{key}.");
    SETTINGS
        .iter()
        .any(|setting| setting.key.starts_with(&prefix))
}

/// What the command line sets; `--set` yields to the flags that have names of their own.
fn flags(environment: &Environment, overrides: &Overrides) -> Result<Layer, ConfigError> {
    let mut given: Vec<(String, &str, String)> = Vec::new();
    for text in &overrides.set {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| ConfigError::NoAssignment { text: text.clone() })?;
        given.push(("--set".to_owned(), key.trim(), value.to_owned()));
    }
    if let Some(workspace) = &overrides.workspace {
        let path = workspace.display().to_string();
        given.push(("--workspace".to_owned(), "workspace", path));
    }
    if let Some(steps) = overrides.max_steps {
        given.push(("--max-steps".to_owned(), "max_steps", steps.to_string()));
    }
    if overrides.mode == Mode::ReadOnly {
        given.push(("--read-only".to_owned(), "mode", "read-only".to_owned()));
    }
    let base = Base {
        folder: &environment.current_dir,
        home: None,
    };
    let mut layer = Layer::default();
    for (flag, key, text) in given {
        let place = format!("`{flag} {key}`");
        let setting = Setting::of_key(key).ok_or_else(|| ConfigError::Unknown {
            place: place.clone(),
            way_out: nearest::key(key),
        })?;
        if let Some(value) = variables::value(setting, &text, &place, base)? {
            layer.set(setting, value, Some(&flag));
        }
    }
    Ok(layer)
}

fn is_same(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}
