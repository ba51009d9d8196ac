//! What was asked and what was answered: a fold of events and nothing else. Not here: where the events are.

use std::collections::BTreeMap;

use forge_contract::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ApprovalRequest;
use crate::policy::{Ask, Effect, Gate, RuleText};
use crate::store::Recorded;

/// The stream of the events.
pub const STREAM: &str = "approvals";

/// A call that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Under which it is answered.
    pub id: String,
    /// The run that asked.
    pub run_id: String,
    /// Whose operation it is.
    pub capability: Name,
    /// Which operation.
    pub operation: Name,
    /// Its whole input.
    pub input: Value,
    /// What is asked.
    pub asks: Vec<Ask>,
    /// The call's hash: a yes is for this call and no other.
    pub hash: String,
    /// Until when it can be answered, and a yes be used: seconds since 1970.
    pub expires_at: u64,
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// This once.
    Once,
    /// As long as this Forge runs.
    Session,
    /// From now on, by a rule.
    Always,
    /// No.
    No,
}

/// What happens to approvals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Event {
    /// A call waits.
    Asked(Pending),
    /// It was answered.
    Answered {
        /// Which.
        id: String,
        /// How.
        answer: Answer,
        /// The rule that an answer for ever made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<RuleText>,
    },
    /// A yes was used up.
    Used {
        /// Which.
        id: String,
    },
}

/// The approvals as their events up to [`Ledger::head`] have made them.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    head: u64,
    pending: BTreeMap<String, Pending>,
    /// Said yes to once, and not used yet.
    given: BTreeMap<String, Pending>,
    rules: Vec<RuleText>,
}

impl Ledger {
    /// Takes in the event after [`Ledger::head`]. What can't be read says yes to nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.head = recorded.position;
        match serde_json::from_slice(&recorded.event) {
            Ok(Event::Asked(pending)) => {
                self.pending.insert(pending.id.clone(), pending);
            }
            Ok(Event::Answered { id, answer, rule }) => {
                let asked = self.pending.remove(&id);
                if let (Some(asked), Answer::Once) = (asked, answer) {
                    self.given.insert(id, asked);
                }
                self.rules.extend(rule);
            }
            Ok(Event::Used { id }) => {
                self.given.remove(&id);
            }
            Err(_) => {}
        }
    }

    /// The position of the last event that was taken in.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.head
    }

    /// What can be answered at `now`, the oldest first.
    #[must_use]
    pub fn pending(&self, now: u64) -> Vec<&Pending> {
        let mut pending: Vec<&Pending> = self
            .pending
            .values()
            .filter(|it| it.expires_at > now)
            .collect();
        pending.sort_by_key(|it| it.expires_at);
        pending
    }

    /// The question under `id`, if it can be answered at `now`.
    #[must_use]
    pub fn find(&self, id: &str, now: u64) -> Option<&Pending> {
        self.pending.get(id).filter(|it| it.expires_at > now)
    }

    /// The id of an unused yes to just this call and all that is asked about it.
    #[must_use]
    pub fn given_for(&self, request: &ApprovalRequest<'_>, now: u64) -> Option<&str> {
        let is_it = |given: &&Pending| {
            given.hash == request.hash
                && given.expires_at > now
                && covers(given.asks.iter().map(|ask| &ask.gate), request.asks)
        };
        self.given
            .values()
            .find(is_it)
            .map(|given| given.id.as_str())
    }

    /// The rules that answers for ever have made.
    #[must_use]
    pub fn rules(&self) -> &[RuleText] {
        &self.rules
    }
}

/// Whether a yes to `gates` answers all of `asks`.
pub fn covers<'a>(gates: impl IntoIterator<Item = &'a Gate>, asks: &[Ask]) -> bool {
    let gates: Vec<&Gate> = gates.into_iter().collect();
    asks.iter().all(|ask| gates.contains(&&ask.gate))
}

impl Pending {
    /// The call: `files.write`.
    #[must_use]
    pub fn call(&self) -> String {
        format!("{}.{}", self.capability, self.operation)
    }

    /// Why it is asked.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        self.asks.iter().map(|ask| ask.reason.clone()).collect()
    }

    /// The rule that would say yes from now on to just this call; `None` where none can: what a label asks, and what
    /// nobody can read.
    #[must_use]
    pub fn rule(&self) -> Option<RuleText> {
        let can = self.asks.iter().all(|ask| ask.gate.may_be_always());
        let text = self.input.to_string();
        if !can || text.len() > MOST_SHOWN_BYTES || text.chars().any(is_deceptive) {
            return None;
        }
        let fields = self.input.as_object()?;
        Some(RuleText {
            name: format!("approved-{}", self.id),
            effect: Effect::Allow,
            capability: self.capability.to_string(),
            operation: Some(self.operation.to_string()),
            arguments: BTreeMap::new(),
            equals: fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            only_these: true,
            discharges: self.asks.iter().map(|ask| ask.gate.clone()).collect(),
            reason: None,
            matches: Vec::new(),
            not_match: Vec::new(),
        })
    }
}

/// The longest input to which a yes for ever is possible: nobody reads more.
const MOST_SHOWN_BYTES: usize = 2000;

/// An input as a person reads it: whole, over several lines, with every character spelt out that could deceive.
#[must_use]
pub fn shown(input: &Value) -> String {
    spelt_out(&serde_json::to_string_pretty(input).unwrap_or_default())
}

/// `text` with every character spelt out that could deceive.
#[must_use]
pub fn spelt_out(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) {
            safe.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Characters that change how others are shown, or are not shown at all.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}'
        | '\u{180e}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::approval::call_hash;
    use crate::policy::Rule;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn pending(id: &str, gates: &[Gate], input: Value) -> Pending {
        Pending {
            id: id.to_owned(),
            run_id: "r".to_owned(),
            capability: name("files"),
            operation: name("write"),
            hash: call_hash(&name("files"), &name("write"), &input),
            input,
            asks: gates
                .iter()
                .map(|gate| Ask {
                    gate: gate.clone(),
                    reason: "because".to_owned(),
                })
                .collect(),
            expires_at: 100,
        }
    }

    fn ledger(events: &[Event]) -> Ledger {
        let mut ledger = Ledger::default();
        for (index, event) in events.iter().enumerate() {
            ledger.apply(&Recorded {
                position: index as u64 + 1,
                event: serde_json::to_vec(event).unwrap(),
            });
        }
        ledger
    }

    fn answered(id: &str, answer: Answer) -> Event {
        Event::Answered {
            id: id.to_owned(),
            answer,
            rule: None,
        }
    }

    #[test]
    fn a_yes_is_for_one_call_once_and_for_a_while() {
        let input = json!({"path": "a"});
        let (files, write) = (name("files"), name("write"));
        let asked = Event::Asked(pending("1", &[Gate::Mode, Gate::Label], input.clone()));
        let check = |events: &[Event], gates: &[Gate], input: &Value, now: u64, expected: bool| {
            let asks: Vec<Ask> = gates
                .iter()
                .map(|gate| Ask {
                    gate: gate.clone(),
                    reason: String::new(),
                })
                .collect();
            let request = ApprovalRequest {
                run_id: "r2",
                capability: &files,
                operation: &write,
                input,
                asks: &asks,
                hash: call_hash(&files, &write, input),
            };
            let ledger = ledger(events);
            assert_eq!(
                ledger.given_for(&request, now).is_some(),
                expected,
                "{events:?}"
            );
        };
        let yes = [asked.clone(), answered("1", Answer::Once)];
        check(
            std::slice::from_ref(&asked),
            &[Gate::Mode],
            &input,
            0,
            false,
        );
        check(&yes, &[Gate::Mode], &input, 0, true);
        check(&yes, &[Gate::Label, Gate::Mode], &input, 99, true);
        check(&yes, &[Gate::Mode], &input, 100, false);
        check(&yes, &[Gate::Risk], &input, 0, false);
        check(&yes, &[Gate::Mode], &json!({"path": "a "}), 0, false);
        check(
            &[asked.clone(), answered("1", Answer::No)],
            &[Gate::Mode],
            &input,
            0,
            false,
        );
        // Nobody can say yes to what was not asked.
        check(
            &[answered("1", Answer::Once)],
            &[Gate::Mode],
            &input,
            0,
            false,
        );
        let used = Event::Used { id: "1".to_owned() };
        check(
            &[asked, answered("1", Answer::Once), used],
            &[Gate::Mode],
            &input,
            0,
            false,
        );
    }

    #[test]
    fn a_yes_for_ever_is_a_rule_for_just_that_call() {
        let call = json!({"path": "a", "text": "b"});
        let rule = pending("7", &[Gate::Mode], call.clone()).rule().unwrap();
        let rule = Rule::new(rule).unwrap();
        assert!(rule.is_about("files", "write", Some(&call)));
        for other in [
            json!({"path": "a", "text": "c"}),
            json!({"path": "a"}),
            json!({"path": "a", "text": "b", "more": 1}),
        ] {
            assert!(!rule.is_about("files", "write", Some(&other)), "{other}");
        }
        assert!(!rule.is_about("files", "edit", Some(&call)));
        for (gate, input) in [
            (Gate::Label, call),
            (Gate::Mode, json!({"path": "a\u{202e}b"})),
            (Gate::Mode, json!({"path": "a\u{200b}b"})),
            (Gate::Mode, json!({"path": "x".repeat(MOST_SHOWN_BYTES)})),
            (Gate::Mode, json!("a text")),
        ] {
            assert_eq!(pending("8", &[gate], input).rule(), None);
        }
    }
}
