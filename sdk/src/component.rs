//! The border between a tool and its host: the exports, and calls that need a host. Not here: what
//! is exported ([`crate::tool`]).

use crate::bindings::forge::tool::types;
use crate::error::{Error, Result};
use crate::output::Output;

/// Calls a power of the host's. Natively there is none, and the answer is `unavailable`.
pub(crate) fn on_host<T>(power: &str, call: impl FnOnce() -> Result<T, types::Error>) -> Result<T> {
    if cfg!(target_arch = "wasm32") {
        call().map_err(Error::from_host)
    } else {
        Err(Error::unavailable(format!(
            "`{power}` needs a host: it works in Forge, not in a native test"
        )))
    }
}

/// What the exported `run` hands to the host.
///
/// # Errors
/// The tool's failure, in the host's form.
pub fn to_host(result: Result<Output>) -> Result<types::Output, types::Error> {
    result.map(Output::into_host).map_err(Error::into_host)
}

/// Exports two functions as a component: `describe() -> String`, the manifest, and
/// `run(operation: &str, input: &str) -> Result<Output>`. Off `wasm32` it expands to nothing.
///
/// [`tool!`](crate::tool!) does this too; use this one only for a tool whose manifest is made some
/// other way.
#[macro_export]
macro_rules! export {
    ($describe:path, $run:path) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Component;

            impl $crate::bindings::exports::forge::tool::tool::Guest for Component {
                fn describe() -> ::std::string::String {
                    $describe()
                }

                fn run(
                    operation: ::std::string::String,
                    input: ::std::string::String,
                ) -> ::std::result::Result<
                    $crate::bindings::forge::tool::types::Output,
                    $crate::bindings::forge::tool::types::Error,
                > {
                    $crate::component::to_host($run(&operation, &input))
                }
            }

    $crate::bindings::export_plugin!(Component with_types_in $crate::bindings);
        };
    };
}
