//! What the end-to-end suite stands on: where things are, a sandbox for one guest, Forge with a model
//! that is scripted or real.
//!
//! `cargo xtask test` builds the components and the binary, fetches the server and the model, and tells
//! by the environment where they are. A test whose thing is missing fails.

pub mod place;
pub mod guest;
pub mod forge;
pub mod model;
pub mod rig;
