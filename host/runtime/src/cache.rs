//! Compiled code and descriptions, kept by digest.
//!
//! Compiled code runs as the host does, unchecked. So the folder belongs to its owner alone, an entry is
//! written whole and renamed into place, and its code is used only if it has the digest that was noted
//! when it was made; anything else is compiled again.

use std::fs::{self, DirBuilder, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::load::hex;

/// The version of an entry's form: entries of another form have other names.
const FORM: u32 = 1;

/// A folder of compiled components for one engine.
pub(crate) struct Cache {
    folder: PathBuf,
    /// Changes with the entries' form, the engine's version, its settings and the machine's instructions.
    compatibility: String,
}

/// What is kept of one component.
pub(crate) struct Cached {
    pub(crate) component: Component,
    pub(crate) description: String,
}

/// One entry: a line with the code's digest and the description's length, the description, the code.
struct Entry<'a> {
    description: &'a str,
    code: &'a [u8],
}

impl Cache {
    /// The cache in `folder`, or none when the folder is not the owner's alone.
    pub(crate) fn open(folder: &Path, engine: &Engine) -> Option<Self> {
        if let Err(problem) = owned_folder(folder) {
            tracing::warn!(folder = %folder.display(), %problem, "compiled code is not cached");
            return None;
        }
        let mut hasher = DefaultHasher::new();
        FORM.hash(&mut hasher);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Some(Self {
            folder: folder.to_owned(),
            compatibility: format!("{:016x}", hasher.finish()),
        })
    }

    /// The entry for the component with `digest`, if it is there and unharmed.
    pub(crate) fn get(&self, engine: &Engine, digest: &str) -> Option<Cached> {
        let path = self.path(digest);
        let bytes = fs::read(&path).ok()?;
        let Some(entry) = Entry::parse(&bytes) else {
            tracing::warn!(path = %path.display(), "a cached component is damaged: it is compiled again");
            return None;
        };
        // SAFETY: these very bytes have the digest that was written with them by `put`, into a folder
        // that only this user can write.
        #[expect(unsafe_code, reason = "compiled code can be loaded in no other way")]
        let component = unsafe { Component::deserialize(engine, entry.code) };
        match component {
            Ok(component) => Some(Cached {
                component,
                description: entry.description.to_owned(),
            }),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a cached component does not fit: it is compiled again");
                None
            }
        }
    }

    /// Keeps `component`. A cache that can't be written costs time, nothing else.
    pub(crate) fn put(&self, digest: &str, component: &Component, description: &str) {
        let written = component
            .serialize()
            .map_err(io::Error::other)
            .and_then(|code| {
                let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
                file.write_all(
                    &Entry {
                        description,
                        code: &code,
                    }
                    .to_bytes(),
                )?;
                file.as_file().sync_all()?;
                file.persist(self.path(digest))?;
                Ok(())
            });
        if let Err(error) = written {
            tracing::warn!(folder = %self.folder.display(), %error, "compiled code could not be cached");
        }
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.folder
            .join(format!("{digest}-{}.tool", self.compatibility))
    }
}

impl<'a> Entry<'a> {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {}\n", self.digest(), self.description.len()).into_bytes();
        bytes.extend_from_slice(self.description.as_bytes());
        bytes.extend_from_slice(self.code);
        bytes
    }

    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let line_end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (digest, length) = std::str::from_utf8(&bytes[..line_end])
            .ok()?
            .split_once(' ')?;
        let (description, code) = bytes[line_end + 1..].split_at_checked(length.parse().ok()?)?;
        let entry = Self {
            description: std::str::from_utf8(description).ok()?,
            code,
        };
        (entry.digest() == digest).then_some(entry)
    }

    fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        // The length too: else the border between the two could be moved.
        hasher.update((self.description.len() as u64).to_le_bytes());
        hasher.update(self.description.as_bytes());
        hasher.update(self.code);
        hex(&hasher.finalize())
    }
}

/// Makes `folder` for its owner alone, or checks that it is so.
fn owned_folder(folder: &Path) -> Result<(), String> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| error.to_string())?;
    let metadata = fs::symlink_metadata(folder).map_err(|error| error.to_string())?;
    if !metadata.is_dir() {
        return Err("it is no folder".to_owned());
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    let mode = metadata.mode();
    if mode & 0o022 != 0 {
        return Err("others may write it: `chmod 700` makes it safe, if nobody did".to_owned());
    }
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
