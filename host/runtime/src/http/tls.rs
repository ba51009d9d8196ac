//! Whom TLS trusts.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use super::refusal::Refusal;

/// Whose certificates are trusted.
#[derive(Debug, Clone)]
pub enum Roots {
    /// The authorities that this machine trusts.
    System,
    /// Only these.
    These(Vec<CertificateDer<'static>>),
}

/// What every connection trusts.
#[derive(Debug, Clone)]
pub(super) struct Trust(pub(super) Arc<ClientConfig>);

impl Trust {
    /// Reads the system's certificates where they are wanted, off this thread: there are more than a hundred.
    pub(super) async fn load(roots: &Roots) -> Result<Self, Refusal> {
        let roots = roots.clone();
        let store = tokio::task::spawn_blocking(move || store(roots)).await;
        let store = store.map_err(|_| Refusal::NoTrust {
            problem: "the certificates were not read to the end".to_owned(),
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Refusal::NoTrust {
                problem: error.to_string(),
            })?
            .with_root_certificates(store)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

/// A machine without any certificate still asks servers without TLS, so an empty store is no error.
fn store(roots: Roots) -> RootCertStore {
    let mut store = RootCertStore::empty();
    let certificates = match roots {
        Roots::These(certificates) => certificates,
        Roots::System => {
            let found = rustls_native_certs::load_native_certs();
            for problem in &found.errors {
                tracing::warn!("some of this machine's certificates can't be read: {problem}");
            }
            if found.certs.is_empty() {
                tracing::warn!(
                    "this machine has no certificates, so no `https` server is trusted: install `ca-certificates`"
                );
            }
            found.certs
        }
    };
    store.add_parsable_certificates(certificates);
    store
}
