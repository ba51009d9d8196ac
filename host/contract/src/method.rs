//! Methods of requests.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::shown;

/// The method of a request in capitals: `GET`, `POST`, …
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Method(String);

impl Method {
    /// Checks `text` once.
    ///
    /// # Errors
    /// When `text` is not 1 to 20 capital letters and `-`.
    pub fn parse(text: &str) -> Result<Self, NotAMethod> {
        let is_method = (1..=20).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'-');
        if is_method {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAMethod { text: shown(text) })
        }
    }

    /// The method as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Method {
    type Error = NotAMethod;

    fn try_from(text: String) -> Result<Self, NotAMethod> {
        Self::parse(&text)
    }
}

impl From<Method> for String {
    fn from(method: Method) -> Self {
        method.0
    }
}

/// A text that is no [`Method`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a method: use capital letters, as in `GET`")]
pub struct NotAMethod {
    text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_capital_letters() {
        let check = |text: &str, expected: bool| {
            assert_eq!(Method::parse(text).is_ok(), expected, "{text:?}");
        };
        check("GET", true);
        check("VERSION-CONTROL", true);
        check("get", false);
        check("", false);
        check("G T", false);
        check("GET\n", false);
    }
}
