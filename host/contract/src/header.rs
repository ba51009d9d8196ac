//! Names of HTTP headers, and those that are not for tools to set. Not here: values.

/// Headers that belong to the connection, or say where the request goes (RFC 9110 §7.6.1 and §7.2).
const OF_CONNECTION: [&str; 14] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "trailers",
    "transfer-encoding",
    "upgrade",
];

/// Whether a header can have this name (RFC 9110 §5.1, `token`).
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(is_token)
}

/// Whether a header is the host's own to set, however its name is written.
#[must_use]
pub fn is_of_connection(name: &str) -> bool {
    OF_CONNECTION
        .iter()
        .any(|header| header.eq_ignore_ascii_case(name))
}
