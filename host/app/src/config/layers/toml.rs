//! The layers of TOML: the operator's file, and the project's, which may only narrow.

use std::path::Path;

use config::{Map, Source, Value, ValueKind};

use super::super::kind::Base;
use super::super::table::{SETTINGS, Setting};
use super::super::{ConfigError, files, narrow, nearest};
use super::{FILE, Layer, Reader, found, grants, is_same, named_file};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Operator,
    Project,
}

impl Reader<'_> {
    pub(super) fn user_file(&mut self) {
        let Some(path) = self.layers.user_file.clone() else {
            return;
        };
        let is_named = named_file(self.environment, self.overrides).is_some();
        match files::text(&path) {
            Ok(Some(text)) => {
                let layer = self.file(&path, &text, Whose::Operator);
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

    pub(super) fn project_file(&mut self) {
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
        let Layer(wanted) = self.file(&path, &text, Whose::Project);
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
                        key: setting.key,
                        wants: format!(
                            "`{}` where `{}` holds, {rule}",
                            setting.kind.shown(&value.kind),
                            shown.unwrap_or_else(|| setting.fallback_shown().to_owned())
                        ),
                        user_file: self.user_file_shown(),
                    });
                }
            }
        }
        self.put(layer);
    }

    /// The checked values of a file; what can't be used becomes a problem.
    fn file(&mut self, path: &Path, text: &str, whose: Whose) -> Layer {
        let mut layer = Layer::default();
        match files::table(path, text) {
            Ok(mut table) => {
                if let Some(plugins) = table.remove(grants::TABLE) {
                    self.grants(path, plugins, whose);
                }
                self.keys(path, "", &table, &mut layer);
            }
            Err(problem) => self.layers.problems.push(problem),
        }
        layer
    }

    /// Only the operator grants anything.
    fn grants(&mut self, path: &Path, plugins: Value, whose: Whose) {
        if whose == Whose::Project {
            return self.layers.problems.push(ConfigError::Widens {
                file: path.display().to_string(),
                key: grants::TABLE,
                wants: "grants of its own, and only you may grant".to_owned(),
                user_file: self.user_file_shown(),
            });
        }
        match grants::read(path, plugins) {
            Ok(grants) => self.layers.grants = grants,
            Err(problem) => self.layers.problems.push(problem),
        }
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
}

fn is_table(key: &str) -> bool {
    let begins = |setting: &&Setting| setting.key.starts_with(&format!("{key}."));
    SETTINGS.iter().any(|setting| begins(&setting))
}
