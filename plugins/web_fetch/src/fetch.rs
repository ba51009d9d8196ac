//! Fetches a URL and goes where it is sent. Each hop is a request of its own, which the host checks anew.

use std::time::Duration;

use forge_sdk::{Error, Result, http};
use url::Url;

use crate::Settings;
use crate::content::excerpt;

/// How often a page may send elsewhere.
const HOPS: usize = 5;

/// What came.
#[derive(Debug)]
pub(crate) struct Fetched {
    /// Where it was asked for first.
    asked: Url,
    /// Where it came from.
    pub(crate) url: Url,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
    /// Whether there was more of it.
    pub(crate) was_cut: bool,
}

impl Fetched {
    /// Where it came from, if not from where it was asked for.
    pub(crate) fn moved(&self) -> Option<&Url> {
        (self.url != self.asked).then_some(&self.url)
    }
}

/// The page at `url`, or at where that sends.
pub(crate) fn follow(url: &str, settings: &Settings) -> Result<Fetched> {
    let asked = parse(url)?;
    let mut seen = vec![asked.clone()];
    loop {
        let url = &seen[seen.len() - 1];
        let response = send(url, settings).map_err(|error| led_to(&seen, error))?;
        if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
            return fetched(asked, url.clone(), response, settings);
        }
        let next = target(url, &response)?;
        if seen.contains(&next) {
            return Err(Error::failed(format!(
                "`{asked}` leads in a circle, by way of `{next}`"
            )));
        }
        if seen.len() > HOPS {
            return Err(Error::failed(format!(
                "`{asked}` leads on and on: after {HOPS} hops it was at `{url}`"
            )));
        }
        seen.push(next);
    }
}

fn parse(text: &str) -> Result<Url> {
    let text = text.trim();
    let unfit = |problem: &str| {
        Error::invalid_input(format!(
            "`{text}` can't be fetched: {problem}, as in `https://example.com/page`"
        ))
    };
    if text.is_empty() {
        return Err(unfit("give a whole URL"));
    }
    let url = Url::parse(text).map_err(|_| unfit("it is no whole URL"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        "http" | "https" => Err(unfit("it names no host")),
        _ => Err(unfit("it must begin with `http://` or `https://`")),
    }
}

fn send(url: &Url, settings: &Settings) -> Result<http::Response> {
    http::Request::get(url.as_str())
        .header(
            "accept",
            "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
        )
        .timeout(Duration::from_secs(settings.timeout_seconds))
        // One more, to see whether there is more.
        .max_bytes(settings.max_bytes + 1)
        .truncated()
        .send()
}

fn target(url: &Url, response: &http::Response) -> Result<Url> {
    let status = response.status;
    let location = response.header("location").ok_or_else(|| {
        Error::failed(format!(
            "`{url}` answers {status} and does not say where the page is"
        ))
    })?;
    let mut next = url
        .join(location)
        .map_err(|_| Error::failed(format!("`{url}` sends to `{location}`, which is no URL")))?;
    next.set_fragment(None);
    Ok(next)
}

/// The error of a hop, with the hop that led there.
fn led_to(seen: &[Url], error: Error) -> Error {
    match seen {
        [.., before, _] => Error::new(
            error.code(),
            format!(
                "`{before}` leads to another page, which can't be fetched: {}",
                error.message()
            ),
        ),
        _ => error,
    }
}

fn fetched(asked: Url, url: Url, response: http::Response, settings: &Settings) -> Result<Fetched> {
    let status = response.status;
    let content_type = response.header("content-type").map(str::to_owned);
    let mut body = response.body;
    let most = usize::try_from(settings.max_bytes).unwrap_or(usize::MAX);
    let was_cut = body.len() > most;
    body.truncate(most);
    let fetched = Fetched {
        asked,
        url,
        content_type,
        body,
        was_cut,
    };
    if status == 200 {
        return Ok(fetched);
    }
    let url = &fetched.url;
    let phrase = phrase(status);
    let mut message = format!("`{url}` answers {status}{phrase}");
    if let Some(excerpt) = excerpt(&fetched) {
        message.push_str(&format!(": {excerpt}"));
    }
    Err(match status {
        404 | 410 => Error::not_found(message),
        401 | 403 => Error::denied(message),
        408 | 425 | 429 | 500..=599 => Error::unavailable(message),
        _ => Error::failed(message),
    })
}

/// What the usual statuses mean (RFC 9110).
fn phrase(status: u16) -> &'static str {
    match status {
        204 => " (no content)",
        304 => " (not modified)",
        400 => " (bad request)",
        401 => " (a login is needed)",
        403 => " (forbidden)",
        404 => " (not found)",
        405 => " (method not allowed)",
        410 => " (gone)",
        429 => " (too many requests)",
        451 => " (unavailable for legal reasons)",
        500 => " (internal server error)",
        502 => " (bad gateway)",
        503 => " (unavailable)",
        504 => " (gateway timeout)",
        _ => "",
    }
}
