//! Requests, whole; what was compressed comes decompressed. Declared by [`Requires::network`](crate::Requires::network). Redirects are not
//! followed: a 3xx is an answer. Not here: streaming; an HTTP library on `wasi:http` has it under the
//! same declaration.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::forge::tool::http as host;
use crate::component::on_host;
use crate::error::Result;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    options: Options,
}

/// What may be said of a request beside it, as the host reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_bytes: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncate: bool,
}

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Such as 200.
    pub status: u16,
    /// Names and values, in their order.
    pub headers: Vec<(String, String)>,
    /// The bytes.
    pub body: Vec<u8>,
}

impl Request {
    /// A `GET` of an absolute URL.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    /// A `POST` of these bytes to an absolute URL.
    pub fn post(url: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::new("POST", url).body(body)
    }

    /// A request of any method.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            options: Options::default(),
        }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With these bytes.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: Some(body.into()),
            ..self
        }
    }

    /// With a deadline earlier than the call's own.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        self.options.timeout_ms = Some(timeout_ms);
        self
    }

    /// With a longest answer, in bytes once it is decompressed; a longer one is the error `failed`.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.options.max_bytes = Some(max_bytes);
        self
    }

    /// With an answer that is cut where it would be too long. Who wants to know whether it was asks for one byte more
    /// than it needs.
    #[must_use]
    pub fn truncated(mut self) -> Self {
        self.options.truncate = true;
        self
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sends it.
    ///
    /// # Errors
    /// `denied` when the origin was not declared or may not be reached, `timeout` past the deadline,
    /// `unavailable` when nothing answers there.
    pub fn send(self) -> Result<Response> {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(answer) = crate::testing::fetch(&self) {
            return answer;
        }
        let options = serde_json::to_string(&self.options)?;
        let request = host::Request {
            method: self.method,
            url: self.url,
            headers: self.headers,
            body: self.body,
            options: Some(options),
        };
        let response = on_host("http", || host::fetch(&request))?;
        Ok(Response {
            status: response.status,
            headers: response.headers,
            body: response.body,
        })
    }
}

impl Response {
    /// The first header of this name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as a JSON value.
    ///
    /// # Errors
    /// `failed` when it is not one.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}
