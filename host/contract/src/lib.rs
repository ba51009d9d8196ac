//! The values that Forge's parts exchange.
//!
//! A tool's [`manifest::Manifest`] declares what each operation
//! [`requires`](requirements::Requirements); the operator's [`grant::Grant`] is never wider; a call
//! ends in an [`outcome::Outcome`] and leaves [`effect::Effect`]s. Everything here is plain data with
//! its parsing and its order: nothing opens a file, asks a clock or knows WebAssembly.

// In reading order: what a tool says of itself, what it is given, what came of it.
pub mod manifest;
pub mod requirements;
pub mod power;
pub mod grant;
pub mod outcome;
pub mod effect;
pub mod report;
pub mod nested;
pub mod name;
pub mod origin;
pub mod method;
pub mod header;
pub mod label;
pub mod path;
