//! Policy: whether a call may be made. A pure function of the call, the labels of its run and the operator's settings.
//!
//! **Deny is absolute**: a switch, a rule, the mode `read-only`. Otherwise each stage that is left may ask: a rule, a
//! label, a path that came from nowhere, the mode or the risk. A rule that allows answers the gates that it names; a person answers the rest. Not
//! here: who asks that person, and what a call is given when it may be made (its grant).

mod verdict;
mod needs;
mod pattern;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use forge_contract::label::Label;
use forge_contract::manifest::Operation;
use forge_contract::name::Name;
use forge_contract::outcome::Denial;
use forge_contract::power::Power;
use serde_json::Value;

pub use rules::{BadRule, Effect, Example, Rule, RuleText, check_together};
pub use verdict::{Ask, Gate, Verdict};

use needs::Needs;

/// What the operator switched on, and what this host can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The capabilities that may be used: `ENABLED_TOOLS`.
    pub enabled: BTreeSet<Name>,
    /// Capabilities (`git`) and operations (`files.write`) that this invocation denies: `--deny`.
    pub denied: BTreeSet<String>,
    /// Whether anything may use the network: `POLICY_ALLOW_NETWORK`.
    pub allow_network: bool,
    /// Whether files of the workspace may be changed: `POLICY_ALLOW_WORKSPACE_WRITES`.
    pub allow_workspace_writes: bool,
    /// Whether programs may be run: `POLICY_ALLOW_SUBPROCESS`.
    pub allow_subprocess: bool,
    /// Whether tools may ask the model: `POLICY_ALLOW_LLM`.
    pub allow_llm: bool,
    /// The mode of this run.
    pub mode: Mode,
    /// The operator's own rules.
    pub rules: Vec<Rule>,
    /// The host interfaces that this host offers.
    pub powers: BTreeSet<Power>,
}

/// How far a run may go without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As far as the switches let it.
    #[default]
    Full,
    /// What could do harm asks.
    Auto,
    /// Whatever acts asks.
    Ask,
    /// Nothing is changed: no file, no memory.
    ReadOnly,
}

/// A call, as far as policy looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Whose operation it is.
    pub capability: &'a Name,
    /// Which operation.
    pub operation: &'a Operation,
    /// Its input; `None` asks about the operation as such, about which rules on arguments say nothing.
    pub input: Option<&'a Value>,
    /// What is in the run already.
    pub labels: &'a BTreeSet<Label>,
    /// A path in the input that nobody has named and nobody has read.
    pub unnamed: Option<&'a str>,
}

impl Policy {
    /// Whether this operation may be called at all, in a run without any label.
    pub fn of_operation(&self, capability: &Name, operation: &Operation) -> Verdict {
        self.verdict(&Question {
            capability,
            operation,
            input: None,
            labels: &BTreeSet::new(),
            unnamed: None,
        })
    }

    /// Whether a call may be made. An operation that declares no `requires` counts as needing everything.
    pub fn verdict(&self, question: &Question<'_>) -> Verdict {
        let Question {
            capability,
            operation,
            ..
        } = question;
        if !self.enabled.contains(*capability) {
            return Verdict::Deny(Denial {
                reason: format!("`{capability}` is not enabled"),
                remedy: format!("add `{capability}` to `ENABLED_TOOLS`"),
            });
        }
        let call = format!("{capability}.{}", operation.name);
        if let Some(name) = [capability.as_str(), &call]
            .into_iter()
            .find(|name| self.denied.contains(*name))
        {
            return Verdict::Deny(Denial {
                reason: format!("`{call}` is denied here"),
                remedy: format!("run it without `--deny {name}`"),
            });
        }
        let needs = Needs::of(operation);
        let refused = self
            .not_offered(&needs)
            .or_else(|| self.switched_off(&needs));
        if let Some(refusal) = refused {
            return Verdict::Deny(Denial {
                reason: format!("`{call}` needs {}, {}", needs.shown, refusal.why),
                remedy: refusal.remedy,
            });
        }
        if let Some(rule) = self.rules_about(question, Effect::Deny).next() {
            return Verdict::Deny(Denial {
                reason: format!(
                    "`{call}` is denied by the rule `{}`{}",
                    rule.name,
                    because(rule)
                ),
                remedy: "change the rule if you want it".to_owned(),
            });
        }
        let mut asks = self.asks(question, &needs);
        let allows: Vec<&RuleText> = self.rules_about(question, Effect::Allow).collect();
        asks.retain(|ask| {
            !allows
                .iter()
                .any(|rule| rule.discharges.contains(&ask.gate))
        });
        if asks.is_empty() {
            Verdict::Allow
        } else {
            Verdict::Ask(asks)
        }
    }

    /// What is asked about a call that nothing denies.
    fn asks(&self, question: &Question<'_>, needs: &Needs) -> Vec<Ask> {
        let mut asks: Vec<Ask> = self
            .rules_about(question, Effect::Ask)
            .map(|rule| Ask {
                gate: Gate::Rule(rule.name.clone()),
                reason: format!("the rule `{}` asks{}", rule.name, because(rule)),
            })
            .collect();
        asks.extend(of_labels(question.labels, needs));
        asks.extend(question.unnamed.filter(|_| needs.workspace_write).map(|path| Ask {
            gate: Gate::Path,
            reason: format!("it would change `{path}`, which nobody has named and which was not read in this run"),
        }));
        let shown = &needs.shown;
        match self.mode {
            Mode::Ask if needs.acts => asks.push(Ask {
                gate: Gate::Mode,
                reason: format!("it needs {shown}, and the mode `ask` asks about whatever acts"),
            }),
            Mode::Auto if needs.is_risky => asks.push(Ask {
                gate: Gate::Risk,
                reason: format!("it needs {shown} and could do harm that can't be undone"),
            }),
            Mode::Full | Mode::Auto | Mode::Ask | Mode::ReadOnly => {}
        }
        asks
    }

    fn rules_about<'p>(
        &'p self,
        question: &Question<'p>,
        effect: Effect,
    ) -> impl Iterator<Item = &'p RuleText> {
        let (capability, operation) = (
            question.capability.as_str(),
            question.operation.name.as_str(),
        );
        let input = question.input;
        self.rules
            .iter()
            .filter(move |rule| rule.text().effect == effect)
            .filter(move |rule| rule.is_about(capability, operation, input))
            .map(Rule::text)
    }

    fn not_offered(&self, needs: &Needs) -> Option<Refusal> {
        let mut by_requirement: BTreeMap<&str, bool> = BTreeMap::new();
        for power in &needs.powers {
            let is_offered = by_requirement.entry(power.requirement()).or_default();
            *is_offered |= self.powers.contains(power);
        }
        let (missing, _) = by_requirement
            .into_iter()
            .find(|(_, is_offered)| !is_offered)?;
        Some(Refusal {
            why: format!("and `{missing}` is not available here"),
            remedy: format!("use a Forge that offers `{missing}`, or disable the tool"),
        })
    }

    fn switched_off(&self, needs: &Needs) -> Option<Refusal> {
        let switches = [
            (
                needs.network,
                self.allow_network,
                "network",
                "POLICY_ALLOW_NETWORK",
            ),
            (
                needs.workspace_write,
                self.allow_workspace_writes,
                "writing to the workspace",
                "POLICY_ALLOW_WORKSPACE_WRITES",
            ),
            (
                needs.programs,
                self.allow_subprocess,
                "running programs",
                "POLICY_ALLOW_SUBPROCESS",
            ),
            (
                needs.llm,
                self.allow_llm,
                "asking the model",
                "POLICY_ALLOW_LLM",
            ),
        ];
        let off = switches
            .into_iter()
            .find(|(is_needed, is_on, _, _)| *is_needed && !is_on);
        if let Some((_, _, what, setting)) = off {
            return Some(Refusal {
                why: format!("and {what} is switched off"),
                remedy: format!("set `{setting}=true`"),
            });
        }
        let writes = needs.workspace_write || needs.memory_write;
        (self.mode == Mode::ReadOnly && writes).then(|| Refusal {
            why: "and this run only reads".to_owned(),
            remedy: "run it without the mode `read-only`".to_owned(),
        })
    }
}

/// What the labels of a run ask: who wrote what the model has read could be behind the call, and what is private could
/// leave by it.
fn of_labels(labels: &BTreeSet<Label>, needs: &Needs) -> Option<Ask> {
    if !labels.contains(&Label::External) {
        return None;
    }
    let what = match needs {
        Needs { programs: true, .. } => "run a program",
        Needs {
            workspace_write: true,
            ..
        } => "change files",
        Needs {
            memory_write: true, ..
        } => "write into the memory",
        Needs { network: true, .. } if labels.contains(&Label::Private) => {
            return Some(Ask {
                gate: Gate::Label,
                reason: "data from outside and private data are in this run: a request could carry the one where the other wants it".to_owned(),
            });
        }
        _ => return None,
    };
    Some(Ask {
        gate: Gate::Label,
        reason: format!("data from outside is in this run, and it could be what wants to {what}"),
    })
}

fn because(rule: &RuleText) -> String {
    let reason = rule.reason.as_ref();
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

struct Refusal {
    why: String,
    remedy: String,
}

#[cfg(test)]
mod tests;
