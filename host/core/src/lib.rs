//! The part of Forge that decides.
//!
//! One turn runs from the user's words to the answer through the modules below, in this order. Nothing
//! here opens a file, a socket or a database, reads a clock or the environment: the outside world
//! comes in through the ports [`provider::Provider`], [`tools::Tools`], [`trace::TraceSink`],
//! [`clock::Clock`] and [`observer::Observer`].

// In reading order: the turn, what it calls, and the ports that it stands on.
pub mod turn;
pub mod router;
pub mod registry;
pub mod policy;
pub mod provider;
pub mod tools;
pub mod trace;
pub mod clock;
pub mod observer;
