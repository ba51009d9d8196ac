//! `patch`: a unified diff over one or several files, all of it or nothing. Not here: reading one
//! ([`unified`]) and finding where its hunks belong ([`fit`]).

use std::collections::BTreeSet;
use std::fs;

use forge_sdk::{Error, Output, Result, Value, json};

mod unified;
mod fit;

use crate::fence;
use crate::place::Place;
use crate::seen;
use crate::standing::{self, Standing};
use unified::{Section, parse};

/// The longest patch, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The changes.
#[forge_sdk::input]
pub(crate) struct Patch {
    /// A unified diff with `---`, `+++` and `@@` lines.
    patch: String,
    /// Changes files that changed since they were read.
    even_if_changed: Option<bool>,
}

pub(crate) fn patch(input: Patch) -> Result<Output> {
    if input.patch.len() > MAX_BYTES {
        return Err(Error::invalid_input(format!(
            "`patch` has {} bytes, more than {MAX_BYTES}: give it in parts",
            input.patch.len()
        )));
    }
    let sections = parse(&input.patch)?;
    let mut seen_paths = BTreeSet::new();
    let mut plans = Vec::new();
    for section in &sections {
        let plan = Plan::of(section, input.even_if_changed)?;
        if !seen_paths.insert(plan.place.path.clone()) {
            return Err(Error::invalid_input(format!(
                "`{}` has two sections in the patch: put its hunks into one",
                plan.place.shown
            )));
        }
        plans.push(plan);
    }
    let mut done: Vec<Value> = Vec::new();
    for plan in &plans {
        match plan.carry_out() {
            Ok(structured) => done.push(structured),
            Err(error) => return Err(stopped(&error, &plans, done)),
        }
    }
    Ok(Output::text(report(&plans)).with_structured(json!({ "files": done })))
}

/// What becomes of one file.
struct Plan {
    place: Place,
    /// `None`: there is no such file yet.
    before: Option<String>,
    /// `None`: it goes.
    after: Option<String>,
    /// Where hunks were found that were said to be elsewhere.
    notes: Vec<String>,
}

impl Plan {
    /// Checks all that can be checked before anything is written.
    fn of(section: &Section, even_if_changed: Option<bool>) -> Result<Self> {
        let place = Place::parse(&section.path)?;
        let shown = place.shown.clone();
        let standing = Standing::at(&place)?;
        let now = standing.fingerprint();
        let before = match standing {
            Standing::Nothing if section.is_new => None,
            _ if section.is_new => {
                return Err(Error::invalid_input(format!(
                    "`{shown}` exists already: the patch says by `/dev/null` that it is new"
                )));
            }
            standing => Some(standing.text(&place)?),
        };
        seen::check(&place, now.as_ref(), even_if_changed)?;
        let fitted = fit::apply(
            &shown,
            before.as_deref().unwrap_or_default(),
            &section.hunks,
        )?;
        let after = if section.is_removed {
            if place.path.is_symlink() {
                return Err(Error::invalid_input(format!(
                    "`{shown}` is a link, and the lines are of what it leads to: use `delete` for the link, or name the file itself"
                )));
            }
            if !fitted.text.is_empty() {
                return Err(Error::invalid_input(format!(
                    "`{shown}` would keep {} lines that the patch does not remove: use `delete`",
                    fitted.text.lines().count()
                )));
            }
            None
        } else {
            Some(fitted.text)
        };
        Ok(Self {
            place,
            before,
            after,
            notes: fitted.notes,
        })
    }

    fn change(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "created",
            (Some(_), None) => "removed",
            (Some(before), Some(after)) if before == after => "unchanged",
            (Some(_), Some(_)) => "replaced",
        }
    }

    /// Does it, and says so for programs.
    fn carry_out(&self) -> Result<Value> {
        let (path, change) = (&self.place.shown, self.change());
        let Some(after) = &self.after else {
            fs::remove_file(&self.place.path).map_err(|error| self.place.explain_change(&error))?;
            seen::forget(&self.place);
            return Ok(json!({ "path": path, "change": change }));
        };
        let version = if change == "unchanged" {
            seen::Fingerprint::of(after.as_bytes())
        } else {
            standing::write(&self.place, after)?
        };
        Ok(json!({
            "path": path,
            "change": change,
            "bytes": after.len(),
            "fingerprint": version.as_str(),
        }))
    }
}

fn report(plans: &[Plan]) -> String {
    let mut lines = Vec::new();
    let mut diffs = String::new();
    for plan in plans {
        let shown = &plan.place.shown;
        lines.push(format!("{} `{shown}`", plan.change()));
        lines.extend(plan.notes.iter().cloned());
        match fence::unified(shown, plan.before.as_deref(), plan.after.as_deref()) {
            Ok(diff) => diffs.push_str(&diff),
            Err(note) => lines.push(note),
        }
    }
    lines.push(fence::fenced("diff", &diffs));
    lines.join("\n")
}

/// The failure in the midst of writing, with what was done before.
fn stopped(error: &Error, plans: &[Plan], done: Vec<Value>) -> Error {
    let names = |plans: &[Plan]| {
        let names: Vec<String> = plans
            .iter()
            .map(|plan| format!("`{}`", plan.place.shown))
            .collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(", ")
        }
    };
    let (before, rest) = plans.split_at(done.len());
    let message = format!(
        "{error}; changed before that: {}; not changed: {}",
        names(before),
        names(rest)
    );
    Error::new(error.code(), message).with_details(json!({ "done": done }))
}

#[cfg(test)]
mod tests;
