//! The port to leases: who may do what only one may do at a time.

use std::time::Duration;

use async_trait::async_trait;

use super::{Moment, StoreError};

/// Lends names, each to one owner at a time. A lease ends by itself, so that a dead owner holds nothing up.
#[async_trait]
pub trait Leases: Send + Sync {
    /// Holds `name` for `owner` until `ttl` from now, if nobody else does. An owner who holds it already
    /// holds it longer.
    ///
    /// # Errors
    /// When nothing is held that was not held before.
    async fn try_hold(
        &self,
        name: &str,
        owner: &str,
        now: Moment,
        ttl: Duration,
    ) -> Result<Hold, StoreError>;

    /// Gives `name` back, if `owner` holds it.
    ///
    /// # Errors
    /// When it stays held.
    async fn release(&self, name: &str, owner: &str) -> Result<(), StoreError>;
}

/// Who holds a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// The one who asked.
    Held {
        /// Until when, if it is not held longer.
        until: Moment,
    },
    /// Someone else.
    HeldBy {
        /// Who.
        owner: String,
        /// Until when, if it is not held longer or given back.
        until: Moment,
    },
}
