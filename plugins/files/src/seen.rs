//! Which version of a file this conversation has seen, so that a change never rests on an old one. Not
//! here: keeping it; the host does that, for a conversation and this tool alone.

use std::io::{self, Read};

use forge_sdk::{Error, Result, conversation};
use twox_hash::XxHash3_128;

use crate::place::Place;

/// What a file's bytes are known by: equal bytes have equal fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(String);

impl Fingerprint {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::from_hash(XxHash3_128::oneshot(bytes))
    }

    /// Of a file that is too large to be read here.
    pub(crate) fn of_large(bytes: u64) -> Self {
        Self(format!("{bytes} bytes"))
    }

    fn from_hash(hash: u128) -> Self {
        Self(format!("{hash:032x}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Takes the fingerprint of what is read through it.
pub(crate) struct Fingerprinting<R> {
    inner: R,
    hasher: twox_hash::xxhash3_128::Hasher,
}

impl<R: Read> Fingerprinting<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            inner,
            hasher: twox_hash::xxhash3_128::Hasher::new(),
        }
    }

    /// Of all that was read so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::from_hash(self.hasher.finish_128())
    }
}

impl<R: Read> Read for Fingerprinting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.hasher.write(&buffer[..length]);
        Ok(length)
    }
}

/// Notes that this version of the file at `place` is known here.
pub(crate) fn note(place: &Place, version: &Fingerprint) {
    keep(place, Some(version.as_str()));
}

/// Notes that what was at `place` is there no more.
pub(crate) fn forget(place: &Place) {
    keep(place, None);
}

/// Lets what is known of `from` be known of `to`.
pub(crate) fn follow(from: &Place, to: &Place) {
    keep(to, known(from).as_deref());
    forget(from);
}

/// Whether a version of the file at `place` was seen.
pub(crate) fn is_known(place: &Place) -> bool {
    known(place).is_some()
}

/// Whether a file that is `now` at `place` is the one that was seen. One that was never seen is.
fn is_current(place: &Place, now: Option<&Fingerprint>) -> bool {
    known(place).is_none_or(|known| now.is_some_and(|now| now.as_str() == known))
}

/// Refuses to go on when the file at `place` changed since it was seen, unless the caller said
/// `even_if_changed`.
pub(crate) fn check(
    place: &Place,
    now: Option<&Fingerprint>,
    even_if_changed: Option<bool>,
) -> Result<()> {
    if even_if_changed == Some(true) || is_current(place, now) {
        return Ok(());
    }
    let shown = &place.shown;
    Err(match now {
        Some(_) => Error::invalid_input(format!(
            "`{shown}` changed since it was read: read it again, or say `even_if_changed`"
        )),
        None => Error::invalid_input(format!(
            "`{shown}` was removed since it was read: say `even_if_changed` to go on"
        )),
    })
}

fn known(place: &Place) -> Option<String> {
    conversation::get(&key(place))
}

/// A call outside a conversation keeps nothing, and then nothing is checked.
fn keep(place: &Place, version: Option<&str>) {
    let _outside_a_conversation = conversation::set(&key(place), version);
}

fn key(place: &Place) -> String {
    format!("seen {}", place.relative())
}
