//! Secrets, added to the requests that they are for. The guest never has them: what comes back is scrubbed
//! (`scrub`). Not here: where they are kept.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use forge_contract::name::Name;
use forge_contract::requirements::Secret;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderName, HeaderValue};
use http::{HeaderMap, Request};
use secrecy::{ExposeSecret, SecretString};

use super::connect::SentBody;
use super::refusal::Refusal;
use super::scrub::Scrubber;
use super::target::Target;
use super::{NetworkSettings, Rules};

/// A look-up that is going on. What it says instead of a value is a sentence without its full stop, with the way out.
pub type SecretLookup<'a> = Pin<Box<dyn Future<Output = Result<SecretString, String>> + Send + 'a>>;

/// Where the values of secrets are kept.
pub trait Secrets: Send + Sync {
    /// The value of `secret`, if `tool` may have it sent to where it says.
    fn value<'a>(&'a self, tool: &'a Name, secret: &'a Secret) -> SecretLookup<'a>;
}

/// There are none.
#[derive(Debug, Clone, Copy)]
pub struct NoSecrets;

impl Secrets for NoSecrets {
    fn value<'a>(&'a self, _tool: &'a Name, secret: &'a Secret) -> SecretLookup<'a> {
        let problem = format!("there is no secret `{}`", secret.name);
        Box::pin(std::future::ready(Err(problem)))
    }
}

/// Adds to `request` the secrets that are for `target`, and returns what scrubs the answer of them, if there are any.
pub(super) async fn add(
    settings: &NetworkSettings,
    rules: &Rules,
    target: &Target,
    request: &mut Request<SentBody>,
) -> Result<Option<Arc<Scrubber>>, Refusal> {
    let (scheme, host, port) = (target.scheme, target.host.as_str(), target.port);
    let mut values = Vec::new();
    for secret in &rules.secrets {
        if !secret.origin.matches(scheme, host, port) {
            continue;
        }
        let is_private = || {
            rules
                .private
                .iter()
                .any(|it| it.matches(scheme, host, port))
        };
        if scheme != "https" && !is_private() {
            return Err(Refusal::SecretInTheOpen {
                secret: secret.name.to_string(),
                origin: target.origin(),
            });
        }
        let no_secret = |problem| Refusal::NoSecret {
            origin: target.origin(),
            problem,
        };
        let (name, headers) = (header_name(secret)?, request.headers_mut());
        if headers.contains_key(&name) {
            return Err(Refusal::SecretHeader {
                name: name.to_string(),
                secret: secret.name.to_string(),
                origin: target.origin(),
            });
        }
        let looked_up = settings.secrets.value(&rules.tool, secret).await;
        let value = looked_up.map_err(no_secret)?;
        let whole = format!("{}{}", secret.prefix, value.expose_secret());
        let mut whole = HeaderValue::try_from(whole)
            .map_err(|_| no_secret(format!("`{}` can't be in a header", secret.name)))?;
        // It is not shown where a header is.
        whole.set_sensitive(true);
        headers.insert(name, whole);
        values.push(value);
    }
    if values.is_empty() {
        return Ok(None);
    }
    // What is compressed can't be scrubbed on its way.
    let plain = HeaderValue::from_static("identity");
    request.headers_mut().insert(ACCEPT_ENCODING, plain);
    let scrubber = Scrubber::of(values.iter().map(|value| value.expose_secret()));
    Ok(Some(Arc::new(scrubber)))
}

/// The manifest was checked when it was read.
fn header_name(secret: &Secret) -> Result<HeaderName, Refusal> {
    HeaderName::try_from(&secret.header).map_err(|_| Refusal::BadHeader {
        name: secret.header.clone(),
    })
}

/// Refuses an answer that can't be scrubbed, and scrubs its head.
pub(super) fn scrub_head(
    scrubber: &Scrubber,
    headers: &mut HeaderMap,
    target: &Target,
) -> Result<(), Refusal> {
    if let Some(encoding) = headers.get(CONTENT_ENCODING)
        && encoding != "identity"
    {
        return Err(Refusal::Broken {
            origin: target.origin(),
            problem: "it is compressed, although a request with a secret asks for a plain answer"
                .to_owned(),
        });
    }
    for value in headers.values_mut() {
        // Stars take the place of what was there, so it can be a header's value again.
        if let Ok(scrubbed) = HeaderValue::from_bytes(&scrubber.scrubbed(value.as_bytes())) {
            *value = scrubbed;
        }
    }
    Ok(())
}
