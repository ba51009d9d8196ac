//! The layers of settings, one over the other: what holds without any, the operator's file, the
//! project's file, files of variables, the environment, the command line.
//!
//! Everything is checked as it is read, in every layer, also where another lies over it. The crate
//! `config` parses the files, merges the layers and keeps where each value came from.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use config::{Config as Merged, Map, Source, Value, ValueKind};

use super::environment::Environment;
use super::kind::{self, Base};
use super::table::{Fallback, SETTINGS, Setting};
use super::{ConfigError, Overrides, absent, files, narrow, nearest};

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
    let set: Vec<(String, String)> = reader.process_variables();
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

/// Files of variables, the later over the earlier.
const VARIABLE_FILES: [&str; 2] = [".env", ".env.local"];

/// The variable that names the operator's file: it is read before any setting.
const CONFIG_FILE: &str = "FORGE_CONFIG_FILE";

/// Forge's names; what begins so and is unknown is a mistake.
const OWN_PREFIXES: [&str; 2] = ["FORGE_", "POLICY_"];

/// Names that the build and the tests of Forge use beside the program.
const BUILD_PREFIXES: [&str; 2] = ["FORGE_TEST_", "FORGE_DEV_"];

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

type Variables = Vec<(String, String)>;

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

    fn user_file(&mut self) {
        let Some(path) = self.layers.user_file.clone() else {
            return;
        };
        let is_named = named_file(self.environment, self.overrides).is_some();
        match files::text(&path) {
            Ok(Some(text)) => {
                let layer = self.file(&path, &text);
                self.put(layer);
            }
            Ok(None) if is_named => self.layers.problems.push(ConfigError::Unreadable {
                file: path.display().to_string(),
                problem: "it does not exist".to_owned(),
            }),
            Ok(None) => {}
            Err(problem) => self.layers.problems.push(problem),
        }
    }

    fn project_file(&mut self) {
        let path = self.environment.current_dir.join(FILE);
        if self
            .layers
            .user_file
            .as_ref()
            .is_some_and(|user| is_same(user, &path))
        {
            return;
        }
        let text = match files::text(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(problem) => return self.layers.problems.push(problem),
        };
        let Layer(wanted) = self.file(&path, &text);
        let mut layer = Layer::default();
        let held = self.merged.collect().unwrap_or_default();
        for setting in SETTINGS {
            let Some(value) = wanted.get(setting.key) else {
                continue;
            };
            let holds = found(&held, setting.key).map(|value| &value.kind);
            match narrow::widens(setting, &value.kind, holds) {
                None => layer.set(
                    setting,
                    value.origin().map(str::to_owned).as_ref(),
                    value.kind.clone(),
                ),
                Some(rule) => {
                    let shown = holds.map(|holds| setting.kind.shown(holds));
                    self.layers.problems.push(ConfigError::Widens {
                        file: path.display().to_string(),
                        key: setting.key.to_owned(),
                        wanted: setting.kind.shown(&value.kind),
                        holds: shown.unwrap_or_else(|| setting.fallback_shown().to_owned()),
                        rule,
                        user_file: self.user_file_shown(),
                    });
                }
            }
        }
        self.put(layer);
    }

    /// The checked values of a file; what can't be used becomes a problem.
    fn file(&mut self, path: &Path, text: &str) -> Layer {
        let mut layer = Layer::default();
        match files::table(path, text) {
            Ok(table) => self.keys(path, "", &table, &mut layer),
            Err(problem) => self.layers.problems.push(problem),
        }
        layer
    }

    fn keys(&mut self, path: &Path, prefix: &str, table: &Map<String, Value>, layer: &mut Layer) {
        let file = path.display().to_string();
        let home = self.environment.home_dir.clone();
        let base = Base {
            folder: path.parent().unwrap_or(path),
            home: home.as_deref(),
        };
        let mut names: Vec<&String> = table.keys().collect();
        names.sort();
        for name in names {
            let key = format!("{prefix}{name}");
            let value = &table[name].kind;
            match (Setting::of_key(&key), value) {
                (Some(setting), value) => match setting.kind.of_file(value, base) {
                    Ok(value) => layer.set(setting, Some(&file), value),
                    Err(allowed) => self.layers.problems.push(ConfigError::Value {
                        place: format!("`{key}` in `{file}`"),
                        value: setting.kind.shown(value),
                        allowed,
                    }),
                },
                (None, ValueKind::Table(inner)) if !inner.is_empty() => {
                    self.keys(path, &format!("{key}."), inner, layer);
                }
                (None, ValueKind::Table(_)) if is_table(&key) => {}
                (None, _) => self.layers.problems.push(ConfigError::UnknownKey {
                    file: file.clone(),
                    way_out: nearest::key(&key),
                    key,
                }),
            }
        }
    }

    /// Files of variables that the operator named or keeps in the folder of settings.
    fn trusted_files(&mut self) -> Vec<(PathBuf, Variables)> {
        let mut read = Vec::new();
        let own = self.environment.settings_dir().into_iter();
        let own = own.flat_map(|folder| VARIABLE_FILES.map(|name| folder.join(name)));
        for path in own.collect::<Vec<_>>() {
            read.extend(self.variables(&path).map(|variables| (path, variables)));
        }
        for path in &self.overrides.env_files {
            let path = self.environment.current_dir.join(path);
            if path.exists() {
                read.extend(self.variables(&path).map(|variables| (path, variables)));
            } else {
                self.layers.problems.push(ConfigError::Unreadable {
                    file: path.display().to_string(),
                    problem: "it does not exist".to_owned(),
                });
            }
        }
        read
    }

    /// Files of variables in the current folder, which may be a stranger's: only what narrows is taken.
    fn untrusted_files(&mut self, trusted: &[(PathBuf, Variables)]) {
        for name in VARIABLE_FILES {
            let path = self.environment.current_dir.join(name);
            let is_trusted = trusted.iter().any(|(other, _)| is_same(other, &path));
            // A folder of that name is a virtual environment of Python's.
            if is_trusted || !path.is_file() {
                continue;
            }
            let Some(variables) = self.variables(&path) else {
                continue;
            };
            let held = self.merged.collect().unwrap_or_default();
            let mut layer = Layer::default();
            let mut left_out: Vec<String> = Vec::new();
            for (variable, text) in variables {
                let is_set = self
                    .environment
                    .variables
                    .contains_key(OsStr::new(&variable));
                let is_given = trusted
                    .iter()
                    .any(|(_, set)| set.iter().any(|(name, _)| *name == variable));
                if is_set || is_given {
                    continue;
                }
                let place = format!("`{variable}` in `{}`", path.display());
                let Some(setting) = Setting::of_variable(&variable) else {
                    self.other_variable(&variable, &text, &place, Trust::Stranger);
                    continue;
                };
                let Some(value) = self.parsed(setting, &text, &place) else {
                    continue;
                };
                let holds = found(&held, setting.key).map(|value| &value.kind);
                if narrow::widens(setting, &value, holds).is_some() {
                    left_out.push(format!("`{variable}`"));
                } else if holds != Some(&value) {
                    let origin = format!("{} in {}", variable, path.display());
                    layer.set(setting, Some(&origin), value);
                }
            }
            if !left_out.is_empty() {
                self.layers.warnings.push(format!(
                    "{} of `{}` not taken, because a file in the current folder may only narrow: start with `--env-file {name}` if you trust it",
                    left_out.join(", "),
                    path.display(),
                ));
            }
            self.put(layer);
        }
    }

    /// Variables of the operator's, from the file `path` or from the process.
    fn trusted_variables(&mut self, path: Option<&PathBuf>, variables: &[(String, String)]) {
        let mut layer = Layer::default();
        for (variable, text) in variables {
            let (place, origin) = match path {
                Some(path) => {
                    let file = path.display();
                    (
                        format!("`{variable}` in `{file}`"),
                        format!("{variable} in {file}"),
                    )
                }
                None => (format!("`{variable}`"), variable.clone()),
            };
            if variable == CONFIG_FILE && path.is_none() {
                continue;
            }
            let Some(setting) = Setting::of_variable(variable) else {
                self.other_variable(variable, text, &place, Trust::Operator);
                continue;
            };
            if let Some(value) = self.parsed(setting, text, &place) {
                layer.set(setting, Some(&origin), value);
            }
        }
        self.put(layer);
    }

    /// A variable that is no setting: another program's, one without effect, or a mistake.
    fn other_variable(&mut self, variable: &str, text: &str, place: &str, trust: Trust) {
        if variable == CONFIG_FILE {
            self.layers.warnings.push(format!(
                "{place} has no effect: set it in the environment, or use `--config`"
            ));
        } else if absent::is_known(variable) {
            let report = absent::report(variable, text, place);
            self.layers.warnings.extend(report);
        } else if OWN_PREFIXES.iter().any(|own| variable.starts_with(own))
            && !BUILD_PREFIXES.iter().any(|own| variable.starts_with(own))
        {
            let problem = ConfigError::UnknownVariable {
                place: place.to_owned(),
                way_out: nearest::variable(variable),
            };
            match trust {
                Trust::Operator => self.layers.problems.push(problem),
                Trust::Stranger => self.layers.warnings.push(problem.to_string()),
            }
        }
    }

    /// The variables of the process that are Forge's or that another version knows.
    fn process_variables(&mut self) -> Variables {
        let mut variables = Vec::new();
        for (name, value) in &self.environment.variables {
            let Some(name) = name.to_str() else { continue };
            let is_own = OWN_PREFIXES.iter().any(|own| name.starts_with(own))
                || Setting::of_variable(name).is_some()
                || absent::is_known(name);
            match value.to_str() {
                _ if !is_own => {}
                Some(text) => variables.push((name.to_owned(), text.to_owned())),
                None => self.layers.problems.push(ConfigError::Value {
                    place: format!("`{name}`"),
                    value: "***".to_owned(),
                    allowed: "text in UTF-8".to_owned(),
                }),
            }
        }
        variables
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

    /// The value of a variable; nothing for an empty one where that means nothing.
    fn parsed(&mut self, setting: &Setting, text: &str, place: &str) -> Option<ValueKind> {
        if text.trim().is_empty() {
            if !setting.kind.may_be_empty() {
                let place = place.to_owned();
                self.layers.problems.push(ConfigError::Empty { place });
            }
            return None;
        }
        match setting.kind.of_text(text, self.shell()) {
            Ok(value) => Some(value),
            Err(allowed) => {
                self.layers.problems.push(ConfigError::Value {
                    place: place.to_owned(),
                    value: setting.kind.shown(&ValueKind::from(text.trim())),
                    allowed,
                });
                None
            }
        }
    }

    fn variables(&mut self, path: &Path) -> Option<Variables> {
        match files::text(path)
            .and_then(|text| text.map(|text| files::variables(path, &text)).transpose())
        {
            Ok(variables) => variables,
            Err(problem) => {
                self.layers.problems.push(problem);
                None
            }
        }
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

/// Whose words a file holds.
#[derive(Debug, Clone, Copy)]
enum Trust {
    Operator,
    Stranger,
}

fn own(folder: Option<&PathBuf>) -> Option<PathBuf> {
    folder.map(|folder| folder.join("forge"))
}

fn is_table(key: &str) -> bool {
    let begins = |setting: &&Setting| setting.key.starts_with(&format!("{key}."));
    SETTINGS.iter().any(|setting| begins(&setting))
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
