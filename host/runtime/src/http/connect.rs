//! Connections: one look-up, every address checked, connected to a checked one.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http_body_util::combinators::UnsyncBoxBody;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tower_service::Service;

use super::address::{is_public, is_unicast};
use super::refusal::{Refusal, root};
use super::target::origin;
use super::tls::Trust;
use super::{NetworkSettings, Rules};

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;
/// What is sent with a request.
pub(super) type SentBody = UnsyncBoxBody<Bytes, BoxError>;
pub(super) type Client = legacy::Client<HttpsConnector<Guarded>, SentBody>;

/// Whether requests go through a proxy. A proxy looks names up itself: then their addresses can't be checked
/// here, which only an operator may want.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// They don't.
    #[default]
    None,
    /// Through the one that the variables `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` name, but for `NO_PROXY`.
    Environment,
    /// Through this one: `http://proxy.example:3128`.
    At(String),
}

/// How long a connection that nobody uses stays open.
const IDLE: Duration = Duration::from_secs(30);
/// How many such there are for each origin.
const IDLE_CONNECTIONS: usize = 4;
/// The most headers of an answer.
const HEADERS: usize = 100;
/// The longest head of an answer, in bytes.
const HEAD_BYTES: usize = 64 << 10;
/// How long the first family of addresses is tried alone (RFC 8305, "connection attempt delay").
const HEAD_START: Duration = Duration::from_millis(250);

/// A client whose connections are made under `rules`.
pub(super) fn client(settings: &NetworkSettings, trust: &Trust, rules: &Arc<Rules>) -> Client {
    let guarded = Guarded::new(settings, rules);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config((*trust.0).clone())
        .https_or_http()
        .enable_http1()
        .wrap_connector(guarded);
    legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .http1_max_headers(HEADERS)
        .http1_max_buf_size(HEAD_BYTES)
        .build(connector)
}

fn matcher(proxy: &Proxy) -> Option<Arc<Matcher>> {
    let matcher = match proxy {
        Proxy::None => return None,
        Proxy::Environment => Matcher::from_env(),
        Proxy::At(url) => Matcher::builder().all(url.clone()).build(),
    };
    Some(Arc::new(matcher))
}

/// Makes connections under rules.
#[derive(Clone)]
pub(super) struct Guarded {
    settings: Arc<NetworkSettings>,
    proxy: Option<Arc<Matcher>>,
    rules: Arc<Rules>,
}

impl Service<Uri> for Guarded {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let limit = this.settings.connect_timeout;
            let connecting = tokio::time::timeout(limit, this.connect(&uri)).await;
            Ok(connecting.unwrap_or_else(|_| {
                Err(Refusal::Timeout {
                    origin: Destination::of(&uri).origin(),
                    what: "no connection was made",
                    limit_ms: limit.as_millis(),
                })
            })?)
        })
    }
}

impl Guarded {
    pub(super) fn new(settings: &NetworkSettings, rules: &Arc<Rules>) -> Self {
        Self {
            settings: Arc::new(settings.clone()),
            proxy: matcher(&settings.proxy),
            rules: rules.clone(),
        }
    }

    /// The addresses of the host in `uri`, if all of them may be connected to.
    pub(super) async fn permitted(&self, uri: &Uri) -> Result<Vec<IpAddr>, Refusal> {
        let to = Destination::of(uri);
        let addresses = self.addresses(&to).await?;
        check_addresses(&self.settings, &self.rules, to.parts(), &addresses)?;
        Ok(addresses)
    }

    async fn connect(&self, uri: &Uri) -> Result<TokioIo<TcpStream>, Refusal> {
        let to = Destination::of(uri);
        let Some(intercept) = self.intercept(&to, uri) else {
            return connector(self.permitted(uri).await?)
                .call(uri.clone())
                .await
                .map_err(|error| to.unreachable(&error));
        };
        let proxy = Destination::of(intercept.uri());
        let through = connector(self.addresses(&proxy).await?);
        let mut tunnel = Tunnel::new(intercept.uri().clone(), through);
        if let Some(auth) = intercept.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        // A tunnel for both schemes: what the proxy may see of a request is its origin.
        let with_port = to.with_port(uri);
        let connecting = tunnel.call(with_port).await;
        connecting.map_err(|error| Refusal::NoConnection {
            origin: to.origin(),
            problem: format!("the proxy `{}`: {}", proxy.origin(), root(&error)),
        })
    }

    /// The proxy for this destination. What has a private address is in no proxy's reach.
    fn intercept(&self, to: &Destination, uri: &Uri) -> Option<Intercept> {
        let (scheme, host, port) = to.parts();
        let mut private = self.rules.private.iter();
        if private.any(|pattern| pattern.matches(scheme, host, port)) {
            return None;
        }
        self.proxy.as_ref()?.intercept(uri)
    }

    /// The addresses of a host, looked up once.
    async fn addresses(&self, to: &Destination) -> Result<Vec<IpAddr>, Refusal> {
        if let Some(address) = to.address() {
            return Ok(vec![address]);
        }
        let unresolved = |problem| Refusal::Unresolved {
            host: to.host.clone(),
            problem,
        };
        let found = self.settings.resolver.lookup(&to.host).await;
        let found = found.map_err(|error| unresolved(error.to_string()))?;
        if found.is_empty() {
            return Err(unresolved("no such name".to_owned()));
        }
        Ok(found)
    }
}

/// Refuses where one of `addresses` may not be connected to for this scheme, host and port. One is enough: otherwise
/// whoever answers for the name could lead there by letting the others fail.
pub(super) fn check_addresses(
    settings: &NetworkSettings,
    rules: &Rules,
    (scheme, host, port): (&str, &str, u16),
    addresses: &[IpAddr],
) -> Result<(), Refusal> {
    let is_private = rules
        .private
        .iter()
        .any(|pattern| pattern.matches(scheme, host, port));
    let may = if is_private { is_unicast } else { is_public };
    let Some(address) = addresses.iter().find(|address| !may(**address)) else {
        return Ok(());
    };
    let origin = origin(scheme, host, port);
    Err(Refusal::Address {
        address: address.to_string(),
        remedy: settings.remedies.private.replace("{origin}", &origin),
        origin,
    })
}

/// Connects to one of `addresses`: both families at nearly the same time where there are both.
fn connector(addresses: Vec<IpAddr>) -> HttpConnector<Checked> {
    let mut connector = HttpConnector::new_with_resolver(Checked(addresses));
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_happy_eyeballs_timeout(Some(HEAD_START));
    connector
}

/// Where a connection goes.
struct Destination {
    scheme: &'static str,
    host: String,
    port: u16,
}

impl Destination {
    /// `uri` was made from a target, so it has a host and one of two schemes.
    fn of(uri: &Uri) -> Self {
        let scheme = if uri.scheme_str() == Some("https") {
            "https"
        } else {
            "http"
        };
        let host = uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Self {
            scheme,
            host: host.to_ascii_lowercase(),
            port: uri
                .port_u16()
                .unwrap_or(if scheme == "https" { 443 } else { 80 }),
        }
    }

    fn parts(&self) -> (&str, &str, u16) {
        (self.scheme, &self.host, self.port)
    }

    fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    fn origin(&self) -> String {
        origin(self.scheme, &self.host, self.port)
    }

    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> Refusal {
        Refusal::NoConnection {
            origin: self.origin(),
            problem: root(error),
        }
    }

    /// `uri` with its port spelt out, as a tunnel wants it.
    fn with_port(&self, uri: &Uri) -> Uri {
        let host = uri.host().unwrap_or_default();
        format!("{}://{host}:{}", self.scheme, self.port)
            .parse()
            .unwrap_or_else(|_| uri.clone())
    }
}

/// Stands in for a resolver: these were looked up and checked.
#[derive(Clone)]
struct Checked(Vec<IpAddr>);

impl Service<Name> for Checked {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = std::future::Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _name: Name) -> Self::Future {
        let addresses: Vec<SocketAddr> = self.0.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
        std::future::ready(Ok(addresses.into_iter()))
    }
}
