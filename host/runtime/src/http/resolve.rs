//! Looking names up. Not here: which addresses may be connected to.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// A look-up that is going on.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`, the ones to try first before the others.
    fn lookup<'a>(&'a self, host: &'a str) -> Lookup<'a>;
}

/// The system's own resolver.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn lookup<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
