//! The layers of settings, one over the other: what holds without any, the operator's file, the
//! project's file, files of variables, the environment, the command line.
//!
//! Everything is checked as it is read, in every layer, also where another lies over it. The crate
//! `config` parses the files, merges the layers and keeps where each value came from.

mod toml;
mod grants;
mod variables;

pub(super) use grants::TABLE as GRANTS_TABLE;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use config::{Config as Merged, Map, Source, Value, ValueKind};

use forge_contract::grant::Grant;
use forge_contract::name::Name;

use super::environment::Environment;
use super::kind::{self, Base};
use super::table::{Fallback, SETTINGS, Setting};
use super::{ConfigError, Overrides, nearest};

/// What all layers say together.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// The merged values, in tables.
    values: Map<String, Value>,
    /// What can't be used, in the order of the layers.
    pub(super) problems: Vec<ConfigError>,
    /// What is odd.
    pub(super) warnings: Vec<String>,
    /// The operator's file, which need not exist.
    pub(super) user_file: Option<PathBuf>,
    /// What it grants each tool that it names.
    pub(super) grants: BTreeMap<Name, Grant>,
}

/// Reads every layer.
pub(super) fn read(environment: &Environment, overrides: &Overrides) -> Layers {
    let mut reader = Reader {
        environment,
        overrides,
        merged: Merged::default(),
        layers: Layers {
            user_file: user_file(environment, overrides),
            ..Layers::default()
        },
    };
    let defaults = reader.defaults();
    reader.put(defaults);
    reader.user_file();
    reader.project_file();
    let trusted = reader.trusted_files();
    reader.untrusted_files(&trusted);
    for (path, variables) in &trusted {
        reader.trusted_variables(Some(path), variables);
    }
    let set = reader.process_variables();
    reader.trusted_variables(None, &set);
    reader.flags();
    Layers {
        values: reader.merged.collect().unwrap_or_default(),
        ..reader.layers
    }
}

impl Layers {
    /// What `key` holds; `None` where nothing says.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        found(&self.values, key)
    }

    pub(super) fn switch(&self, key: &str) -> bool {
        matches!(self.kind(key), Some(ValueKind::Boolean(true)))
    }

    pub(super) fn number(&self, key: &str) -> Option<i64> {
        match self.kind(key) {
            Some(ValueKind::I64(number)) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.kind(key).and_then(kind::text)
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    pub(super) fn names(&self, key: &str) -> Vec<&str> {
        match self.kind(key) {
            Some(ValueKind::Array(items)) => {
                let texts = items.iter().map(|item| kind::text(&item.kind));
                texts.flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether somebody set `key`.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.origin().is_some())
    }

    /// Fills in what follows from the data folder where nobody set it.
    pub(super) fn derive(&mut self) {
        let Some(folder) = self.path("data_dir") else {
            return;
        };
        if self.kind("plugins_dir").is_none() {
            let path = folder.join("plugins").display().to_string();
            let value = Value::new(None, path);
            self.values.insert("plugins_dir".to_owned(), value);
        }
        let traces = folder.join("traces.jsonl").display().to_string();
        if let Some(trace) = self.values.get_mut("trace")
            && let ValueKind::Table(trace) = &mut trace.kind
        {
            let value = || Value::new(None, traces);
            trace.entry("file".to_owned()).or_insert_with(value);
        }
    }

    fn kind(&self, key: &str) -> Option<&ValueKind> {
        self.get(key).map(|value| &value.kind)
    }
}

/// The name of the operator's file and of a project's.
const FILE: &str = "forge.toml";

/// The variable that names the operator's file: it is read before any setting.
const CONFIG_FILE: &str = "FORGE_CONFIG_FILE";

/// The operator's file: the one that is named, else the one of the user's folder.
pub(super) fn user_file(environment: &Environment, overrides: &Overrides) -> Option<PathBuf> {
    named_file(environment, overrides)
        .or_else(|| environment.settings_dir().map(|folder| folder.join(FILE)))
}

fn named_file(environment: &Environment, overrides: &Overrides) -> Option<PathBuf> {
    let variable = environment.variables.get(OsStr::new(CONFIG_FILE));
    let named = overrides
        .config_file
        .clone()
        .or_else(|| variable.filter(|it| !it.is_empty()).map(PathBuf::from));
    named.map(|path| environment.current_dir.join(path))
}

/// Values of one layer, checked.
#[derive(Debug, Clone, Default)]
struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

impl Layer {
    fn set(&mut self, setting: &Setting, origin: Option<&String>, value: ValueKind) {
        self.0
            .insert(setting.key.to_owned(), Value::new(origin, value));
    }
}

struct Reader<'a> {
    environment: &'a Environment,
    overrides: &'a Overrides,
    merged: Merged,
    layers: Layers,
}

impl Reader<'_> {
    /// Puts `layer` over what there is.
    fn put(&mut self, layer: Layer) {
        let below = std::mem::take(&mut self.merged);
        let merged = Merged::builder().add_source(below).add_source(layer);
        self.merged = merged
            .build()
            .expect("maps in memory are read without failure");
    }

    fn defaults(&self) -> Layer {
        let mut layer = Layer::default();
        let base = self.shell();
        for setting in SETTINGS {
            if let Fallback::Value(text) = setting.fallback
                && let Ok(value) = setting.kind.of_text(text, base)
            {
                layer.set(setting, None, value);
            }
        }
        let folders = [
            ("workspace", Some(self.environment.current_dir.clone())),
            ("data_dir", own(self.environment.user_data_dir.as_ref())),
            ("cache_dir", own(self.environment.user_cache_dir.as_ref())),
        ];
        for (key, folder) in folders {
            if let (Some(setting), Some(folder)) = (Setting::of_key(key), folder)
                && let Some(folder) = folder.to_str()
            {
                layer.set(setting, None, ValueKind::from(folder));
            }
        }
        layer
    }

    fn flags(&mut self) {
        let mut layer = Layer::default();
        for given in &self.overrides.given() {
            let Some(setting) = Setting::of_key(&given.key) else {
                self.layers.problems.push(ConfigError::UnknownKey {
                    file: given.flag.clone(),
                    way_out: nearest::key(&given.key),
                    key: given.key.clone(),
                });
                continue;
            };
            let place = match given.flag.as_str() {
                "--set" => format!("`--set {}`", given.key),
                flag => format!("`{flag}`"),
            };
            match setting.kind.of_text(&given.text, self.shell()) {
                Ok(value) => layer.set(setting, Some(&given.flag), value),
                Err(allowed) => self.layers.problems.push(ConfigError::Value {
                    place,
                    value: setting.kind.shown(&ValueKind::from(given.text.as_str())),
                    allowed,
                }),
            }
        }
        self.put(layer);
    }

    /// A shell has expanded what it would.
    fn shell(&self) -> Base<'_> {
        Base {
            folder: &self.environment.current_dir,
            home: None,
        }
    }

    fn user_file_shown(&self) -> String {
        self.layers.user_file.as_ref().map_or_else(
            || "~/.config/forge/forge.toml".to_owned(),
            |path| path.display().to_string(),
        )
    }
}

fn own(folder: Option<&PathBuf>) -> Option<PathBuf> {
    folder.map(|folder| folder.join("forge"))
}

fn is_same(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
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
