//! A part of a long text, and how to ask for the next one.

use forge_sdk::{Error, Result};

/// Which part is shown.
pub(crate) struct Part {
    /// Its first character, counted from 0.
    pub(crate) from: usize,
    /// The most characters.
    pub(crate) most: usize,
    /// Whether the text itself is not whole.
    pub(crate) was_cut: bool,
}

impl Part {
    /// This part of `text`, with a mark at its end if there is more.
    pub(crate) fn of(&self, text: &str) -> Result<String> {
        let chars = text.chars().count();
        if self.from > 0 && self.from >= chars {
            return Err(Error::invalid_input(format!(
                "the text has {chars} characters, so nothing begins at `from` {}",
                self.from
            )));
        }
        let rest = from_char(text, self.from);
        let shown = &rest[..rest.len() - from_char(rest, self.most).len()];
        let end = self.from + shown.chars().count();
        let mark = match (end < chars, self.was_cut) {
            (true, _) => format!(
                "\n\n[characters {} to {end} of {chars}{}; go on with `from`: {end}]",
                self.from,
                if self.was_cut { " that were read" } else { "" },
            ),
            (false, true) => "\n\n[the page goes on, and no more of it was read]".to_owned(),
            (false, false) => String::new(),
        };
        Ok(format!("{shown}{mark}"))
    }
}

/// `text` without its first `count` characters.
fn from_char(text: &str, count: usize) -> &str {
    let start = text.char_indices().nth(count);
    start.map_or("", |(start, _)| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shown_in_parts() {
        let check = |text: &str, from: usize, was_cut: bool, expected: &str| {
            let part = Part {
                from,
                most: 4,
                was_cut,
            };
            assert_eq!(part.of(text).unwrap(), expected);
        };
        check("abcd", 0, false, "abcd");
        check("", 0, false, "");
        check(
            "äbcde",
            0,
            false,
            "äbcd\n\n[characters 0 to 4 of 5; go on with `from`: 4]",
        );
        check("abcdé", 4, false, "é");
        check(
            "abcd",
            0,
            true,
            "abcd\n\n[the page goes on, and no more of it was read]",
        );
        check(
            "abcdefghi",
            4,
            true,
            "efgh\n\n[characters 4 to 8 of 9 that were read; go on with `from`: 8]",
        );
        let beyond = Part {
            from: 9,
            most: 4,
            was_cut: false,
        }
        .of("abc")
        .unwrap_err();
        assert_eq!(
            beyond.message(),
            "the text has 3 characters, so nothing begins at `from` 9"
        );
    }
}
