//! Write a tool for Forge in Rust.
//!
//! A tool is a WebAssembly component in a sandbox of its own. It declares what each of its operations
//! needs, and gets exactly that. A whole tool is one file:
//!
//! ```
//! //! Counts words.
//! use forge_sdk::{Access, Error, Requires, Result, workspace};
//!
//! #[forge_sdk::input]
//! struct Input {
//!     /// The text to count.
//!     #[schemars(length(max = 8000))]
//!     text: Option<String>,
//!     /// The file to count, relative to the workspace.
//!     #[schemars(length(max = 400))]
//!     path: Option<String>,
//! }
//!
//! fn count(input: Input) -> Result<String> {
//!     let text = match (input.text, input.path) {
//!         (Some(text), _) => text,
//!         (None, Some(path)) => std::fs::read_to_string(workspace::join(&path)?)?,
//!         (None, None) => return Err(Error::invalid_input("give `text` or `path`")),
//!     };
//!     Ok(format!("{} words", text.split_whitespace().count()))
//! }
//!
//! forge_sdk::tool! {
//!     name: "word_count",
//!     summary: "Counts the words of a text or a file.",
//!     operations: {
//!         run(Input) => count {
//!             summary: "Counts words.",
//!             requires: Requires::none().workspace(Access::Read),
//!             examples: ["how many words are in notes.txt?" => {"path": "notes.txt"}],
//!         },
//!     },
//! }
//!
//! # fn main() {
//! // `tool!` makes this module; off `wasm32` it is how tests call the tool.
//! let answer = tool::run("run", r#"{"text": "one two three"}"#).unwrap();
//! assert_eq!(answer.as_text(), "3 words");
//! assert!(tool::describe().contains(r#""requires":{"workspace":"read"}"#));
//! # }
//! ```
//!
//! The crate is a `cdylib` (and an `rlib` for its tests); `cargo build --target wasm32-wasip2 --release`
//! makes the component. Its only dependency need be this SDK, though any crate that builds for the
//! target is welcome.
//!
//! [`log`], [`progress`], [`settings`] and [`conversation`] are always there. `std::fs` reaches the workspace and nothing
//! else. Everything else is a power with a module here; calling one that the operation did not declare
//! answers [`Code::Denied`], and a component that calls one that none of its operations declares is
//! refused when it is loaded. Each call gets a fresh instance: what shall be found again goes through
//! [`conversation`].
//!
//! Not here: the host. The SDK knows it by the contract in `wit/` alone.

// The attribute macros name the SDK by its path, here too.
extern crate self as forge_sdk;

// What every tool uses.
#[doc(hidden)]
pub mod tool;
mod input;
mod requires;
mod output;
mod error;
// Always there.
pub mod log;
pub mod progress;
pub mod settings;
pub mod conversation;
pub mod workspace;
// Powers.
pub mod llm;
pub mod process;
pub mod memory;
pub mod capabilities;
pub mod observe;
pub mod http;
pub mod files;
// The border with the host, and what stands in for it.
#[doc(hidden)]
pub mod bindings;
#[doc(hidden)]
pub mod component;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;

pub use error::{Code, Error, Result};
pub use forge_sdk_macros::{input, output};
pub use input::NoInput;
pub use output::{Blob, Content, Document, IntoOutput, Json, Output};
pub use requires::{Access, Requires, Secret, View};
pub use serde_json::{Value, json};
pub use tool::Hints;

#[doc(hidden)]
pub use {schemars, serde, serde_json};
