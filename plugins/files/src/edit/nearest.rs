//! What is said of a text that a file does not hold: how it begins, and which line is most like it.

use crate::place::on_one_line;

/// How much of a text is quoted, in characters.
const QUOTED_CHARACTERS: usize = 60;
/// How many lines are compared.
const COMPARED_LINES: usize = 5000;
/// The longest line that is compared, in bytes.
const COMPARED_BYTES: usize = 200;
/// How alike the nearest line must be; 1 is equal.
const ALIKE: f64 = 0.6;

/// Quotes the start of `find` and names what in `text` is near it.
pub(super) fn hint(text: &str, find: &str) -> String {
    let quoted = quote(find);
    let Some(wanted) = find.lines().find(|line| !line.trim().is_empty()) else {
        return format!("`{quoted}`: only white space is looked for");
    };
    let lines = || text.lines().enumerate().take(COMPARED_LINES);
    let spaced = lines().find(|(_, line)| words(line).contains(&words(wanted)));
    if let Some((index, line)) = spaced {
        let what = if line.contains(wanted) {
            "what follows it is other"
        } else {
            "white space is other"
        };
        return format!(
            "`{quoted}`: line {} is `{}`, {what}; read the file again",
            index + 1,
            quote(line)
        );
    }
    let wanted = shortened(wanted.trim());
    let nearest = lines()
        .filter(|(_, line)| !line.trim().is_empty() && line.len() <= COMPARED_BYTES)
        .map(|(index, line)| {
            let likeness = strsim::normalized_levenshtein(line.trim(), wanted);
            (likeness, index, line)
        })
        .filter(|(likeness, ..)| *likeness >= ALIKE)
        .max_by(|(a, ..), (b, ..)| a.total_cmp(b));
    match nearest {
        Some((_, index, line)) => {
            format!(
                "`{quoted}`: the nearest is line {}, `{}`",
                index + 1,
                quote(line)
            )
        }
        None => format!("`{quoted}`, nor a line like it: read the file"),
    }
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quote(text: &str) -> String {
    let start: String = text.chars().take(QUOTED_CHARACTERS).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{}{more}", on_one_line(&start))
}

fn shortened(line: &str) -> &str {
    &line[..line.floor_char_boundary(COMPARED_BYTES)]
}
