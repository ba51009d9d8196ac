//! How far a long call has come. Always there. Not here: the answer, which `run` returns whole.

/// A named sub-step has begun, such as `read 3 of 12 files`.
pub fn step(name: impl AsRef<str>) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::forge::tool::progress::step(name.as_ref());
    #[cfg(not(target_arch = "wasm32"))]
    crate::testing::record(|| crate::testing::Record::Step(name.as_ref().to_owned()));
}

/// A piece of the answer that is being composed, shown at once. The whole answer is still what the
/// operation returns.
pub fn delta(text: impl AsRef<str>) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::forge::tool::progress::delta(text.as_ref());
    #[cfg(not(target_arch = "wasm32"))]
    crate::testing::record(|| crate::testing::Record::Delta(text.as_ref().to_owned()));
}
