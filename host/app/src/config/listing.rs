//! The settings as people look at them: what holds, where it comes from, and what can't be used.

use std::path::PathBuf;

use super::layers::{self, Layers};
use super::table::{SETTINGS, Setting};
use super::{Config, ConfigError, Environment, Overrides};

/// All settings with their values.
#[derive(Debug)]
pub struct Listing {
    /// One row for each setting, in the table's order.
    pub rows: Vec<Row>,
    /// What can't be used.
    pub problems: Vec<ConfigError>,
    /// What is odd, and what has no effect.
    pub warnings: Vec<String>,
    /// The user's file, whether it is there or not; `None` when nobody knows where it would be.
    pub user_file: Option<PathBuf>,
}

/// One setting with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its key.
    pub key: &'static str,
    /// Its variable.
    pub variable: &'static str,
    /// What it holds: stars for a secret, `None` where nothing is set.
    pub value: Option<String>,
    /// What holds instead of a value.
    pub fallback: &'static str,
    /// Where it comes from; `None` for the default.
    pub source: Option<String>,
    /// What it does.
    pub doc: &'static str,
}

/// Lists the settings of `environment`, over which `overrides` go.
#[must_use]
pub fn list(environment: &Environment, overrides: &Overrides) -> Listing {
    let mut layers = layers::read(environment, overrides);
    layers.derive();
    let mut problems = std::mem::take(&mut layers.problems);
    if problems.is_empty() {
        problems.extend(Config::of(&layers, environment).err());
    }
    Listing {
        rows: SETTINGS
            .iter()
            .map(|setting| row(setting, &layers))
            .collect(),
        problems,
        warnings: layers.warnings,
        user_file: layers.user_file,
    }
}

fn row(setting: &'static Setting, layers: &Layers) -> Row {
    let value = layers.get(setting.key);
    Row {
        key: setting.key,
        variable: setting.variable,
        value: value.map(|value| setting.kind.shown(&value.kind)),
        fallback: setting.fallback_shown(),
        source: value.and_then(|value| value.origin().map(str::to_owned)),
        doc: setting.doc,
    }
}
