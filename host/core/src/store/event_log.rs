//! The port to the log: streams of events that are only ever appended to.

use std::fmt;

use async_trait::async_trait;

use super::StoreError;

/// Keeps streams of events. An event is bytes: what they mean is its writer's matter.
///
/// A stream needs no making: one that nobody has appended to is empty, with its head at 0.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Appends all of `events` or none, if the stream's head is at `expected`. Once this returns, they
    /// outlive a crash. A call that is dropped may still append.
    ///
    /// # Errors
    /// When they were not appended.
    async fn append(
        &self,
        stream: &StreamName,
        expected: u64,
        events: Vec<Vec<u8>>,
    ) -> Result<Appended, StoreError>;

    /// The events after position `after`, oldest first, as many as `bound` lets.
    ///
    /// # Errors
    /// When the log can't be read.
    async fn read(
        &self,
        stream: &StreamName,
        after: u64,
        bound: ReadBound,
    ) -> Result<Page, StoreError>;

    /// The position of the stream's last event.
    ///
    /// # Errors
    /// When the log can't be read.
    async fn head(&self, stream: &StreamName) -> Result<u64, StoreError>;

    /// The streams whose name begins with `prefix` and comes after `after`, in the order of their bytes,
    /// at most `limit`.
    ///
    /// # Errors
    /// When the log can't be read.
    async fn streams(
        &self,
        prefix: &str,
        after: Option<&StreamName>,
        limit: usize,
    ) -> Result<Vec<StreamHead>, StoreError>;
}

/// The name of a stream: 1 to 128 lower-case ASCII letters, digits and `_ - /`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamName(String);

impl StreamName {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is not such a name.
    pub fn parse(text: &str) -> Result<Self, BadStreamName> {
        let is_name = (1..=Self::MAX_BYTES).contains(&text.len())
            && text.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-/".contains(&byte)
            });
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadStreamName {
                text: text.chars().take(Self::MAX_BYTES).collect(),
            })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no [`StreamName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the name of a stream: use 1 to 128 lower-case letters, digits, `_`, `-` and `/`"
)]
pub struct BadStreamName {
    text: String,
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The events are kept.
    At {
        /// The position of the last of them.
        head: u64,
    },
    /// Someone else appended first: nothing was kept.
    Conflict {
        /// Where the stream's head is.
        head: u64,
    },
}

/// How much is read at once. The first event is read however large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBound {
    /// The most events; at least 1 is read.
    pub events: usize,
    /// The most bytes of all events together.
    pub bytes: usize,
}

impl Default for ReadBound {
    fn default() -> Self {
        Self {
            events: 512,
            bytes: 4 * 1024 * 1024,
        }
    }
}

/// A part of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The events, oldest first.
    pub events: Vec<Recorded>,
    /// Where the stream's head was at that time: whether there is more.
    pub head: u64,
}

/// An event with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Counted from 1 in its stream.
    pub position: u64,
    /// The event.
    pub event: Vec<u8>,
}

/// A stream with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamHead {
    /// The stream.
    pub name: StreamName,
    /// Its last event; its position is the stream's head.
    pub last: Recorded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_once() {
        let check = |text: &str, expected: bool| {
            assert_eq!(StreamName::parse(text).is_ok(), expected, "{text}");
        };
        check("conversation/main", true);
        check("a", true);
        check(&"a".repeat(128), true);
        check(&"a".repeat(129), false);
        check("", false);
        check("Conversation", false);
        check("a b", false);
        check("é", false);
        check("a%", false);
    }
}
