//! The known name that a mistyped one comes nearest to.

use super::table::SETTINGS;

/// How alike two names are that may be meant for each other, from 0 to 1.
const ALIKE: f64 = 0.65;

/// The way out for whoever wrote the key `unknown`.
pub(super) fn key(unknown: &str) -> String {
    let written = unknown.to_lowercase();
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let nearest = best(SETTINGS.iter().map(|setting| {
        let whole = strsim::normalized_damerau_levenshtein(&written, setting.key);
        // In the wrong table, or as its variable.
        let name =
            strsim::normalized_damerau_levenshtein(&last(&written), &last(setting.key)) * 0.95;
        let variable = setting.variable.to_lowercase();
        let variable = strsim::normalized_damerau_levenshtein(&written, &variable);
        (setting.key, whole.max(name).max(variable))
    }));
    way_out(nearest, "`forge config` lists them")
}

/// The way out for whoever set the variable `unknown`.
pub(super) fn variable(unknown: &str) -> String {
    let nearest = best(SETTINGS.iter().map(|setting| {
        let likeness = strsim::normalized_damerau_levenshtein(unknown, setting.variable);
        (setting.variable, likeness)
    }));
    way_out(nearest, "`forge --help` lists them; unset it")
}

fn best(candidates: impl Iterator<Item = (&'static str, f64)>) -> Option<&'static str> {
    candidates
        .filter(|(_, likeness)| *likeness >= ALIKE)
        .max_by(|(_, left), (_, right)| left.total_cmp(right))
        .map(|(name, _)| name)
}

fn way_out(nearest: Option<&str>, otherwise: &str) -> String {
    nearest.map_or_else(
        || otherwise.to_owned(),
        |name| format!("did you mean `{name}`?"),
    )
}
