//! Compiled code and descriptions, kept by digest.
//!
//! Compiled code runs as the host does, unchecked. So the folder belongs to its owner alone, an entry is
//! written whole and renamed into place, and its code is used only if it has the digest that was noted
//! when it was made; anything else is compiled again. The code lies in a file of its own, which is mapped: what no
//! call uses takes no memory.

use std::fs::{self, DirBuilder, File, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::load::hex;

/// The version of an entry's form: entries of another form have other names.
const FORM: u32 = 2;

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
        let entry = self.entry(digest);
        let description = match entry.verified() {
            Ok(description) => description?,
            Err(Damaged) => {
                tracing::warn!(path = %entry.code.display(), "a cached component is damaged: it is compiled again");
                return None;
            }
        };
        // SAFETY: this file had the digest that was written with it by `put`, and lies in a folder that only this
        // user can write.
        #[expect(unsafe_code, reason = "compiled code can be loaded in no other way")]
        let component = unsafe { Component::deserialize_file(engine, &entry.code) };
        match component {
            Ok(component) => Some(Cached {
                component,
                description,
            }),
            Err(error) => {
                tracing::warn!(path = %entry.code.display(), %error, "a cached component does not fit: it is compiled again");
                None
            }
        }
    }

    /// Keeps `component`. A cache that can't be written costs time, nothing else.
    pub(crate) fn put(&self, digest: &str, component: &Component, description: &str) {
        let written = component
            .serialize()
            .map_err(io::Error::other)
            .and_then(|code| self.entry(digest).write(description, &code));
        if let Err(error) = written {
            tracing::warn!(folder = %self.folder.display(), %error, "compiled code could not be cached");
        }
    }

    fn entry(&self, digest: &str) -> Entry {
        let stem = self.folder.join(format!("{digest}-{}", self.compatibility));
        Entry {
            head: stem.with_extension("tool"),
            code: stem.with_extension("code"),
        }
    }
}

/// The two files of an entry: a line with a digest, and the description; and the code.
struct Entry {
    head: PathBuf,
    code: PathBuf,
}

/// An entry that is not as it was written.
#[derive(Debug, PartialEq, Eq)]
struct Damaged;

impl Entry {
    fn write(&self, description: &str, code: &[u8]) -> io::Result<()> {
        let digest = digest(description, code)?;
        replace(&self.code, code)?;
        replace(&self.head, format!("{digest}\n{description}").as_bytes())
    }

    /// The description, if there is an entry and all of it is as it was written.
    fn verified(&self) -> Result<Option<String>, Damaged> {
        let Ok(head) = fs::read(&self.head) else {
            return Ok(None);
        };
        let head = String::from_utf8(head).map_err(|_| Damaged)?;
        let (noted, description) = head.split_once('\n').ok_or(Damaged)?;
        let code = File::open(&self.code).map_err(|_| Damaged)?;
        let found = digest(description, code).map_err(|_| Damaged)?;
        if found == noted {
            Ok(Some(description.to_owned()))
        } else {
            Err(Damaged)
        }
    }
}

/// The digest of both parts of an entry.
fn digest(description: &str, mut code: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    // The length too: else the border between the two could be moved.
    hasher.update((description.len() as u64).to_le_bytes());
    hasher.update(description.as_bytes());
    let mut piece = vec![0; 64 << 10];
    loop {
        match code.read(&mut piece)? {
            0 => return Ok(hex(&hasher.finalize())),
            length => hasher.update(&piece[..length]),
        }
    }
}

/// Writes a file whole and renames it into place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
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
