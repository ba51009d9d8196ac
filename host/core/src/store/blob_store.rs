//! The port to large content that is named by what it is.

use std::fmt;

use async_trait::async_trait;

use super::StoreError;

/// Keeps blobs by their SHA-256.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Keeps `blob`. The same one twice is kept once.
    ///
    /// # Errors
    /// When it was not kept.
    async fn put(&self, blob: Vec<u8>) -> Result<BlobDigest, StoreError>;

    /// The blob, if there is one. What does not have the digest any more is an error.
    ///
    /// # Errors
    /// When it can't be read or is damaged.
    async fn get(&self, digest: &BlobDigest) -> Result<Option<Vec<u8>>, StoreError>;

    /// Whether there is such a blob. Does not look whether it is sound.
    ///
    /// # Errors
    /// When the store can't be read.
    async fn exists(&self, digest: &BlobDigest) -> Result<bool, StoreError>;
}

/// A SHA-256 in lower-case hexadecimal: 64 characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobDigest(String);

impl BlobDigest {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is no such digest.
    pub fn parse(text: &str) -> Result<Self, BadDigest> {
        let is_digest = text.len() == 64
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_digest {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadDigest {
                text: text.chars().take(64).collect(),
            })
        }
    }

    /// The digest whose bytes these are.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no [`BlobDigest`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the digest of a blob: use 64 lower-case hexadecimal digits")]
pub struct BadDigest {
    text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_checked_once() {
        let check = |text: &str, expected: bool| {
            assert_eq!(BlobDigest::parse(text).is_ok(), expected, "{text}");
        };
        check(&"0a".repeat(32), true);
        check(&"0A".repeat(32), false);
        check(&"0g".repeat(32), false);
        check(&"0a".repeat(31), false);
        check("../../../etc/passwd", false);
        assert_eq!(BlobDigest::from_bytes(&[10; 32]).as_str(), "0a".repeat(32));
    }
}
