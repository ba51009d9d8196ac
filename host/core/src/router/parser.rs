//! Reads the model's text as a decision. Whatever the text is, something comes of it:
//! JSON, then an XML tool call, then a fenced block, then plain text.
//!
//! Not here: the operation and its input ([`super::proposal`]).

use serde_json::{Map, Value};

use super::json::{balanced_length, load, regions};
use super::placeholder::Placeholder;
use super::{CHAT, CODE, Offer, find};

/// What the model's text is.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// A decision.
    Decision(Decision),
    /// Nothing that could be shown.
    Placeholder(Placeholder),
}

/// What the model chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// An offered capability, or `chat`.
    pub tool: String,
    /// What the model wrote as `tool`, where that is not offered.
    pub not_offered: Option<String>,
    /// The content.
    pub content: Content,
    /// Whether the run may end with this step.
    pub done: bool,
}

/// The content of a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// For a capability that takes text.
    Text(String),
    /// For one that takes an object. Not yet checked: it may be anything.
    Payload(Value),
}

/// Reads `raw`, given what was offered.
#[must_use]
pub fn parse(raw: &str, offers: &[Offer]) -> Parsed {
    let text = without_thoughts(raw);
    let text = text.trim();
    if let Some(parsed) = from_objects(text, offers) {
        return parsed;
    }
    if is_unfinished_envelope(text) {
        return Parsed::Placeholder(Placeholder::Unfinished);
    }
    if let Some(content) = between(text, "<content>", "</content>") {
        return checked(Decision::chat(content.trim()));
    }
    match first_fence(text) {
        Some(source) if find(offers, CODE).is_some() => Parsed::Decision(Decision {
            tool: CODE.to_owned(),
            ..Decision::chat(source)
        }),
        _ => from_plain_text(text),
    }
}

impl Decision {
    fn chat(text: &str) -> Self {
        Self {
            tool: CHAT.to_owned(),
            not_offered: None,
            content: Content::Text(text.to_owned()),
            done: true,
        }
    }
}

/// The last object that is a decision; or why none of those that look like one is.
fn from_objects(text: &str, offers: &[Offer]) -> Option<Parsed> {
    let mut problem = None;
    for region in regions(text).into_iter().rev() {
        let Ok(Value::Object(object)) = load(region) else {
            continue;
        };
        let Some(envelope) = envelope_in(&object) else {
            continue;
        };
        match from_envelope(envelope, offers) {
            Parsed::Placeholder(found) => problem = problem.or(Some(found)),
            decision @ Parsed::Decision(_) => return Some(decision),
        }
    }
    problem.map(Parsed::Placeholder)
}

/// `object` itself when it has a `tool`, else the first object in it that has one.
fn envelope_in(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    fn within(value: &Value) -> Option<&Map<String, Value>> {
        match value {
            Value::Object(object) => envelope_in(object),
            Value::Array(items) => items.iter().find_map(within),
            _ => None,
        }
    }
    if object.contains_key("tool") {
        return Some(object);
    }
    object.values().find_map(within)
}

fn from_envelope(envelope: &Map<String, Value>, offers: &[Offer]) -> Parsed {
    let named = tool_of(envelope);
    let offer = named.and_then(|name| find(offers, name));
    let content = envelope.get("content").unwrap_or(&Value::Null);
    let done = envelope.get("done").is_none_or(means_true);
    if let Some(offer) = offer.filter(|offer| !offer.takes_text()) {
        return match payload(content) {
            Some(payload) => Parsed::Decision(Decision {
                tool: offer.capability.clone(),
                not_offered: None,
                content: Content::Payload(payload),
                done,
            }),
            None => Parsed::Placeholder(Placeholder::Empty),
        };
    }
    let Some(text) = text_of(content) else {
        return Parsed::Placeholder(Placeholder::Empty);
    };
    checked(Decision {
        tool: offer.map_or(CHAT, |offer| &offer.capability).to_owned(),
        not_offered: named
            .filter(|name| offer.is_none() && *name != CHAT)
            .map(str::to_owned),
        content: Content::Text(text),
        done,
    })
}

/// Looks inside an answer in words; the text of another capability is its own affair.
fn checked(mut decision: Decision) -> Parsed {
    if decision.tool == CHAT
        && let Content::Text(text) = &decision.content
    {
        let answer = match unwrapped(text) {
            Ok(answer) => answer,
            Err(problem) => return Parsed::Placeholder(problem),
        };
        if let Some(problem) = Placeholder::of_answer(&answer) {
            return Parsed::Placeholder(problem);
        }
        decision.content = Content::Text(answer);
    }
    Parsed::Decision(decision)
}

/// The answer in `text`, out of up to three envelopes inside one another. Text stays text: an envelope
/// in an answer is never taken for a call.
fn unwrapped(text: &str) -> Result<String, Placeholder> {
    let mut text = text.to_owned();
    for _ in 0..3 {
        if is_unfinished_envelope(&text) {
            return Err(Placeholder::Unfinished);
        }
        let Ok(Value::Object(object)) = load(text.trim()) else {
            break;
        };
        match (object.contains_key("tool"), object.get("content")) {
            (true, Some(Value::String(inner))) => text = inner.clone(),
            _ => break,
        }
    }
    Ok(text)
}

fn tool_of(envelope: &Map<String, Value>) -> Option<&str> {
    match envelope.get("tool")? {
        Value::Array(names) => names.iter().find_map(Value::as_str),
        name => name.as_str(),
    }
}

/// What a capability that takes an object is given. An empty object is something; text that holds JSON
/// stands for it.
fn payload(content: &Value) -> Option<Value> {
    match content {
        Value::Object(_) => Some(content.clone()),
        Value::String(text) => {
            let text = text_of(content).map(|_| text)?;
            Some(load(text).unwrap_or_else(|_| content.clone()))
        }
        _ => text_of(content).map(|_| content.clone()),
    }
}

/// Content as text; `None` when there is nothing in it.
fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        Value::Null | Value::Bool(false) => return None,
        Value::Number(number) if number.as_f64() == Some(0.0) => return None,
        Value::Array(items) if items.is_empty() => return None,
        Value::Object(fields) if fields.is_empty() => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// `done` as models write it. `null` is as good as absent.
fn means_true(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let word = text.trim().to_ascii_lowercase();
            !matches!(word.as_str(), "" | "false" | "no" | "0")
        }
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// Whether `text` holds the beginning of a decision whose end is missing.
pub(super) fn is_unfinished_envelope(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let region = &text[at..];
        let after_key = region[1..].trim_start().strip_prefix("\"tool\"");
        after_key.is_some_and(|rest| rest.trim_start().starts_with(':'))
            && balanced_length(region).is_none()
    })
}

fn from_plain_text(text: &str) -> Parsed {
    const MAX_CHARS: usize = 400;
    let text = without_role(text);
    if let Some(problem) = Placeholder::of_answer(text) {
        return Parsed::Placeholder(problem);
    }
    let shown = match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    };
    Parsed::Decision(Decision::chat(&shown))
}

/// `text` without one leading `assistant:` or `user:`.
fn without_role(text: &str) -> &str {
    let Some((role, rest)) = text.split_once(':') else {
        return text;
    };
    let role = role.trim_end();
    if role.eq_ignore_ascii_case("assistant") || role.eq_ignore_ascii_case("user") {
        rest.trim_start()
    } else {
        text
    }
}

/// `raw` without its closed `<think>` blocks.
fn without_thoughts(raw: &str) -> String {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let mut kept = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(start) = rest.find(OPEN) {
        let Some(length) = rest[start..].find(CLOSE) else {
            break;
        };
        kept.push_str(&rest[..start]);
        rest = &rest[start + length + CLOSE.len()..];
    }
    kept.push_str(rest);
    kept
}

/// What stands between the first `open` and the `close` after it, when that is not blank.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    let (inner, _) = rest.split_once(close)?;
    (!inner.trim().is_empty()).then_some(inner)
}

/// The inside of the first fenced block that is closed and not blank.
fn first_fence(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(FENCE) {
        let (language, body) = after.split_once('\n')?;
        let is_opening = language
            .trim_end()
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_');
        if is_opening {
            let (source, after_block) = body.split_once(FENCE)?;
            if !source.trim().is_empty() {
                return Some(source.strip_suffix('\n').unwrap_or(source));
            }
            rest = after_block;
        } else {
            rest = after;
        }
    }
    None
}

#[cfg(test)]
mod tests;
