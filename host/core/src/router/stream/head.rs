//! Reads the beginning of a decision, up to the first character of its content.

/// How far the beginning of a decision is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It may still become one; `tool` is there once its string is closed.
    Open {
        /// The tool that is named.
        tool: Option<String>,
    },
    /// The content is a string.
    Text {
        /// The tool that is named.
        tool: Option<String>,
        /// Where the string's inside begins, in bytes.
        content_at: usize,
    },
    /// The content is no string, or this is no decision.
    Other {
        /// The tool that is named.
        tool: Option<String>,
    },
}

/// Reads what there is of `{"tool":"…","content":"`.
pub(super) fn read_head(text: &str) -> Head {
    let mut rest = text;
    let mut tool = None;
    let parts = [
        "{",
        "\"tool\"",
        ":",
        "<name>",
        ",",
        "\"content\"",
        ":",
        "\"",
    ];
    for part in parts {
        rest = rest.trim_start();
        let read = match part {
            "<name>" => read_name(rest),
            part => read_part(rest, part),
        };
        match read {
            Read::Whole(read, after) => {
                if part == "<name>" {
                    tool = Some(read.to_owned());
                }
                rest = after;
            }
            Read::Begun => return Head::Open { tool },
            Read::Different => return Head::Other { tool },
        }
    }
    Head::Text {
        tool,
        content_at: text.len() - rest.len(),
    }
}

enum Read<'t> {
    Whole(&'t str, &'t str),
    Begun,
    Different,
}

fn read_part<'t>(text: &'t str, part: &str) -> Read<'t> {
    match text.strip_prefix(part) {
        Some(after) => Read::Whole(&text[..part.len()], after),
        None if part.starts_with(text) => Read::Begun,
        None => Read::Different,
    }
}

/// A capability's name in quotes. An escape in it is no name's.
fn read_name(text: &str) -> Read<'_> {
    let Some(inside) = text.strip_prefix('"') else {
        return if text.is_empty() {
            Read::Begun
        } else {
            Read::Different
        };
    };
    match inside.find(['"', '\\']) {
        None => Read::Begun,
        Some(at) if inside[at..].starts_with('"') => Read::Whole(&inside[..at], &inside[at + 1..]),
        Some(_) => Read::Different,
    }
}
