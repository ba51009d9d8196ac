//! The attribute macros of `forge-sdk`, which re-exports them: they put derives on a type by paths
//! that lead through the SDK, so that a tool needs no dependency on serde or schemars.
//!
//! Not here: `tool!`, which is a plain macro of the SDK. Nothing here parses the type itself; the
//! derives do.

use proc_macro::TokenStream;

/// Makes a struct or an enum readable as a tool's input: it can be parsed from JSON, unknown fields
/// are refused, and its JSON Schema, with the doc comments as descriptions, goes into the manifest.
///
/// Fields take the attributes of serde and schemars. Give every text a bound: a small model whose
/// grammar has none may write on without an end.
///
/// ```text
/// #[forge_sdk::input]
/// struct Input {
///     /// The file, relative to the workspace.
///     #[schemars(length(max = 400))]
///     path: Option<String>,
/// }
/// ```
#[proc_macro_attribute]
pub fn input(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    prepend(
        "#[derive(::forge_sdk::serde::Deserialize, ::forge_sdk::schemars::JsonSchema)]
         #[serde(crate = \"::forge_sdk::serde\", deny_unknown_fields)]
         #[schemars(crate = \"::forge_sdk::schemars\")]",
        item,
    )
}

/// Makes a struct or an enum writable as JSON, for answers such as `Json(value)`.
#[proc_macro_attribute]
pub fn output(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    prepend(
        "#[derive(::forge_sdk::serde::Serialize)]
         #[serde(crate = \"::forge_sdk::serde\")]",
        item,
    )
}

fn prepend(attributes: &str, item: TokenStream) -> TokenStream {
    let attributes: TokenStream = attributes
        .parse()
        .expect("the attributes above are valid tokens");
    attributes.into_iter().chain(item).collect()
}
