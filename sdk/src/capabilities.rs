//! Other capabilities. Declared by [`Requires::calls`](crate::Requires::calls). A call passes the
//! host's policy like one of the model's and is never allowed more than the caller's own run.

use serde::Serialize;

use crate::bindings::forge::tool::capabilities as host;
use crate::component::on_host;
use crate::error::Result;
use crate::output::Output;

/// Runs `operation` of `capability` on `input`.
///
/// # Errors
/// The other tool's own failure, or `denied` when the capability was not declared or policy refuses.
pub fn invoke(capability: &str, operation: &str, input: &impl Serialize) -> Result<Output> {
    let input = serde_json::to_string(input)?;
    let output = on_host("capabilities", || {
        host::invoke(capability, operation, &input)
    })?;
    Output::from_host(output)
}
