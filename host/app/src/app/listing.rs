//! What every tool can do, as every surface lists it.

use forge_contract::requirements::Requirements;
use forge_core::turn::Listing;
use serde::Serialize;

/// One operation, with where it comes from and whether it can be called.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The operation.
    pub listing: Listing,
    /// The SHA-256 of the component, in hexadecimal.
    pub digest: String,
    /// Why it can't be called, and the way out.
    pub blocked: Option<String>,
    /// What is asked before it is called.
    pub asks: Vec<String>,
}

/// One operation, for a program. Fields are added, never taken away.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    capability: &'a str,
    operation: &'a str,
    summary: &'a str,
    provider: &'a str,
    digest: &'a str,
    /// Absent when the tool declares nothing at all.
    requires: Option<&'a Requirements>,
    available: bool,
    /// Why not, and the way out.
    blocked: Option<&'a str>,
    /// What is asked before it is called.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    asks: &'a [String],
}

impl<'a> From<&'a Offered> for Row<'a> {
    fn from(offered: &'a Offered) -> Self {
        Self {
            capability: offered.listing.capability.as_str(),
            operation: offered.listing.operation.as_str(),
            summary: &offered.listing.operation_summary,
            provider: &offered.listing.source,
            digest: &offered.digest,
            requires: offered.listing.requires.as_ref(),
            available: offered.blocked.is_none(),
            blocked: offered.blocked.as_deref(),
            asks: &offered.asks,
        }
    }
}
