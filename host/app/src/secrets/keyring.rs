//! This machine's keyring. It may wait for a person to unlock it, so every answer has a longest time. Not here: what is
//! in it, and for whom.

use std::path::Path;
use std::time::Duration;

use forge_contract::name::Name;
use keyring::{Entry, Error};
use secrecy::{ExposeSecret, SecretString};

use super::SecretError;

/// The entries of one data folder.
#[derive(Debug, Clone)]
pub(super) struct Keyring {
    service: String,
}

/// How long a person has to unlock it while a secret is stored or removed.
const UNLOCKING: Duration = Duration::from_secs(60);
/// How long a request waits for it.
const READING: Duration = Duration::from_secs(5);

impl Keyring {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self {
            service: format!("forge {}", data_dir.display()),
        }
    }

    pub(super) async fn set(&self, name: &Name, value: &SecretString) -> Result<(), SecretError> {
        let value = value.clone();
        let set = move |entry: &Entry| entry.set_password(value.expose_secret());
        self.ask(name, UNLOCKING, set).await
    }

    pub(super) async fn get(&self, name: &Name) -> Result<SecretString, SecretError> {
        self.ask(name, READING, |entry| entry.get_password().map(Into::into))
            .await
    }

    /// One that is not there any more is removed.
    pub(super) async fn remove(&self, name: &Name) -> Result<(), SecretError> {
        let remove = |entry: &Entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            other => other,
        };
        self.ask(name, UNLOCKING, remove).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        name: &Name,
        limit: Duration,
        ask: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, SecretError> {
        let (service, user) = (self.service.clone(), name.to_string());
        // The library blocks.
        let asking = tokio::task::spawn_blocking(move || ask(&Entry::new(&service, &user)?));
        let problem = match tokio::time::timeout(limit, asking).await {
            Ok(Ok(Ok(answer))) => return Ok(answer),
            Ok(Ok(Err(error))) => told(&error),
            Ok(Err(_)) => "it failed".to_owned(),
            Err(_) => format!(
                "it did not answer within {} s: is it locked?",
                limit.as_secs()
            ),
        };
        let name = name.clone();
        Err(SecretError::Keyring { name, problem })
    }
}

fn told(error: &Error) -> String {
    match error {
        Error::NoEntry => "it is not there any more: set it again".to_owned(),
        // Its text can hold the value.
        Error::BadEncoding(_) => "it is no text: set it again".to_owned(),
        Error::NoDefaultStore => "none answers here: is your session's keyring running?".to_owned(),
        other => other.to_string(),
    }
}
