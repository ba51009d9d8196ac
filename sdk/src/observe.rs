//! Read-only views of the host's machine. Declared by
//! [`Requires::observes`](crate::Requires::observes).

use serde::Serialize;
use serde_json::Value;

use crate::bindings::forge::tool::observe as host;
use crate::component::on_host;
use crate::error::Result;
use crate::requires::View;

/// Reads a view; `parameters` and the answer are JSON objects of that view.
///
/// # Errors
/// `denied` when the view was not declared, `invalid-input` when a parameter is wrong, `unavailable`
/// when this machine has no such thing.
pub fn read(view: View, parameters: &impl Serialize) -> Result<Value> {
    let parameters = serde_json::to_string(parameters)?;
    let answer = on_host("observe", || host::read(view.as_str(), &parameters))?;
    Ok(serde_json::from_str(&answer)?)
}
