//! Finds where hunks belong and applies them. A hunk's lines decide, its number only where they fit in
//! several places. Not here: hunks that fit almost; they are refused.

use forge_sdk::{Error, Result};

use super::unified::{Hunk, Line};
use crate::place::on_one_line;

const BYTE_ORDER_MARK: &str = "\u{feff}";
/// How much of a line is quoted, in characters.
const QUOTED_CHARACTERS: usize = 80;
/// How many places are named.
const NAMED_PLACES: usize = 10;

/// A file after its hunks.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) text: String,
    /// Where hunks were found that were said to be elsewhere.
    pub(super) notes: Vec<String>,
}

/// `old`, the text of the file `shown`, with `hunks` applied.
pub(super) fn apply(shown: &str, old: &str, hunks: &[Hunk]) -> Result<Fitted> {
    let as_it_is = apply_to_lines(shown, old, hunks);
    // Few who write a hunk see the byte order mark; it stays where it is.
    match (as_it_is, old.strip_prefix(BYTE_ORDER_MARK)) {
        (Err(_), Some(rest)) => {
            let fitted = apply_to_lines(shown, rest, hunks)?;
            let mark = if fitted.text.is_empty() {
                ""
            } else {
                BYTE_ORDER_MARK
            };
            Ok(Fitted {
                text: format!("{mark}{}", fitted.text),
                ..fitted
            })
        }
        (fitted, _) => fitted,
    }
}

fn apply_to_lines(shown: &str, old: &str, hunks: &[Hunk]) -> Result<Fitted> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let is_crlf = !lines.is_empty() && old.matches('\n').count() == old.matches("\r\n").count();
    let ending = if is_crlf && old.contains('\n') {
        "\r\n"
    } else {
        "\n"
    };
    let mut new: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    let mut from = 0;
    let mut ends_bare = !old.ends_with('\n');
    for (index, hunk) in hunks.iter().enumerate() {
        let called = format!("hunk {} of `{shown}`", index + 1);
        let at = find(&called, &lines, from, hunk)?;
        if let Some(start) = hunk
            .start
            .filter(|start| *start != at + 1 && !hunk.is_insertion())
        {
            notes.push(format!(
                "{called} was found at line {}, not {start}",
                at + 1
            ));
        }
        new.extend(lines[from..at].iter().map(|line| (*line).to_owned()));
        from = at;
        for line in &hunk.lines {
            match line {
                Line::Keep(_) => {
                    new.push(lines[from].to_owned());
                    from += 1;
                }
                Line::Remove(_) => from += 1,
                Line::Add(text) => {
                    let text = if ending == "\r\n" { bare(text) } else { text };
                    new.push(format!("{text}{ending}"));
                }
            }
        }
        // The old last line keeps its bare end only where it stays the last one.
        let keeps_last = matches!(hunk.lines.last(), Some(Line::Keep(_)));
        if from == lines.len() && (!keeps_last || hunk.ends_bare) {
            ends_bare = hunk.ends_bare;
        }
    }
    new.extend(lines[from..].iter().map(|line| (*line).to_owned()));
    Ok(Fitted {
        text: joined(new, ending, ends_bare),
        notes,
    })
}

impl Hunk {
    /// The old lines that it covers.
    fn wanted(&self) -> Vec<&str> {
        let wanted = self.lines.iter().filter_map(|line| match line {
            Line::Keep(text) | Line::Remove(text) => Some(bare(text)),
            Line::Add(_) => None,
        });
        wanted.collect()
    }

    /// Whether it covers no old line at all.
    fn is_insertion(&self) -> bool {
        self.wanted().is_empty()
    }
}

/// The index of the first line that `hunk` covers, at or behind `from`.
fn find(called: &str, lines: &[&str], from: usize, hunk: &Hunk) -> Result<usize> {
    let wanted = hunk.wanted();
    if wanted.is_empty() {
        return insertion(called, lines, from, hunk.start);
    }
    let expected = hunk.start.map(|start| start.saturating_sub(1));
    let common = |at: usize| {
        let pairs = wanted.iter().zip(lines.get(at..).unwrap_or_default());
        pairs
            .take_while(|(wanted, line)| **wanted == bare(line))
            .count()
    };
    let fits = |at: &usize| common(*at) == wanted.len();
    if let Some(at) = expected.filter(|at| *at >= from && fits(at)) {
        return Ok(at);
    }
    let places: Vec<usize> = (from..lines.len()).filter(fits).collect();
    match places.as_slice() {
        [at] => Ok(*at),
        [] => {
            // Where most of it fits, and of equals where it was said to be.
            let likely = (from..=lines.len())
                .max_by_key(|at| (common(*at), expected == Some(*at)))
                .unwrap_or(from);
            let at = likely + common(likely);
            let wanted = quote(wanted.get(common(likely)).copied().unwrap_or_default());
            let stands = match lines.get(at) {
                Some(line) => format!("stands `{}`", quote(bare(line))),
                None => "the file has ended".to_owned(),
            };
            Err(Error::invalid_input(format!(
                "{called} does not apply: it wants `{wanted}` at line {}, where {stands}; read the file again",
                at + 1
            )))
        }
        many => {
            let lines: Vec<String> = many
                .iter()
                .take(NAMED_PLACES)
                .map(|at| (at + 1).to_string())
                .collect();
            Err(Error::invalid_input(format!(
                "{called} fits in {} places, at lines {}, and its number names none of them: give more lines around it",
                many.len(),
                lines.join(", ")
            )))
        }
    }
}

/// Where lines go that come with none around them: behind the line that the hunk names.
fn insertion(called: &str, lines: &[&str], from: usize, start: Option<usize>) -> Result<usize> {
    match start {
        _ if lines.is_empty() => Ok(0),
        Some(start) if (from..=lines.len()).contains(&start) => Ok(start),
        _ => Err(Error::invalid_input(format!(
            "{called} has no old line, and its number is none of the {} lines that it could follow: give some lines around it",
            lines.len()
        ))),
    }
}

/// Each line but the last ends; the last one too, unless `ends_bare`.
fn joined(mut lines: Vec<String>, ending: &str, ends_bare: bool) -> String {
    let last = lines.len().saturating_sub(1);
    for (index, line) in lines.iter_mut().enumerate() {
        let has_ending = line.ends_with('\n');
        if index == last && ends_bare && has_ending {
            let length = bare(line).len();
            line.truncate(length);
        } else if index != last && !has_ending {
            line.push_str(ending);
        }
    }
    lines.concat()
}

/// `line` without its line break.
fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn quote(line: &str) -> String {
    let start: String = line.chars().take(QUOTED_CHARACTERS).collect();
    on_one_line(&start)
}

#[cfg(test)]
mod tests;
