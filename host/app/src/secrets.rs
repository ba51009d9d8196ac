//! Secrets of tools: kept in this machine's keyring where there is one, else in a file for its owner alone, each for the
//! tools and the places that the operator stored it for. Not here: how they get into requests; the runtime does that.

mod keyring;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use forge_contract::name::Name;
use forge_contract::requirements::Secret;
use forge_runtime::SecretLookup;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::private;
use keyring::Keyring;

/// What a tool asks a secret for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Use {
    /// The tool.
    pub tool: Name,
    /// Which secret, where it is sent and how.
    #[serde(flatten)]
    pub secret: Secret,
}

/// Where a value is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeper {
    /// This machine's keyring.
    Keyring,
    /// Forge's own file.
    File,
}

/// Why a secret can't be kept, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// A value that no header can carry.
    #[error("the value of `{name}` {problem}")]
    Value {
        /// The secret.
        name: Name,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file can't be read or written.
    #[error("the secrets in `{}` can't be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The keyring has it and does not give it.
    #[error("the keyring, which keeps `{name}`, does not give it: {problem}")]
    Keyring {
        /// The secret.
        name: Name,
        /// Why.
        problem: String,
    },
}

/// The secrets of one data folder.
#[derive(Debug, Clone)]
pub struct Secrets {
    file: PathBuf,
    keyring: Keyring,
}

/// What the file has of one secret.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Its value, where no keyring has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    uses: BTreeSet<Use>,
}

type Entries = BTreeMap<Name, Kept>;

/// The shortest value that is kept, in bytes: a shorter one would be found in answers by chance.
const LEAST_BYTES: usize = 8;
/// The longest, in bytes: a head of more than 8 KiB is refused by many servers.
pub(crate) const MOST_BYTES: usize = 4096;

impl Secrets {
    /// Those in `data_dir`.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            file: data_dir.join("secrets.json"),
            keyring: Keyring::new(data_dir),
        }
    }

    /// Keeps `value` as `name` for `uses` and for nothing else, in the keyring where one answers, if `keeper` does not
    /// say otherwise. Tells where it is.
    ///
    /// # Errors
    /// When no header can carry it, or it can't be written; what was there before is then still there.
    pub async fn set(
        &self,
        name: &Name,
        value: &SecretString,
        uses: BTreeSet<Use>,
        keeper: Keeper,
    ) -> Result<Keeper, SecretError> {
        check(name, value.expose_secret())?;
        let mut entries = self.read()?;
        let in_keyring = keeper == Keeper::Keyring && self.keyring.set(name, value).await.is_ok();
        let kept = Kept {
            value: (!in_keyring).then(|| value.expose_secret().to_owned()),
            uses,
        };
        entries.insert(name.clone(), kept);
        self.write(&entries)?;
        Ok(if in_keyring {
            Keeper::Keyring
        } else {
            Keeper::File
        })
    }

    /// Every secret that is kept: where, and for what.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn list(&self) -> Result<BTreeMap<Name, (Keeper, BTreeSet<Use>)>, SecretError> {
        let entries = self.read()?.into_iter();
        let listed = entries.map(|(name, kept)| (name, (kept.keeper(), kept.uses)));
        Ok(listed.collect())
    }

    /// Forgets `name`. Tells whether there was one.
    ///
    /// # Errors
    /// When it can't be removed where it is kept; it is then still there.
    pub async fn remove(&self, name: &Name) -> Result<bool, SecretError> {
        let mut entries = self.read()?;
        let Some(kept) = entries.remove(name) else {
            return Ok(false);
        };
        if kept.keeper() == Keeper::Keyring {
            self.keyring.remove(name).await?;
        }
        self.write(&entries)?;
        Ok(true)
    }

    async fn look_up(&self, tool: &Name, secret: &Secret) -> Result<SecretString, String> {
        let name = &secret.name;
        let entries = self.read();
        let mut entries = entries.map_err(|error| crate::causes::with_causes(&error))?;
        let Some(kept) = entries.remove(name) else {
            return Err(format!(
                "there is no secret `{name}`: store it with `forge secret set {name}`"
            ));
        };
        let wanted = Use {
            tool: tool.clone(),
            secret: secret.clone(),
        };
        if !kept.uses.contains(&wanted) {
            return Err(format!(
                "`{name}` was not stored for `{tool}` to send to {}: `forge secret set {name} --tool {tool}` does that",
                secret.origin
            ));
        }
        match kept.value {
            Some(value) => Ok(value.into()),
            None => {
                let found = self.keyring.get(name).await;
                found.map_err(|error| error.to_string())
            }
        }
    }

    fn read(&self) -> Result<Entries, SecretError> {
        let read = || {
            let text = match fs::read(&self.file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entries::new()),
                text => text?,
            };
            check_mode(&self.file)?;
            // What is wrong in it is not told: it could be a part of a secret.
            serde_json::from_slice(&text).map_err(|_| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it is not what Forge wrote: remove it and set them again",
                )
            })
        };
        read().map_err(|source| self.unusable(source))
    }

    /// The file is replaced as a whole.
    fn write(&self, entries: &Entries) -> Result<(), SecretError> {
        let write = || {
            let folder = self.file.parent().unwrap_or(Path::new("."));
            private::create_folder(folder)?;
            let text = serde_json::to_vec_pretty(entries)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&text)?;
            file.as_file().sync_all()?;
            file.persist(&self.file)?;
            Ok(())
        };
        write().map_err(|source| self.unusable(source))
    }

    fn unusable(&self, source: io::Error) -> SecretError {
        let path = self.file.clone();
        SecretError::File { path, source }
    }
}

impl forge_runtime::Secrets for Secrets {
    fn value<'a>(&'a self, tool: &'a Name, secret: &'a Secret) -> SecretLookup<'a> {
        Box::pin(self.look_up(tool, secret))
    }
}

impl Kept {
    fn keeper(&self) -> Keeper {
        match self.value {
            Some(_) => Keeper::File,
            None => Keeper::Keyring,
        }
    }
}

fn check(name: &Name, value: &str) -> Result<(), SecretError> {
    let is_fit = |c: char| c == ' ' || c.is_ascii_graphic();
    let problem = if value.len() < LEAST_BYTES {
        "has less than 8 characters, which would be found everywhere by chance"
    } else if value.len() > MOST_BYTES {
        "has more than 4096 characters, more than a header should carry"
    } else if !value.chars().all(is_fit) {
        "holds more than visible characters of ASCII, which no header can carry"
    } else if value.trim() != value {
        "begins or ends with a space, which no header can carry"
    } else {
        return Ok(());
    };
    let name = name.clone();
    Err(SecretError::Value { name, problem })
}

/// What others can read is no secret any more.
fn check_mode(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(file)?.permissions().mode() & 0o077 != 0 {
            let problem =
                "others may read or change it: `chmod 600` it, and think about new secrets";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
