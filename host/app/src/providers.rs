//! The language models that Forge can ask, each an adapter of [`forge_core::provider::Provider`].
//!
//! Adapters do not know each other, and none reads the environment: what they need is handed in.

pub mod llama;
pub mod scripted;
