//! Small things to find again in the same conversation, such as which version of a file was read. Always
//! there. No other tool and no other conversation sees them.

use crate::error::Result;

/// What was kept under `key`.
#[must_use]
pub fn get(key: &str) -> Option<String> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::conversation::get(key);
    #[cfg(not(target_arch = "wasm32"))]
    return crate::testing::kept(key);
}

/// Keeps `value` under `key`; `None` forgets the key. A key has at most 1 KiB and a value at most 4 KiB;
/// past the host's limit on keys the oldest are forgotten.
///
/// # Errors
/// `invalid-input` for what is too long, `unavailable` when the call belongs to no conversation.
pub fn set(key: &str, value: Option<&str>) -> Result<()> {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::conversation::set(key, value)
        .map_err(crate::error::Error::from_host);
    #[cfg(not(target_arch = "wasm32"))]
    {
        crate::testing::keep(key, value);
        Ok(())
    }
}
