//! The part of Forge that does.

pub mod config;
pub mod providers;
pub mod trace;
pub mod clock;
