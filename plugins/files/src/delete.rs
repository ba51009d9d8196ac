//! `delete`: a file, a link or a folder. A link is removed itself, not what it leads to.

use std::fs;
use std::io;

use forge_sdk::{Error, Output, Result, json};

use crate::below::Below;
use crate::fence;
use crate::place::Place;
use crate::seen;
use crate::standing::Standing;

/// The most entries that one call deletes. The host ends a call at some thousand changes, and would end it
/// half-way.
const MAX_REMOVED: usize = 2000;

/// What goes.
#[forge_sdk::input]
pub(crate) struct Delete {
    /// The file or folder, relative to the workspace.
    #[schemars(length(max = 400))]
    path: String,
    /// Deletes a folder with all that it holds.
    recursive: Option<bool>,
    /// Deletes a file that changed since it was read.
    even_if_changed: Option<bool>,
}

pub(crate) fn delete(input: Delete) -> Result<Output> {
    let place = Place::parse(&input.path)?;
    if place.is_root() {
        return Err(Error::invalid_input(
            "the workspace itself can't be deleted: give the path of what shall go",
        ));
    }
    let metadata = fs::symlink_metadata(&place.path).map_err(|error| place.explain(&error))?;
    let (report, removed) = if metadata.is_dir() {
        folder(&place, &input)?
    } else {
        (file(&place, metadata.is_symlink(), &input)?, 1)
    };
    Ok(Output::text(report).with_structured(json!({
        "path": &place.shown,
        "change": "removed",
        "removed": removed,
    })))
}

fn file(place: &Place, is_link: bool, input: &Delete) -> Result<String> {
    let shown = &place.shown;
    let standing = if is_link {
        None
    } else {
        let standing = Standing::at(place)?;
        seen::check(
            place,
            standing.fingerprint().as_ref(),
            input.even_if_changed,
        )?;
        Some(standing)
    };
    remove(place, fs::remove_file(&place.path))?;
    Ok(match standing {
        None => format!("deleted the link `{shown}`; what it led to is untouched"),
        Some(Standing::Text(text)) if !text.is_empty() => {
            let diff = fence::diff(shown, Some(&text), None);
            format!("deleted `{shown}` ({} bytes)\n{diff}", text.len())
        }
        Some(Standing::Binary(bytes)) => format!(
            "deleted `{shown}` ({} bytes, no text, so there is no diff)",
            bytes.len()
        ),
        Some(Standing::Large(bytes)) => {
            format!("deleted `{shown}` ({bytes} bytes, too many for a diff)")
        }
        Some(Standing::Text(_) | Standing::Nothing) => format!("deleted `{shown}`, empty"),
    })
}

fn folder(place: &Place, input: &Delete) -> Result<(String, usize)> {
    let shown = &place.shown;
    let below = Below::of(place)?;
    let held = below.files.len() + below.folders.len();
    if held > 0 && input.recursive != Some(true) {
        return Err(Error::invalid_input(format!(
            "`{shown}` is a folder that holds {held} entries: say `recursive` to delete them all"
        )));
    }
    if held > MAX_REMOVED {
        return Err(Error::invalid_input(format!(
            "`{shown}` holds {held} entries, more than {MAX_REMOVED}: delete its folders one by one"
        )));
    }
    for file in below.files.iter().filter(|file| !file.path.is_symlink()) {
        if seen::is_known(file) {
            let now = Standing::at(file)?.fingerprint();
            seen::check(file, now.as_ref(), input.even_if_changed)?;
        }
    }
    let mut names = String::new();
    let mut removed = 0;
    let failed = |error: Error, removed: usize| {
        let message = format!("{error}; {removed} of the {} entries went before", held + 1);
        Error::new(error.code(), message).with_details(json!({ "removed": removed }))
    };
    for file in &below.files {
        remove(file, fs::remove_file(&file.path)).map_err(|error| failed(error, removed))?;
        removed += 1;
        names.push_str(&format!("- {}\n", file.shown));
    }
    for folder in below.folders.iter().rev().chain([place]) {
        remove(folder, fs::remove_dir(&folder.path)).map_err(|error| failed(error, removed))?;
        removed += 1;
        names.push_str(&format!("- {}/\n", folder.shown));
    }
    let list = fence::fenced("diff", &names);
    Ok((
        format!("deleted the folder `{shown}` ({removed} entries)\n{list}"),
        removed,
    ))
}

fn remove(place: &Place, result: io::Result<()>) -> Result<()> {
    result.map_err(|error| place.explain_change(&error))?;
    seen::forget(place);
    Ok(())
}

#[cfg(test)]
mod tests;
