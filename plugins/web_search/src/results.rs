//! What SearXNG answers, and how a model sees it.

use std::collections::BTreeSet;

use forge_sdk::{Error, Result, Value};
use serde::Deserialize;

/// The longest snippet, in characters.
const SNIPPET_CHARS: usize = 300;

/// The part of an answer that is used. Unknown fields are the server's own affair.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    results: Option<Vec<Found>>,
    #[serde(default)]
    unresponsive_engines: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Found {
    title: Option<String>,
    url: Option<String>,
    content: Option<String>,
}

impl Answer {
    /// The first `most` results as a numbered list.
    pub(crate) fn shown(self, query: &str, most: usize) -> Result<String> {
        let dead = names(&self.unresponsive_engines);
        let Some(results) = self.results else {
            return Err(Error::unavailable(
                "the search server answers without `results`: is `SEARXNG_URL` the address of a SearXNG server?",
            ));
        };
        let mut seen = BTreeSet::new();
        let fresh = results.into_iter().filter(|found| {
            found
                .url
                .as_ref()
                .is_none_or(|url| seen.insert(url.clone()))
        });
        let items: Vec<String> = fresh
            .take(most)
            .enumerate()
            .map(|(index, found)| found.shown(index + 1))
            .collect();
        if items.is_empty() {
            return match dead.as_slice() {
                [] => Ok(format!("[nothing was found for `{query}`]")),
                _ => Err(Error::unavailable(format!(
                    "nothing was found, because no engine answered the search server: {}",
                    dead.join(", ")
                ))),
            };
        }
        let mut text = format!("Results for `{query}`:\n{}", items.join("\n"));
        if !dead.is_empty() {
            text.push_str(&format!(
                "\n[these engines did not answer: {}]",
                dead.join(", ")
            ));
        }
        Ok(text)
    }
}

impl Found {
    fn shown(&self, number: usize) -> String {
        let title = plain(self.title.as_deref());
        let url = self.url.as_deref().unwrap_or_default().trim();
        let mut snippet = plain(self.content.as_deref());
        if let Some((end, _)) = snippet.char_indices().nth(SNIPPET_CHARS) {
            snippet.truncate(end);
            snippet.push('…');
        }
        format!("{number}. {title}\n   {url}\n   {snippet}")
    }
}

/// A text in one line, without tags and entities, which some engines leave in.
fn plain(text: Option<&str>) -> String {
    let mut bare = String::new();
    let mut rest = text.unwrap_or_default();
    while let Some((before, after)) = rest.split_once('<') {
        bare.push_str(before);
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match after.split_once('>') {
            Some((_, behind)) if is_tag => rest = behind,
            _ => {
                bare.push('<');
                rest = after;
            }
        }
    }
    bare.push_str(rest);
    let text = html_escape::decode_html_entities(&bare);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The engines, whether they stand there as names, as pairs of a name and a reason, or as objects.
fn names(engines: &Value) -> Vec<String> {
    let name = |engine: &Value| match engine {
        Value::String(name) => name.clone(),
        Value::Array(pair) => pair.first().map(word).unwrap_or_default(),
        Value::Object(fields) => fields
            .get("engine")
            .or(fields.get("name"))
            .map(word)
            .unwrap_or_default(),
        other => other.to_string(),
    };
    let engines = engines.as_array().into_iter().flatten();
    engines.map(name).filter(|name| !name.is_empty()).collect()
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
