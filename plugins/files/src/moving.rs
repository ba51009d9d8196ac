//! `move`: a file, folder or link to another name. A link is moved itself, not what it leads to.

use std::fs;

use forge_sdk::{Error, Output, Result, json};

use crate::below::Below;
use crate::fence;
use crate::place::Place;
use crate::seen;
use crate::standing::{Standing, make_parents};

/// From where to where.
#[forge_sdk::input]
pub(crate) struct Move {
    /// The file or folder, relative to the workspace.
    #[schemars(length(max = 400))]
    from: String,
    /// Its whole new path.
    #[schemars(length(max = 400))]
    to: String,
    /// Replaces a file at `to`.
    replace: Option<bool>,
    /// Moves or replaces a file that changed since it was read.
    even_if_changed: Option<bool>,
}

pub(crate) fn move_to(input: Move) -> Result<Output> {
    let (from, to) = (Place::parse(&input.from)?, Place::parse(&input.to)?);
    check_places(&from, &to)?;
    let moved = fs::symlink_metadata(&from.path).map_err(|error| from.explain(&error))?;
    let is_folder = moved.is_dir();
    let below = if is_folder {
        Below::of(&from)?
    } else {
        if !moved.is_symlink() {
            let now = Standing::at(&from)?.fingerprint();
            seen::check(&from, now.as_ref(), input.even_if_changed)?;
        }
        Below::default()
    };
    let is_replacing = check_target(&to, is_folder, &input)?;
    make_parents(&to)?;
    fs::rename(&from.path, &to.path).map_err(|error| {
        let why = to.explain_change(&error);
        let message = format!("`{}` can't be moved to `{}`: {why}", from.shown, to.shown);
        Error::new(why.code(), message)
    })?;

    seen::follow(&from, &to);
    for file in &below.files {
        if let Some(inside) = file.moved(&from, &to) {
            seen::follow(file, &inside);
        }
    }
    let (old, new) = (&from.shown, &to.shown);
    let what = if is_folder { "the folder " } else { "" };
    let note = if is_replacing {
        ", which replaced a file"
    } else {
        ""
    };
    let renamed = fence::fenced("diff", &format!("rename from {old}\nrename to {new}\n"));
    let report = format!("moved {what}`{old}` to `{new}`{note}\n{renamed}");
    Ok(Output::text(report).with_structured(json!({
        "from": old,
        "to": new,
        "change": "moved",
        "replaced": is_replacing,
    })))
}

fn check_places(from: &Place, to: &Place) -> Result<()> {
    let (old, new) = (&from.shown, &to.shown);
    if from.is_root() || to.is_root() {
        return Err(Error::invalid_input(
            "the workspace itself can't be moved or replaced: give the whole new path",
        ));
    }
    if from.path == to.path {
        return Err(Error::invalid_input(format!(
            "`{old}` is there already: `from` and `to` are the same"
        )));
    }
    if to.path.starts_with(&from.path) {
        return Err(Error::invalid_input(format!(
            "`{new}` lies inside `{old}`: a folder can't be moved into itself"
        )));
    }
    Ok(())
}

/// Whether a file is at `to` that is to be replaced.
fn check_target(to: &Place, is_folder: bool, input: &Move) -> Result<bool> {
    let shown = &to.shown;
    let Ok(target) = fs::symlink_metadata(&to.path) else {
        return Ok(false);
    };
    if target.is_dir() {
        return Err(Error::invalid_input(format!(
            "`{shown}` is a folder that exists: give the whole new path, such as `{shown}/name`"
        )));
    }
    if is_folder || input.replace != Some(true) {
        let way_out = if is_folder {
            "choose another name"
        } else {
            "choose another name, or say `replace`"
        };
        return Err(Error::invalid_input(format!(
            "`{shown}` exists already: {way_out}"
        )));
    }
    if !target.is_symlink() {
        let now = Standing::at(to)?.fingerprint();
        seen::check(to, now.as_ref(), input.even_if_changed)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
