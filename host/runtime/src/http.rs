//! Requests of guests, guarded: whoever links a guest to the network links it to this.
//!
//! A request is checked against the grant, its host's name is looked up once, every address of the answer is
//! checked, and the connection goes to a checked one. Not here: the interfaces through which guests ask (`powers`).

mod address;
mod body;
mod connect;
mod decode;
mod exchange;
mod refusal;
mod resolve;
mod scrub;
mod secrets;
mod target;
mod tls;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use forge_contract::grant::Grant;
use forge_contract::method::Method;
use forge_contract::name::Name;
use forge_contract::origin::OriginPattern;
use forge_contract::requirements::Secret;
use tokio::sync::OnceCell;

pub use address::{is_public, is_unicast};
pub use connect::Proxy;
pub(crate) use decode::{ENCODINGS, Wanted, collect};
pub(crate) use exchange::{Access, Patience};
pub(crate) use refusal::Refusal;
pub use resolve::{Lookup, Resolve, SystemResolver};
pub use secrets::{NoSecrets, SecretLookup, Secrets};
pub(crate) use target::{Target, shortened};
pub use tls::Roots;

use connect::Client;

/// How guests reach the network.
#[derive(Clone)]
pub struct NetworkSettings {
    /// Who finds the addresses of names.
    pub resolver: Arc<dyn Resolve>,
    /// Whose certificates are trusted.
    pub roots: Roots,
    /// Whether requests go through a proxy.
    pub proxy: Proxy,
    /// The longest time to look a name up and connect.
    pub connect_timeout: Duration,
    /// The longest time from a request to the head of its answer.
    pub first_byte_timeout: Duration,
    /// The longest silence within the body of an answer.
    pub between_bytes_timeout: Duration,
    /// Where the values of secrets are kept.
    pub secrets: Arc<dyn Secrets>,
    /// What to do about a refusal, in the words of whoever set this up.
    pub remedies: Remedies,
}

/// What an operator can do about a refusal; a sentence without its full stop each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedies {
    /// An origin is not granted. `{origin}` stands for it.
    pub origin: String,
    /// An origin has a private address. `{origin}` stands for it.
    pub private: String,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            resolver: Arc::new(SystemResolver),
            roots: Roots::System,
            proxy: Proxy::None,
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(30),
            between_bytes_timeout: Duration::from_secs(15),
            secrets: Arc::new(NoSecrets),
            remedies: Remedies {
                origin: "grant `{origin}` under `network`".to_owned(),
                private: "grant `{origin}` under `private`".to_owned(),
            },
        }
    }
}

impl fmt::Debug for NetworkSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkSettings")
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

/// The network as all guests of one runtime share it: kept connections, and what they trust.
pub(crate) struct Network {
    settings: NetworkSettings,
    trust: OnceCell<tls::Trust>,
    clients: Mutex<Vec<Kept>>,
}

/// What a call may ask of the network.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// The component, by digest: connections are never shared between two.
    component: String,
    /// Its name.
    tool: Name,
    origins: BTreeSet<OriginPattern>,
    private: BTreeSet<OriginPattern>,
    methods: BTreeSet<Method>,
    secrets: BTreeSet<Secret>,
}

/// The kept connections under some rules.
struct Kept {
    rules: Arc<Rules>,
    client: Client,
}

/// Of how many rules connections are kept; the ones that were used longest ago are closed.
const KEPT_CLIENTS: usize = 32;

impl Rules {
    /// Those of `tool`, the component with the digest `component`, under `grant`.
    pub(crate) fn new(component: &str, tool: &Name, grant: &Grant) -> Self {
        Self {
            component: component.to_owned(),
            tool: tool.clone(),
            origins: grant.allowed.network.clone(),
            private: grant.private.clone(),
            methods: grant.methods.clone(),
            secrets: grant.allowed.secrets.clone(),
        }
    }
}

impl Network {
    pub(crate) fn new(settings: NetworkSettings) -> Self {
        Self {
            settings,
            trust: OnceCell::new(),
            clients: Mutex::default(),
        }
    }

    /// The connections under `rules`. Those of other grants and other components are not among them.
    async fn client(&self, rules: &Arc<Rules>) -> Result<Client, Refusal> {
        if let Some(client) = self.kept(rules) {
            return Ok(client);
        }
        let roots = &self.settings.roots;
        let trust = self
            .trust
            .get_or_try_init(|| tls::Trust::load(roots))
            .await?;
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        // Meanwhile another call may have made it.
        if let Some(kept) = clients.iter().find(|kept| kept.rules == *rules) {
            return Ok(kept.client.clone());
        }
        let client = connect::client(&self.settings, trust, rules);
        if clients.len() >= KEPT_CLIENTS {
            clients.remove(0);
        }
        clients.push(Kept {
            rules: rules.clone(),
            client: client.clone(),
        });
        Ok(client)
    }

    /// Marks it as used last.
    fn kept(&self, rules: &Arc<Rules>) -> Option<Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let index = clients.iter().position(|kept| kept.rules == *rules)?;
        clients[index..].rotate_left(1);
        clients.last().map(|kept| kept.client.clone())
    }
}

#[cfg(test)]
mod tests;
