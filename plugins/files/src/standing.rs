//! What stands at a place before it is changed, and how a file is written there. Not here: which change
//! is wanted.

use std::fs;
use std::io::ErrorKind;

use forge_sdk::{Error, Result, files};

use crate::place::Place;
use crate::seen::{self, Fingerprint};

/// The largest file that is looked into before it is changed, in bytes; the largest that `read` reads
/// lines of.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// What stands at a place where a file is wanted.
#[derive(Debug)]
pub(crate) enum Standing {
    Nothing,
    Text(String),
    /// A file that is no text in UTF-8.
    Binary(Vec<u8>),
    /// A file of so many bytes, too large to be looked into.
    Large(u64),
}

impl Standing {
    /// What stands at `place`; links are followed.
    ///
    /// # Errors
    /// When it is no file, or can't be read.
    pub(crate) fn at(place: &Place) -> Result<Self> {
        let metadata = match fs::metadata(&place.path) {
            Err(error) if error.kind() == ErrorKind::NotFound && !place.path.is_symlink() => {
                return Ok(Self::Nothing);
            }
            metadata => metadata.map_err(|error| place.explain_change(&error))?,
        };
        let shown = &place.shown;
        if metadata.is_dir() {
            return Err(Error::invalid_input(if place.is_root() {
                "this is the workspace itself: give the path of a file".to_owned()
            } else {
                format!("`{shown}` is a folder: give the path of a file")
            }));
        }
        if !metadata.is_file() {
            return Err(Error::invalid_input(format!(
                "`{shown}` is neither a file nor a folder: only files can be changed"
            )));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Ok(Self::Large(metadata.len()));
        }
        let bytes = fs::read(&place.path).map_err(|error| place.explain(&error))?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Self::Text(text),
            Ok(text) => Self::Binary(text.into_bytes()),
            Err(error) => Self::Binary(error.into_bytes()),
        })
    }

    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => Some(Fingerprint::of(text.as_bytes())),
            Self::Binary(bytes) => Some(Fingerprint::of(bytes)),
            Self::Large(bytes) => Some(Fingerprint::of_large(*bytes)),
        }
    }

    /// The text that stands there.
    ///
    /// # Errors
    /// When there is none that could be changed in part.
    pub(crate) fn text(self, place: &Place) -> Result<String> {
        let shown = &place.shown;
        match self {
            Self::Text(text) => Ok(text),
            Self::Nothing => Err(place.explain(&ErrorKind::NotFound.into())),
            Self::Binary(bytes) => Err(Error::invalid_input(format!(
                "`{shown}` is no text in UTF-8 ({} bytes): only text can be changed in part",
                bytes.len()
            ))),
            Self::Large(bytes) => Err(Error::invalid_input(format!(
                "`{shown}` has {bytes} bytes, more than {MAX_FILE_BYTES}: it is too large to be changed in part"
            ))),
        }
    }
}

/// Writes `text` to the file at `place`, with the folders on the way, and notes that it was seen.
pub(crate) fn write(place: &Place, text: &str) -> Result<Fingerprint> {
    make_parents(place)?;
    files::write(&place.relative(), text.as_bytes()).map_err(|error| match error.code() {
        forge_sdk::Code::Denied => place.explain_change(&ErrorKind::PermissionDenied.into()),
        _ => Error::new(
            error.code(),
            format!("`{}` can't be written: {}", place.shown, error.message()),
        ),
    })?;
    let version = Fingerprint::of(text.as_bytes());
    seen::note(place, &version);
    Ok(version)
}

/// Makes the folders on the way to `place`.
pub(crate) fn make_parents(place: &Place) -> Result<()> {
    match place.path.parent() {
        Some(folder) if !folder.is_dir() => {
            fs::create_dir_all(folder).map_err(|error| place.explain_change(&error))
        }
        _ => Ok(()),
    }
}
