//! All that lies below a folder, links not followed.

use std::fs;
use std::path::PathBuf;

use forge_sdk::{Error, Result};

use crate::place::Place;

/// The most entries of a folder that is moved or deleted as a whole.
const MAX_ENTRIES: usize = 10_000;

/// What lies below a folder.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// Files, links and what else is no folder.
    pub(crate) files: Vec<Place>,
    /// Folders, each after the one that holds it.
    pub(crate) folders: Vec<Place>,
}

impl Below {
    /// # Errors
    /// When a folder can't be read, or there is too much.
    pub(crate) fn of(folder: &Place) -> Result<Self> {
        let mut below = Self::default();
        let mut open: Vec<PathBuf> = vec![folder.path.clone()];
        while let Some(path) = open.pop() {
            let place = Place::at(path);
            let entries = fs::read_dir(&place.path).map_err(|error| place.explain(&error))?;
            for entry in entries {
                let entry = entry.map_err(|error| place.explain(&error))?;
                let kind = entry.file_type().map_err(|error| place.explain(&error))?;
                if kind.is_dir() {
                    open.push(entry.path());
                    below.folders.push(Place::at(entry.path()));
                } else {
                    below.files.push(Place::at(entry.path()));
                }
            }
            if below.files.len() + below.folders.len() > MAX_ENTRIES {
                return Err(Error::invalid_input(format!(
                    "`{}` holds more than {MAX_ENTRIES} entries: take its folders one by one",
                    folder.shown
                )));
            }
        }
        below.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(below)
    }
}
