//! What a process is started with: its variables and the folders of its user. Not here: what any of it
//! means.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use etcetera::BaseStrategy;

use super::ConfigError;

/// What a process is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Its variables.
    pub variables: BTreeMap<OsString, OsString>,
    /// The folder that relative paths start from.
    pub current_dir: PathBuf,
    /// The user's home folder; `None` when it is unknown.
    pub home_dir: Option<PathBuf>,
    /// Where this user's programs keep their settings.
    pub user_config_dir: Option<PathBuf>,
    /// Where this user's programs keep data.
    pub user_data_dir: Option<PathBuf>,
    /// Where this user's programs keep what can be made again.
    pub user_cache_dir: Option<PathBuf>,
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
            home_dir: user.as_ref().map(|user| user.home_dir().to_path_buf()),
            user_config_dir: user.as_ref().map(BaseStrategy::config_dir),
            user_data_dir: user.as_ref().map(BaseStrategy::data_dir),
            user_cache_dir: user.as_ref().map(BaseStrategy::cache_dir),
        })
    }

    /// Forge's folder of the operator's settings.
    pub(super) fn settings_dir(&self) -> Option<PathBuf> {
        self.user_config_dir
            .as_ref()
            .map(|folder| folder.join("forge"))
    }
}
