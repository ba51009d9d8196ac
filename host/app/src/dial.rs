//! How Forge itself connects to the servers that the operator set: one look-up, every address checked, and a
//! connection to a checked one, as for tools.
//!
//! Not here: what tools may reach; an operator's own server may have a private address.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use forge_runtime::{Resolve, SystemResolver, is_unicast};
use reqwest::dns::{Addrs, Name, Resolving};

/// Looks names up for an HTTP client of Forge's own.
pub(crate) struct Dial {
    resolver: Arc<dyn Resolve>,
}

impl Dial {
    /// By the system's resolver.
    pub(crate) fn by_system() -> Self {
        Self {
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl reqwest::dns::Resolve for Dial {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.resolver.clone();
        Box::pin(async move {
            let host = name.as_str();
            let addresses = resolver.lookup(host).await?;
            if let Some(address) = addresses.iter().find(|address| !is_unicast(**address)) {
                let refusal = format!("`{host}` has the address {address}, which is no machine's");
                return Err(io::Error::other(refusal).into());
            }
            let addresses = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use forge_runtime::Lookup;
    use reqwest::dns::Resolve as _;

    use super::*;

    struct Fixed(Vec<IpAddr>);

    impl Resolve for Fixed {
        fn lookup<'a>(&'a self, _host: &'a str) -> Lookup<'a> {
            Box::pin(async { Ok(self.0.clone()) })
        }
    }

    #[tokio::test]
    async fn every_address_is_looked_at() {
        let check = async |addresses: &[&str], expected: Result<usize, &str>| {
            let addresses = addresses.iter().map(|address| address.parse().unwrap());
            let dial = Dial {
                resolver: Arc::new(Fixed(addresses.collect())),
            };
            let found = dial.resolve("llm.lan".parse().unwrap()).await;
            let found = found
                .map(Iterator::count)
                .map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned));
        };
        check(&["192.168.1.7", "fd00::7"], Ok(2)).await;
        check(&["127.0.0.1"], Ok(1)).await;
        check(
            &["192.168.1.7", "224.0.0.1"],
            Err("`llm.lan` has the address 224.0.0.1, which is no machine's"),
        )
        .await;
        check(
            &["0.0.0.0"],
            Err("`llm.lan` has the address 0.0.0.0, which is no machine's"),
        )
        .await;
    }
}
