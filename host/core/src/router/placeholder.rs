//! Texts that look like an answer and are none, and what stands in their place.

use std::collections::HashMap;

use super::prompt::LEAKS;

/// Why the model's text is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// There is nothing in it.
    Empty,
    /// It says the same over and over.
    Repeated,
    /// It recites Forge's own prompt.
    Leaked,
    /// It is a decision that breaks off.
    Unfinished,
}

impl Placeholder {
    /// What the person reads instead.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Empty => "The model gave no answer. Please say it again in other words.",
            Self::Repeated => {
                "The model began to repeat itself, so it was stopped. Please say it again in other words."
            }
            Self::Leaked => {
                "The model recited its instructions instead of an answer. Please say it again in other words."
            }
            Self::Unfinished => {
                "The model broke off in the middle of its answer. Please try again."
            }
        }
    }

    /// The reason in one word, for traces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Repeated => "repeated",
            Self::Leaked => "leaked",
            Self::Unfinished => "unfinished",
        }
    }

    /// Why `answer`, a finished text in words, is none.
    #[must_use]
    pub fn of_answer(answer: &str) -> Option<Self> {
        if answer.trim().is_empty() {
            Some(Self::Empty)
        } else if LEAKS.iter().any(|phrase| answer.contains(phrase)) {
            Some(Self::Leaked)
        } else if is_repetition(answer) {
            Some(Self::Repeated)
        } else {
            None
        }
    }
}

/// Whether one group of 1 to 6 words makes up more than 60 % of a text of at least ten words.
fn is_repetition(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.len() >= 10
        && (1..=6).any(|length| {
            let times = most_repeats(&words, length);
            let enough = length == 1 || times >= 3;
            enough && times * length * 10 > words.len() * 6
        })
}

/// How often the commonest group of `length` words occurs; occurrences that overlap count once.
fn most_repeats(words: &[&str], length: usize) -> usize {
    let mut seen: HashMap<&[&str], (usize, usize)> = HashMap::new();
    for (at, group) in words.windows(length).enumerate() {
        let (times, free_from) = seen.entry(group).or_insert((0, 0));
        if at >= *free_from {
            *times += 1;
            *free_from = at + length;
        }
    }
    seen.values().map(|(times, _)| *times).max().unwrap_or(0)
}

/// Whether a text that is still growing has run into a loop: its last 400 characters are one piece of
/// at most 80, again and again.
#[must_use]
pub(super) fn ends_in_loop(text: &str) -> bool {
    const TAIL_CHARS: usize = 400;
    const PIECE_CHARS: usize = 80;
    let mut tail: Vec<char> = text.chars().rev().take(TAIL_CHARS).collect();
    tail.reverse();
    tail.len() == TAIL_CHARS
        && (1..=PIECE_CHARS).any(|piece| tail[piece..] == tail[..TAIL_CHARS - piece])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_is_told_from_an_answer() {
        let check =
            |text: &str, expected| assert_eq!(Placeholder::of_answer(text), expected, "{text:?}");
        check("", Some(Placeholder::Empty));
        check(" \n", Some(Placeholder::Empty));
        check("one short answer", None);
        check(&"a b c d e f ".repeat(3), Some(Placeholder::Repeated));
        check(&"a b c d e f g h i j k ".repeat(9), None);
        check(
            "the cat and the dog and the bird and the fish sat down",
            None,
        );
        check(&format!("Sure. {}", LEAKS[0]), Some(Placeholder::Leaked));
    }

    #[test]
    fn a_loop_is_seen_while_it_grows() {
        let check = |text: &str, expected| assert_eq!(ends_in_loop(text), expected, "{text:?}");
        check(&"ha ".repeat(133), false);
        check(&"ha ".repeat(134), true);
        check(&format!("{} and so on", "ha ".repeat(200)), false);
        check(
            &format!("A good start. {}", "mise à jour, ".repeat(40)),
            true,
        );
        check(&(0..200).map(|n| n.to_string()).collect::<String>(), false);
    }
}
