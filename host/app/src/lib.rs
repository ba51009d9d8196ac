//! The part of Forge that does: it talks to models, runs tools, keeps records and shows answers.
//!
//! What is decided is decided in `forge-core`; here are the adapters of its ports and the surfaces.
//! Adapters do not know each other: [`app`] wires them. The environment is read in [`config`] only.

// In reading order: the surface, what it calls, and the adapters that stand behind.
pub mod cli;
pub mod http;
pub mod app;
pub mod config;
pub mod providers;
pub mod plugins;
pub mod artifacts;
pub mod approvals;
pub mod conversations;
pub mod store;
pub mod trace;
pub mod clock;
mod dial;
mod file_labels;
mod grants;
mod preview;
pub mod operator;
mod private;
pub mod secrets;
mod causes;
pub mod log;
