//! One request and the head of its answer, under rules.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use forge_contract::method::Method;
use http::header::{HeaderValue, USER_AGENT};
use http::{HeaderMap, Request, StatusCode};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpInfo;

use super::body::AnswerBody;
use super::connect::{Proxy, SentBody, check_addresses};
use super::refusal::{Refusal, cause, root};
use super::target::Target;
use super::{Network, Rules, secrets};

/// The way of one call to the network.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) network: Arc<Network>,
    pub(crate) rules: Arc<Rules>,
    /// The longest body of an answer as it comes over the network, in bytes.
    pub(crate) response_bytes: u64,
}

/// How long a caller is willing to wait, where it is less than the host is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Patience {
    pub(crate) first_byte: Option<Duration>,
    pub(crate) between_bytes: Option<Duration>,
}

/// The head of an answer, and the body that is still to come.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: AnswerBody,
    /// The address that answered; none where it was a proxy.
    pub(crate) address: Option<IpAddr>,
}

/// Methods that would make the connection something else, or show what was added to the request.
const NEVER: [&str; 2] = ["CONNECT", "TRACE"];

const NAME: &str = concat!("forge/", env!("CARGO_PKG_VERSION"));

impl Access {
    /// Sends a request to `target`, whose URI takes the place of the request's own. A redirect is an answer.
    pub(crate) async fn send(
        &self,
        target: &Target,
        mut request: Request<SentBody>,
        patience: Patience,
    ) -> Result<Answer, Refusal> {
        self.check(target, request.method().as_str())?;
        *request.uri_mut() = target.uri.clone();
        request
            .headers_mut()
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(NAME));
        let settings = &self.network.settings;
        let scrubber = secrets::add(settings, &self.rules, target, &mut request).await?;
        let client = self.network.client(&self.rules).await?;
        let limit = shorter(patience.first_byte, settings.first_byte_timeout);
        let response = tokio::time::timeout(limit, client.request(request))
            .await
            .map_err(|_| Refusal::Timeout {
                origin: target.origin(),
                what: "no answer came",
                limit_ms: limit.as_millis(),
            })?
            .map_err(|error| failed(target, &error))?;
        let (mut head, incoming) = response.into_parts();
        if let Some(scrubber) = &scrubber {
            secrets::scrub_head(scrubber, &mut head.headers, target)?;
        }
        let address = head
            .extensions
            .get::<HttpInfo>()
            .filter(|_| settings.proxy == Proxy::None)
            .map(|info| info.remote_addr().ip());
        let between_bytes = shorter(patience.between_bytes, settings.between_bytes_timeout);
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body: AnswerBody::new(
                incoming,
                target.origin(),
                self.response_bytes,
                between_bytes,
                scrubber,
            ),
            address,
        })
    }

    /// What can be said before anything is looked up.
    pub(super) fn check(&self, target: &Target, method: &str) -> Result<(), Refusal> {
        let (rules, settings) = (&self.rules, &self.network.settings);
        let is_sendable = Method::parse(method).is_ok() && !NEVER.contains(&method);
        if !is_sendable {
            return Err(Refusal::BadMethod {
                method: method.chars().take(20).collect(),
            });
        }
        if !rules.methods.is_empty() && !rules.methods.iter().any(|it| it.as_str() == method) {
            return Err(Refusal::Method {
                method: method.to_owned(),
                granted: listed(&rules.methods),
            });
        }
        let is_granted = rules
            .origins
            .iter()
            .any(|pattern| pattern.matches(target.scheme, &target.host, target.port));
        if !is_granted {
            let origin = target.origin();
            return Err(Refusal::Origin {
                remedy: settings.remedies.origin.replace("{origin}", &origin),
                granted: listed(&rules.origins),
                origin,
            });
        }
        if let Some(address) = target.address {
            let (scheme, host) = (target.scheme, target.host.as_str());
            check_addresses(settings, rules, (scheme, host, target.port), &[address])?;
        }
        target.check_user()
    }
}

/// The first few of what is granted.
fn listed<T: ToString>(granted: impl IntoIterator<Item = T>) -> String {
    const MOST: usize = 5;
    let all: Vec<String> = granted
        .into_iter()
        .map(|one| format!("`{}`", one.to_string()))
        .collect();
    match all.len() {
        0 => "nothing".to_owned(),
        count if count > MOST => format!("{} and {} more", all[..MOST].join(", "), count - MOST),
        _ => all.join(", "),
    }
}

fn shorter(wanted: Option<Duration>, most: Duration) -> Duration {
    wanted.map_or(most, |wanted| wanted.min(most))
}

/// Why no answer came.
fn failed(target: &Target, error: &legacy::Error) -> Refusal {
    if let Some(refusal) = cause::<Refusal>(error) {
        return refusal.clone();
    }
    let origin = target.origin();
    if let Some(tls) = cause::<rustls::Error>(error) {
        return Refusal::Tls {
            origin,
            problem: tls.to_string(),
        };
    }
    let problem = root(error);
    if error.is_connect() {
        Refusal::NoConnection { origin, problem }
    } else {
        Refusal::Broken { origin, problem }
    }
}
