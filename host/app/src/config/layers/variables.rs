//! The layers of variables: those of the process, those of files that the operator trusts, and those of
//! files in the current folder, which may only narrow.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use config::{Source, ValueKind};

use super::super::table::Setting;
use super::super::{ConfigError, absent, files, narrow, nearest};
use super::{CONFIG_FILE, Layer, Reader, found, is_same};

/// Files of variables, the later over the earlier.
const VARIABLE_FILES: [&str; 2] = [".env", ".env.local"];

/// Forge's names; what begins so and is unknown is a mistake.
const OWN_PREFIXES: [&str; 2] = ["FORGE_", "POLICY_"];

/// Names that the build and the tests of Forge use beside the program.
const BUILD_PREFIXES: [&str; 2] = ["FORGE_TEST_", "FORGE_DEV_"];

/// Names and texts, in the order in which they are set.
pub(super) type Variables = Vec<(String, String)>;

impl Reader<'_> {
    /// Files of variables that the operator named or keeps in the folder of settings.
    pub(super) fn trusted_files(&mut self) -> Vec<(PathBuf, Variables)> {
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
    pub(super) fn untrusted_files(&mut self, trusted: &[(PathBuf, Variables)]) {
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
    pub(super) fn trusted_variables(
        &mut self,
        path: Option<&PathBuf>,
        variables: &[(String, String)],
    ) {
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
    pub(super) fn process_variables(&mut self) -> Variables {
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
}

/// Whose words a file holds.
#[derive(Debug, Clone, Copy)]
enum Trust {
    Operator,
    Stranger,
}
