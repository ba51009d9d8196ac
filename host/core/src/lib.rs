//! The part of Forge that decides.
//!
//! One turn runs from the user's words to the answer through the modules below, in this order. Nothing
//! here opens a file, a socket or a database, reads a clock or the environment: the outside world
//! comes in through the ports [`provider::Provider`], [`tools::Tools`], [`trace::TraceSink`],
//! [`clock::Clock`] and [`observer::Observer`], and what outlives a turn through those of [`store`].

// In reading order: the turn, what it calls, what goes on between turns, and the ports.
pub mod turn;
pub mod router;
pub mod registry;
pub mod policy;
pub mod approval;
pub mod grounding;
pub mod conversation;
pub mod provider;
pub mod tools;
pub mod trace;
pub mod clock;
pub mod observer;
pub mod store;
