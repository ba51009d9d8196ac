//! The variables of a process, and what their texts may be. Not here: which ones there are.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use etcetera::BaseStrategy;

use super::ConfigError;

/// What a process is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its variables.
    pub variables: BTreeMap<OsString, OsString>,
    /// The folder that relative paths start from.
    pub current_dir: PathBuf,
    /// Where this user's programs keep data; `None` when the home folder is unknown.
    pub user_data_dir: Option<PathBuf>,
    /// Where this user's programs keep what can be made again.
    pub user_cache_dir: Option<PathBuf>,
}

/// What a switch is while its variable is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unset {
    On,
    Off,
}

impl Environment {
    /// The environment of this process.
    ///
    /// # Errors
    /// When the current folder does not exist.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads it"
    )]
    pub fn of_this_process() -> Result<Self, ConfigError> {
        let user = etcetera::choose_base_strategy().ok();
        Ok(Self {
            variables: std::env::vars_os().collect(),
            current_dir: std::env::current_dir().map_err(|_| ConfigError::NoCurrentFolder)?,
            user_data_dir: user.as_ref().map(BaseStrategy::data_dir),
            user_cache_dir: user.as_ref().map(BaseStrategy::cache_dir),
        })
    }

    /// The text of `variable`, trimmed.
    pub(super) fn text(&self, variable: &str) -> Result<Option<String>, ConfigError> {
        let Some(value) = self.variables.get(&OsString::from(variable)) else {
            return Ok(None);
        };
        let Some(text) = value.to_str() else {
            let shown = value.to_string_lossy();
            return Err(ConfigError::value(variable, &shown, "text in UTF-8"));
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(ConfigError::Empty {
                variable: variable.to_owned(),
            });
        }
        Ok(Some(text.to_owned()))
    }

    /// The path in `variable`, absolute.
    pub(super) fn path(&self, variable: &str) -> Result<Option<PathBuf>, ConfigError> {
        match self.variables.get(&OsString::from(variable)) {
            Some(value) if value.is_empty() => Err(ConfigError::Empty {
                variable: variable.to_owned(),
            }),
            Some(value) => Ok(Some(self.current_dir.join(value))),
            None => Ok(None),
        }
    }

    /// The switch in `variable`: a word that is neither yes nor no is an error, never a no.
    pub(super) fn switch(&self, variable: &str, unset: Unset) -> Result<bool, ConfigError> {
        let Some(text) = self.text(variable)? else {
            return Ok(unset == Unset::On);
        };
        match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err(ConfigError::value(
                variable,
                &text,
                "`true` or `false` (or `1`/`0`, `yes`/`no`, `on`/`off`)",
            )),
        }
    }

    /// The whole number in `variable`.
    pub(super) fn number<T>(
        &self,
        variable: &str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, ConfigError>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.text(variable)? else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| range.contains(number));
        let allowed = || format!("a whole number from {} to {}", range.start(), range.end());
        number
            .map(Some)
            .ok_or_else(|| ConfigError::value(variable, &text, allowed()))
    }

    /// Refuses variables that begin with `prefix` and are none of `known`.
    pub(super) fn refuse_unknown(&self, prefix: &str, known: &[&str]) -> Result<(), ConfigError> {
        let set = self
            .variables
            .keys()
            .filter_map(|variable| variable.to_str());
        let mut unknown =
            set.filter(|variable| variable.starts_with(prefix) && !known.contains(variable));
        unknown.next().map_or(Ok(()), |variable| {
            Err(ConfigError::Unknown {
                variable: variable.to_owned(),
                known: known
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
        })
    }
}
