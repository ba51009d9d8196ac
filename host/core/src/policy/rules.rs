//! The operator's own rules: what they match, and the examples that prove it.
//!
//! Not here: the file they stand in, and the stages before and after them.

use std::collections::BTreeMap;

use forge_contract::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pattern::Pattern;
use super::verdict::Gate;

/// What a rule does with a call that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It answers for the operator what the gates in `discharges` ask.
    Allow,
    /// The operator is asked.
    Ask,
    /// It is not made.
    Deny,
}

/// A rule as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    /// Its name, which no other rule has.
    pub name: String,
    /// What it does.
    pub effect: Effect,
    /// The capabilities that it is about, as a pattern: `files`, `*`.
    pub capability: String,
    /// The operations, as a pattern; every one without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Arguments by name (`a.b` for one within another) and the pattern that each must match. One that a call does
    /// not have matches nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Arguments by name and the value that each must have, exactly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub equals: BTreeMap<String, Value>,
    /// Whether a call may have no other arguments than those in `equals`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_these: bool,
    /// The gates whose question an `allow` answers: `mode`, `risk`, `path`, `rule:NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discharges: Vec<Gate>,
    /// Why, for whoever is refused or asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Calls that it must match; tested when it is read.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Example>,
    /// Calls that it must not match; tested when it is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<Example>,
}

/// A call as an example has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// `files.write`.
    pub call: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
}

/// A rule that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: RuleText,
    capability: Pattern,
    operation: Option<Pattern>,
    arguments: Vec<(String, Pattern)>,
}

impl Rule {
    /// Checks a rule and tries its examples.
    ///
    /// # Errors
    /// When a pattern is none, a field makes no sense for its effect, or an example comes out wrong.
    pub fn new(text: RuleText) -> Result<Self, BadRule> {
        let bad = |problem: String| BadRule {
            name: text.name.clone(),
            problem,
        };
        if Name::parse(&text.name.replace('-', "_")).is_err() {
            return Err(bad(
                "its name must be lower-case letters, digits, `-` and `_`".to_owned(),
            ));
        }
        match (text.effect, text.discharges.as_slice()) {
            (Effect::Allow, []) => {
                return Err(bad(
                    "an `allow` says in `discharges` whose question it answers: `mode`, `risk`, `path` or `rule:NAME`".to_owned(),
                ));
            }
            (Effect::Allow, gates) => {
                if gates.contains(&Gate::Label) {
                    return Err(bad(
                        "what a label asks can't be answered in advance: approve it when it is asked".to_owned(),
                    ));
                }
            }
            (Effect::Ask | Effect::Deny, []) => {}
            (Effect::Ask | Effect::Deny, _) => {
                return Err(bad("only an `allow` has `discharges`".to_owned()));
            }
        }
        let pattern = |text: &str| Pattern::parse(text).map_err(&bad);
        let arguments = text.arguments.iter();
        let arguments = arguments.map(|(name, value)| Ok((name.clone(), pattern(value)?)));
        let rule = Self {
            capability: pattern(&text.capability)?,
            operation: text.operation.as_deref().map(pattern).transpose()?,
            arguments: arguments.collect::<Result<_, BadRule>>()?,
            text,
        };
        rule.try_examples()?;
        Ok(rule)
    }

    /// The rule as it is written.
    #[must_use]
    pub fn text(&self) -> &RuleText {
        &self.text
    }

    /// Whether it is about this call. Without an input, rules about arguments are about none.
    #[must_use]
    pub fn is_about(&self, capability: &str, operation: &str, input: Option<&Value>) -> bool {
        let strict = self.text.effect == Effect::Allow;
        let is_named = self.capability.matches(capability, strict)
            && self
                .operation
                .as_ref()
                .is_none_or(|it| it.matches(operation, strict));
        let no_input = Value::Null;
        let (input, is_known) = (input.unwrap_or(&no_input), input.is_some());
        let argument = |name: &str| {
            name.split('.')
                .try_fold(input, |value, part| value.get(part))
        };
        is_named
            && (is_known || !self.looks_at_arguments())
            && self.arguments.iter().all(|(name, pattern)| {
                argument(name).is_some_and(|value| pattern.matches(&shown(value), strict))
            })
            && self
                .text
                .equals
                .iter()
                .all(|(name, expected)| argument(name) == Some(expected))
            && (!self.text.only_these
                || input.as_object().is_some_and(|input| {
                    input.keys().all(|name| self.text.equals.contains_key(name))
                }))
    }

    fn looks_at_arguments(&self) -> bool {
        !self.arguments.is_empty() || !self.text.equals.is_empty() || self.text.only_these
    }

    fn try_examples(&self) -> Result<(), BadRule> {
        let examples = [(&self.text.matches, true), (&self.text.not_match, false)];
        for (examples, expected) in examples {
            for example in examples {
                let call = &example.call;
                let (capability, operation) = call.split_once('.').unwrap_or((call, "run"));
                if self.is_about(capability, operation, Some(&example.input)) != expected {
                    let not = if expected {
                        "does not match"
                    } else {
                        "matches"
                    };
                    return Err(BadRule {
                        name: self.text.name.clone(),
                        problem: format!("it {not} its example `{call} {}`", example.input),
                    });
                }
            }
        }
        Ok(())
    }
}

/// A value as a pattern sees it.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Checks that rules fit together.
///
/// # Errors
/// When two have one name, or an `allow` answers a rule that is not there.
pub fn check_together(rules: &[Rule]) -> Result<(), BadRule> {
    for (index, rule) in rules.iter().enumerate() {
        let bad = |problem: String| BadRule {
            name: rule.text.name.clone(),
            problem,
        };
        if rules[..index]
            .iter()
            .any(|other| other.text.name == rule.text.name)
        {
            return Err(bad("there are two rules of this name".to_owned()));
        }
        for gate in &rule.text.discharges {
            let Gate::Rule(asked) = gate else { continue };
            let is_there = rules
                .iter()
                .any(|other| other.text.name == *asked && other.text.effect == Effect::Ask);
            if !is_there {
                return Err(bad(format!(
                    "it answers `{gate}`, and no rule `{asked}` asks"
                )));
            }
        }
    }
    Ok(())
}

/// A rule that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rule `{name}` can't be used: {problem}")]
pub struct BadRule {
    name: String,
    problem: String,
}

#[cfg(test)]
mod tests;
