//! The name of a conversation.

use std::fmt;

use crate::store::StreamName;

/// What the streams of conversations begin with.
pub const STREAM_PREFIX: &str = "conversation/";

/// The name of a conversation: 1 to 64 lower-case ASCII letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(String);

impl ConversationId {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is not such a name.
    pub fn parse(text: &str) -> Result<Self, BadConversationId> {
        let is_id = (1..=Self::MAX_BYTES).contains(&text.len())
            && text.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte)
            });
        if is_id {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadConversationId {
                text: text.chars().take(Self::MAX_BYTES).collect(),
            })
        }
    }

    /// The conversation whose events `stream` holds, if it is one.
    #[must_use]
    pub fn of_stream(stream: &StreamName) -> Option<Self> {
        let id = stream.as_str().strip_prefix(STREAM_PREFIX)?;
        Self::parse(id).ok()
    }

    /// Where its events are.
    #[must_use]
    pub fn stream(&self) -> StreamName {
        StreamName::parse(&format!("{STREAM_PREFIX}{}", self.0))
            .expect("every conversation's name can stand in a stream's")
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `main`, the conversation of someone who names none.
impl Default for ConversationId {
    fn default() -> Self {
        Self("main".to_owned())
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no [`ConversationId`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the name of a conversation: use 1 to 64 lower-case letters, digits, `_` and `-`"
)]
pub struct BadConversationId {
    text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_once_and_found_again_in_their_stream() {
        let check = |text: &str, expected: bool| match ConversationId::parse(text) {
            Ok(id) => {
                assert!(expected, "{text}");
                assert_eq!(ConversationId::of_stream(&id.stream()), Some(id));
            }
            Err(error) => {
                assert!(!expected, "{text}");
                assert!(error.to_string().contains("1 to 64"), "{error}");
            }
        };
        check(ConversationId::default().as_str(), true);
        check("2026-11-30_notes", true);
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        check("", false);
        check("Main", false);
        check("a/b", false);
        check("..", false);
    }

    #[test]
    fn other_streams_are_no_conversations() {
        let check = |stream: &str| {
            let stream = StreamName::parse(stream).unwrap();
            assert_eq!(ConversationId::of_stream(&stream), None, "{stream}");
        };
        check("grants/main");
        check("conversation/a/b");
        check("conversation/");
    }
}
