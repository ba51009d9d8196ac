//! `mkdir`: a folder, with those on the way.

use std::fs;

use forge_sdk::{Error, Output, Result, json};

use crate::place::Place;

/// Which folder.
#[forge_sdk::input]
pub(crate) struct Mkdir {
    /// The folder, relative to the workspace.
    #[schemars(length(max = 400))]
    path: String,
}

pub(crate) fn mkdir(input: Mkdir) -> Result<Output> {
    let place = Place::parse(&input.path)?;
    let shown = &place.shown;
    let (change, report) = if place.path.is_dir() {
        ("unchanged", format!("`{shown}` is there already"))
    } else if fs::symlink_metadata(&place.path).is_ok() {
        return Err(Error::invalid_input(format!(
            "`{shown}` is there already and no folder: choose another name"
        )));
    } else {
        fs::create_dir_all(&place.path).map_err(|error| place.explain_change(&error))?;
        ("created", format!("created the folder `{shown}`"))
    };
    let structured = json!({ "path": shown, "change": change });
    Ok(Output::text(report).with_structured(structured))
}

#[cfg(test)]
mod tests;
