//! `forge:tool/conversation`: small things that a tool finds again in the same conversation. Holds no power.
//!
//! Where they are kept is the embedder's matter ([`Keeping`]); here are the limits.

use forge_contract::outcome::FailureCode;

use crate::bindings::forge::tool::conversation::Host;
use crate::bindings::forge::tool::types::Error;
use crate::state::State;

/// The longest key, in bytes.
pub const KEY_BYTES: usize = 1024;
/// The longest value, in bytes.
pub const VALUE_BYTES: usize = 4096;

/// What one tool keeps in one conversation. Must not wait.
pub trait Keeping: Send + Sync {
    /// What was kept under `key`.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps `value` under `key`, or forgets the key.
    fn set(&self, key: &str, value: Option<&str>);
}

impl Host for State {
    async fn get(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        Ok(self.keeping.as_ref().and_then(|kept| kept.get(&key)))
    }

    async fn set(
        &mut self,
        key: String,
        value: Option<String>,
    ) -> wasmtime::Result<Result<(), Error>> {
        let Some(kept) = &self.keeping else {
            return Ok(error(
                FailureCode::Unavailable,
                "nothing is kept: this call belongs to no conversation".to_owned(),
            ));
        };
        let length = value.as_ref().map_or(0, String::len);
        if key.len() > KEY_BYTES || length > VALUE_BYTES {
            let key_length = key.len();
            return Ok(error(
                FailureCode::InvalidInput,
                format!(
                    "a key of {key_length} bytes with a value of {length} bytes can't be kept: at most {KEY_BYTES} and {VALUE_BYTES} fit"
                ),
            ));
        }
        kept.set(&key, value.as_deref());
        Ok(Ok(()))
    }
}

fn error(code: FailureCode, message: String) -> Result<(), Error> {
    Err(Error {
        code: code.as_str().to_owned(),
        message,
        details: None,
    })
}
