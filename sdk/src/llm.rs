//! The language model. Declared by [`Requires::llm`](crate::Requires::llm); calls and tokens count
//! against the call's budget. Not here: choosing a model, which is the operator's.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bindings::forge::tool::llm as host;
use crate::component::on_host;
use crate::error::{Error, Result};

/// What the model is asked. A text alone is a prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Request {
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    /// Its words.
    pub text: String,
    /// What the call cost, as far as the model's server tells: a JSON object.
    #[serde(default)]
    pub usage: Value,
}

impl Request {
    /// A request of this prompt.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            ..Self::default()
        }
    }

    /// With instructions that stand before the prompt.
    #[must_use]
    pub fn system(self, system: impl Into<String>) -> Self {
        Self {
            system: Some(system.into()),
            ..self
        }
    }

    /// With an answer of at most so many tokens.
    #[must_use]
    pub fn max_tokens(self, max_tokens: u32) -> Self {
        Self {
            max_tokens: Some(max_tokens),
            ..self
        }
    }
}

impl From<&str> for Request {
    fn from(prompt: &str) -> Self {
        Self::new(prompt)
    }
}

impl From<String> for Request {
    fn from(prompt: String) -> Self {
        Self::new(prompt)
    }
}

/// Asks once.
///
/// # Errors
/// `denied` without the declaration or past the budget; `unavailable` or `timeout` when the model does
/// not answer.
pub fn generate(request: impl Into<Request>) -> Result<Answer> {
    let request = serde_json::to_string(&request.into())?;
    let answer = on_host("llm", || host::generate(&request))?;
    Ok(serde_json::from_str(&answer)?)
}

/// Asks once for a value: the answer is held to the schema of `T`, where the model's server can.
///
/// # Errors
/// As [`generate`], and `failed` when the answer does not fit after all.
pub fn generate_as<T: DeserializeOwned + JsonSchema>(request: impl Into<Request>) -> Result<T> {
    let request = Request {
        schema: Some(crate::input::schema::<T>()),
        ..request.into()
    };
    let answer = generate(request)?;
    serde_json::from_str(&answer.text)
        .map_err(|error| Error::failed(format!("the model's answer does not fit: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_has_the_contracts_form() {
        let check = |request: Request, expected| assert_eq!(json!(request), expected);
        check("hello".into(), json!({"prompt": "hello"}));
        check(
            Request::new("a").system("b").max_tokens(3),
            json!({"prompt": "a", "system": "b", "max_tokens": 3}),
        );
    }
}
