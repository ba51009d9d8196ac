//! The folder for what is fetched once: a server, models, a standard library in the making.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::environment;

/// A folder outside the checkout, so that every checkout shares it.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// `FORGE_DEV_CACHE`, else `forge-dev` in the person's cache folder.
    pub(crate) fn open_default() -> Result<Self> {
        let folder = environment::cache_folder()
            .context("no home folder: set `FORGE_DEV_CACHE` to a folder for downloads")?;
        Self::open(&folder)
    }

    /// This folder, made where it is missing.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("`{}`", folder.display()))?;
        Ok(Self {
            folder: folder.canonicalize()?,
        })
    }

    /// The folder of one subject, made where it is missing and locked until the answer is dropped:
    /// a second run waits and then finds everything there.
    pub(crate) fn lock(&self, subject: &str) -> Result<Locked> {
        let folder = self.folder.join(subject);
        fs::create_dir_all(&folder).with_context(|| format!("`{}`", folder.display()))?;
        let guard = File::create(folder.join(".lock"))?;
        guard
            .lock()
            .with_context(|| format!("`{}` could not be locked", folder.display()))?;
        Ok(Locked {
            folder,
            _guard: guard,
        })
    }
}

/// A folder that no other run of this program touches meanwhile.
pub(crate) struct Locked {
    /// The folder.
    pub(crate) folder: PathBuf,
    _guard: File,
}

impl Locked {
    /// An empty folder inside.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("`{}`", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("`{}`", folder.display()))?;
        Ok(folder)
    }
}

/// The SHA-256 of a file, in lower-case hexadecimal.
pub(crate) fn sha256(file: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    File::open(file)
        .and_then(|mut reader| io::copy(&mut reader, &mut HashInto(&mut hasher)))
        .with_context(|| format!("`{}`", file.display()))?;
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Whether the file is there and is the expected one.
pub(crate) fn is_genuine(file: &Path, expected_sha256: &str) -> Result<bool> {
    Ok(file.is_file() && sha256(file)? == expected_sha256)
}

/// Fails unless the file is the expected one.
pub(crate) fn must_be_genuine(file: &Path, expected_sha256: &str) -> Result<()> {
    let found = sha256(file)?;
    anyhow::ensure!(
        found == expected_sha256,
        "`{}` has SHA-256 {found}, not {expected_sha256}: it is not the file that was tested",
        file.display()
    );
    Ok(())
}

struct HashInto<'a>(&'a mut Sha256);

impl io::Write for HashInto<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn changed_file_is_refused() {
        let file = env::temp_dir().join(format!("xtask-cache-{}", std::process::id()));
        fs::write(&file, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        must_be_genuine(&file, known).unwrap();
        fs::write(&file, "abd").unwrap();
        let error = must_be_genuine(&file, known).unwrap_err().to_string();
        assert!(error.contains("not the file that was tested"), "{error}");
        fs::remove_file(&file).unwrap();
        assert!(!is_genuine(&file, known).unwrap());
    }
}
