//! The operator's settings for this tool. Always there. Not here: secrets, which the host adds to
//! requests by itself ([`crate::Requires::secret`]).

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// The tool's own table as a `T`. There may be none: give `T` defaults (`#[serde(default)]`).
///
/// # Errors
/// `unavailable` when the table does not fit `T`; the message is for the operator.
pub fn read<T: DeserializeOwned>() -> Result<T> {
    serde_json::from_str(&json())
        .map_err(|error| Error::unavailable(format!("this tool's settings can't be read: {error}")))
}

fn json() -> String {
    #[cfg(target_arch = "wasm32")]
    return crate::bindings::forge::tool::settings::get();
    #[cfg(not(target_arch = "wasm32"))]
    return crate::testing::settings();
}
