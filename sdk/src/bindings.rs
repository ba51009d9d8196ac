//! What `wit-bindgen` makes of `wit/`: raw calls and exports. Not for authors; the modules beside
//! this one wrap it.

#![allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    clippy::allow_attributes_without_reason,
    clippy::doc_markdown,
    reason = "generated code"
)]

// The widest world: the linker drops every import that a tool does not call.
wit_bindgen::generate!({
    world: "plugin-full",
    path: "../wit",
    pub_export_macro: true,
    export_macro_name: "export_plugin",
    default_bindings_module: "forge_sdk::bindings",
});
