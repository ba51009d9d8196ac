//! Whether a value that a project sets only narrows what holds: a decision on values.

use std::path::Path;

use config::ValueKind;

use super::folders::resolved;
use super::kind::text;
use super::table::{Narrowing, Setting};

/// Why `wanted` is more than what `holds` allows, as the rule that it breaks; `None` when it narrows or
/// changes nothing.
pub(super) fn widens(
    setting: &Setting,
    wanted: &ValueKind,
    holds: Option<&ValueKind>,
) -> Option<&'static str> {
    if holds == Some(wanted) {
        return None;
    }
    let (narrows, rule) = match setting.narrowing {
        Narrowing::Never => (false, "and only you may change that"),
        Narrowing::OnlyFalse => (
            *wanted == ValueKind::Boolean(false),
            "and may only set `false`",
        ),
        Narrowing::OnlyLower => {
            let holds = holds.and_then(number).unwrap_or(1);
            let is_lower = number(wanted).is_some_and(|wanted| wanted <= holds);
            (is_lower, "and may only go lower")
        }
        Narrowing::Subset => {
            let held = holds.map(items).unwrap_or_default();
            let is_subset = items(wanted).iter().all(|name| held.contains(name));
            (is_subset, "and may only leave some out")
        }
        Narrowing::FolderInside => {
            let folder = |value| text(value).map(|path| resolved(Path::new(path)));
            let is_inside = match (folder(wanted), holds.and_then(folder)) {
                (Some(wanted), Some(holds)) => wanted.starts_with(holds),
                _ => false,
            };
            (is_inside, "and may only name a folder inside")
        }
        Narrowing::Only(choice) => (
            text(wanted) == Some(choice),
            "and may only make it stricter",
        ),
    };
    (!narrows).then_some(rule)
}

fn number(value: &ValueKind) -> Option<i64> {
    match value {
        ValueKind::I64(number) => Some(*number),
        _ => None,
    }
}

fn items(value: &ValueKind) -> Vec<&str> {
    match value {
        ValueKind::Array(items) => items.iter().filter_map(|item| text(&item.kind)).collect(),
        _ => Vec::new(),
    }
}
