//! A plugin host: runs tools as WebAssembly components, each call in a fresh sandbox that holds
//! exactly what the tool declared and the operator granted.
//!
//! ```no_run
//! use forge_contract::grant::Grant;
//! use forge_contract::requirements::{Access, Requirements};
//! use forge_runtime::{Call, Runtime, Settings, Workspace};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::new(Settings::default())?;
//! let files = runtime.load_file("plugins/files.wasm".as_ref()).await?;
//! println!("{}: {}", files.manifest().name, files.manifest().summary);
//!
//! let workspace = Workspace::open(".".as_ref())?;
//! let reads = Requirements { workspace: Some(Access::Read), ..Requirements::default() };
//! let report = files
//!     .call(Call::new("read", r#"{"path": "README.md"}"#, &Grant::of(&reads)).in_workspace(&workspace))
//!     .await;
//! println!("{}", report.outcome);
//! for effect in &report.effects {
//!     println!("{effect:?}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Loading compiles (once; the code is cached by digest), asks the component to describe itself in a
//! **sealed** instance, and proves its imports against what it declares. A call never outlives its
//! limits, and whatever happens in it is an [`Outcome`](forge_contract::outcome::Outcome).
//!
//! Not here: which tool is chosen and whether it may run. This crate grants what it is told to grant.

// In reading order: the runtime, how a component becomes a plugin, how a call runs, what it may reach.
mod runtime;
mod settings;
mod engine;
mod load;
mod cache;
mod describe;
mod proof;
mod plugin;
mod call;
mod ending;
mod limiter;
mod patience;
mod slots;
mod state;
mod stderr;
mod workspace;
mod linker;
mod powers;
mod filesystem;
mod http;
mod recorder;
mod bindings;

pub use call::Call;
pub use http::{
    Lookup, NetworkSettings, NoSecrets, Proxy, Remedies, Resolve, Roots, SecretLookup, Secrets,
    SystemResolver, is_public, is_unicast,
};
pub use load::LoadError;
pub use plugin::Plugin;
pub use powers::OFFERED;
pub use powers::capabilities::Calling;
pub use powers::conversation::{KEY_BYTES, Keeping, VALUE_BYTES};
pub use runtime::{Runtime, StartError};
pub use settings::{Limits, Settings};
pub use workspace::Workspace;
