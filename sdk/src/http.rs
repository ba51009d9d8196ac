//! Requests, whole. Declared by [`Requires::network`](crate::Requires::network). Redirects are not
//! followed: a 3xx is an answer. Not here: streaming; an HTTP library on `wasi:http` has it under the
//! same declaration.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::json;

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
    timeout: Option<Duration>,
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
            timeout: None,
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
    pub fn timeout(self, timeout: Duration) -> Self {
        Self {
            timeout: Some(timeout),
            ..self
        }
    }

    /// Sends it.
    ///
    /// # Errors
    /// `denied` when the origin was not declared or may not be reached, `timeout` past the deadline,
    /// `unavailable` when nothing answers there.
    pub fn send(self) -> Result<Response> {
        let options = self.timeout.map(|timeout| {
            let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            json!({ "timeout_ms": timeout_ms }).to_string()
        });
        let request = host::Request {
            method: self.method,
            url: self.url,
            headers: self.headers,
            body: self.body,
            options,
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
