//! The part of Forge that does.

pub mod providers;
