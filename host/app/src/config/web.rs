//! How tools reach others: the settings of the network and of the tools that use it.

use std::collections::BTreeSet;

use forge_contract::origin::OriginPattern;
use forge_runtime::Proxy;

use super::layers::Layers;
use super::number;

/// How tools reach others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Origins that may have private addresses (`FORGE_PRIVATE_ORIGINS`).
    pub private_origins: BTreeSet<OriginPattern>,
    /// What requests go through (`FORGE_PROXY`).
    pub proxy: Proxy,
    /// What `web_fetch` may.
    pub fetch: WebFetch,
    /// What `web_search` asks.
    pub search: WebSearch,
}

/// What `web_fetch` may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebFetch {
    /// The longest time for a page (`WEB_FETCH_TIMEOUT`), in seconds.
    pub timeout_seconds: u64,
    /// How much of a page is read (`WEB_FETCH_MAX_BYTES`), in bytes.
    pub max_bytes: u64,
    /// The only domains, with what is below them (`WEB_FETCH_ALLOWED_DOMAINS`); empty for all.
    pub allowed_domains: Vec<String>,
}

/// What `web_search` asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    /// The server (`SEARXNG_URL`).
    pub url: String,
    /// The longest search (`SEARXNG_TIMEOUT`), in seconds.
    pub timeout_seconds: u64,
    /// The most results (`SEARXNG_MAX_RESULTS`).
    pub max_results: u32,
}

/// What holds while nobody sets anything.
impl Default for Web {
    fn default() -> Self {
        Self {
            private_origins: BTreeSet::new(),
            proxy: Proxy::None,
            fetch: WebFetch {
                timeout_seconds: 15,
                max_bytes: 2_097_152,
                allowed_domains: Vec::new(),
            },
            search: WebSearch {
                url: "http://127.0.0.1:8888".to_owned(),
                timeout_seconds: 10,
                max_results: 5,
            },
        }
    }
}

/// What `settled` says of it.
pub(super) fn read(settled: &Layers) -> Web {
    let origins = settled.names("network.private_origins").into_iter();
    Web {
        private_origins: origins
            .filter_map(|origin| OriginPattern::parse(origin).ok())
            .collect(),
        proxy: match settled.text("network.proxy") {
            None | Some("none") => Proxy::None,
            Some("environment") => Proxy::Environment,
            Some(url) => Proxy::At(url.to_owned()),
        },
        fetch: WebFetch {
            timeout_seconds: number(settled, "web_fetch.timeout"),
            max_bytes: number(settled, "web_fetch.max_bytes"),
            allowed_domains: settled
                .names("web_fetch.allowed_domains")
                .into_iter()
                .map(str::to_owned)
                .collect(),
        },
        search: WebSearch {
            url: settled
                .text("web_search.url")
                .unwrap_or_default()
                .to_owned(),
            timeout_seconds: number(settled, "web_search.timeout"),
            max_results: number(settled, "web_search.max_results"),
        },
    }
}
