//! Where a request goes, read from its URL once: what is checked is what is connected to.

use std::net::IpAddr;

use http::Uri;
use url::{Host, Url};

use super::refusal::Refusal;

/// The longest URL, in bytes.
const URL_BYTES: usize = 8192;

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// As it is sent, without what follows a `#`.
    pub(crate) uri: Uri,
    pub(crate) scheme: &'static str,
    /// In lower case; IPv6 without brackets.
    pub(crate) host: String,
    /// Where the host is an address; also one that was written in decimal, octal or hexadecimal.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
    /// Whether a user was named. No request carries one.
    has_user: bool,
}

impl Target {
    /// Reads `text`, an absolute URL.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim_matches(' ');
        let unreadable = |problem: &str| Refusal::Url {
            url: shown(text),
            problem: problem.to_owned(),
        };
        if text.is_empty() {
            return Err(unreadable("it is empty"));
        }
        if text.len() > URL_BYTES {
            return Err(unreadable("it is too long"));
        }
        // Readers of URLs disagree about these: nothing is sent that two could read in two ways.
        if text
            .chars()
            .any(|c| c == '\\' || c.is_whitespace() || c.is_control())
        {
            return Err(unreadable("it holds white space or a `\\`"));
        }
        let scheme = match text.split_once(':') {
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("http") => "http",
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("https") => "https",
            _ => return Err(Refusal::Scheme { url: shown(text) }),
        };
        let after = text[scheme.len() + 1..].strip_prefix("//");
        if after.is_none_or(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#', ':'])) {
            return Err(Refusal::NoHost { url: shown(text) });
        }
        let mut url = Url::parse(text).map_err(|error| unreadable(&error.to_string()))?;
        url.set_fragment(None);
        let has_user = !url.username().is_empty() || url.password().is_some();
        let (host, address) = match url.host() {
            None => return Err(Refusal::NoHost { url: shown(text) }),
            Some(Host::Domain(name)) => (name.to_ascii_lowercase(), None),
            Some(Host::Ipv4(address)) => (address.to_string(), Some(IpAddr::V4(address))),
            Some(Host::Ipv6(address)) => (address.to_string(), Some(IpAddr::V6(address))),
        };
        let port = url.port_or_known_default().unwrap_or_default();
        let uri = url
            .as_str()
            .parse()
            .map_err(|_| unreadable("it can't be sent"))?;
        Ok(Self {
            uri,
            scheme,
            host,
            address,
            port,
            has_user,
        })
    }

    /// Refuses what no request may carry.
    pub(crate) fn check_user(&self) -> Result<(), Refusal> {
        if self.has_user {
            return Err(Refusal::User {
                host: self.host.clone(),
            });
        }
        Ok(())
    }

    /// Its origin, as a pattern of one would be written.
    pub(crate) fn origin(&self) -> String {
        origin(self.scheme, &self.host, self.port)
    }
}

/// An origin as it is written, without the scheme's own port.
pub(crate) fn origin(scheme: &str, host: &str, port: u16) -> String {
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    match (scheme, port) {
        ("http", 80) | ("https", 443) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    }
}

fn shown(url: &str) -> String {
    shortened(url, SHOWN_CHARS)
}

/// How much of a URL is told.
const SHOWN_CHARS: usize = 500;

/// The first so many characters of a text.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_once() {
        let check = |text: &str, expected: &str| {
            let told = match Target::parse(text) {
                Ok(target) => format!("{} {}", target.origin(), target.uri),
                Err(refusal) => refusal.to_string(),
            };
            assert!(told.starts_with(expected), "{text}: {told}");
        };
        check("HTTP://X.COM", "http://x.com http://x.com/");
        check("https://x.com:443/a?b#c", "https://x.com https://x.com/a?b");
        check(
            "http://x.com:8080/ä",
            "http://x.com:8080 http://x.com:8080/%C3%A4",
        );
        check(
            "http://bücher.example/",
            "http://xn--bcher-kva.example http://xn--",
        );
        check("http://2130706433/", "http://127.0.0.1 http://127.0.0.1/");
        check("http://0x7f.1/", "http://127.0.0.1 ");
        check("http://0177.0.0.1/", "http://127.0.0.1 ");
        check(
            "http://[::ffff:127.0.0.1]:1/",
            "http://[::ffff:127.0.0.1]:1 ",
        );
        check(
            "http://x.com\\@127.0.0.1/",
            "`http://x.com\\@127.0.0.1/` is no URL that can be asked",
        );
        check("http://x.com\t.evil/", "`http://x.com\t.evil/` is no URL");
        check("http://[::1%25lo]/", "`http://[::1%25lo]/` is no URL");
        check("http://x.com:99999/", "`http://x.com:99999/` is no URL");
        check("", "`` is no URL");
        check("x.com/page", "`x.com/page` begins neither with");
        check("http:///x", "`http:///x` names no host");
        check("http:x.com", "`http:x.com` names no host");
    }
}
