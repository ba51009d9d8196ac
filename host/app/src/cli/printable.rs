//! Text from models and tools, as it may be written to a terminal.

use std::borrow::Cow;

/// `text` without what a terminal would obey: an escape sequence in a file or an answer must not move
/// the cursor, change a title or hide words. Line ends and tabs stay, carriage returns go.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_control() || c == '\n' || c == '\t';
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().filter(|c| *c != '\r').map(|c| match c {
        c if is_plain(c) => c,
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii() => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    });
    Cow::Owned(shown.collect())
}

/// The beginning of `text` in one line of at most `limit` characters.
pub(super) fn preview(text: &str, limit: usize) -> String {
    let mut line: String = text
        .chars()
        .take(limit)
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .collect();
    if text.chars().nth(limit).is_some() {
        line.push('…');
    }
    printable(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_given_nothing_to_obey() {
        let check = |text: &str, expected: &str| assert_eq!(printable(text), expected);
        check("né 🦀\n\tfine", "né 🦀\n\tfine");
        check("\u{1b}[2J\u{1b}]0;title\u{7}", "␛[2J␛]0;title␇");
        check("a\r\nb\rc", "a\nbc");
        check("\u{9b}31m\u{7f}\0", "\u{fffd}31m␡␀");
    }

    #[test]
    fn a_preview_is_one_short_line() {
        let check = |text: &str, expected: &str| assert_eq!(preview(text, 6), expected);
        check("short", "short");
        check("a\nb\tc", "a b c");
        check("né 🦀 and more", "né 🦀 a…");
        check("\u{1b}[31mred", "␛[31mr…");
    }
}
