//! Policy: whether a call may be made. A pure function of the operation and the operator's switches.
//!
//! Not here: what a call is given when it may; that is its grant.

use std::collections::{BTreeMap, BTreeSet};

use forge_contract::manifest::Operation;
use forge_contract::name::Name;
use forge_contract::outcome::Denial;
use forge_contract::power::Power;
use forge_contract::requirements::{Access, Requirements};

/// What the operator switched on, and what this host can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The capabilities that may be used: `ENABLED_TOOLS`.
    pub enabled: BTreeSet<Name>,
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
    /// The host interfaces that this host offers.
    pub powers: BTreeSet<Power>,
}

/// How far a run may go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As far as the switches let it.
    #[default]
    Full,
    /// Nothing is changed: no file, no memory.
    ReadOnly,
}

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// It may be made.
    Allow,
    /// It may not.
    Deny(Denial),
}

impl Policy {
    /// Whether `operation` of `capability` may be called. One that declares no `requires` counts as
    /// needing everything.
    pub fn verdict(&self, capability: &Name, operation: &Operation) -> Verdict {
        if !self.enabled.contains(capability) {
            return Verdict::Deny(Denial {
                reason: format!("`{capability}` is not enabled"),
                remedy: format!("add `{capability}` to `ENABLED_TOOLS`"),
            });
        }
        let needs = Needs::of(operation.requires.as_ref());
        let refused = self
            .not_offered(&needs)
            .or_else(|| self.switched_off(&needs));
        match refused {
            None => Verdict::Allow,
            Some(refusal) => Verdict::Deny(Denial {
                reason: format!(
                    "`{capability}.{}` needs {}, {}",
                    operation.name, needs.shown, refusal.why
                ),
                remedy: refusal.remedy,
            }),
        }
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

struct Refusal {
    why: String,
    remedy: String,
}

/// What an operation needs, as the switches see it.
struct Needs {
    network: bool,
    workspace_write: bool,
    programs: bool,
    llm: bool,
    memory_write: bool,
    powers: BTreeSet<Power>,
    shown: String,
}

impl Needs {
    fn of(requires: Option<&Requirements>) -> Self {
        let Some(requires) = requires else {
            return Self {
                network: true,
                workspace_write: true,
                programs: true,
                llm: true,
                memory_write: true,
                powers: Power::ALL.into_iter().collect(),
                shown: "everything, because it does not declare what it requires".to_owned(),
            };
        };
        Self {
            network: !requires.network.is_empty(),
            workspace_write: requires.workspace == Some(Access::Write),
            programs: !requires.programs.is_empty(),
            llm: requires.llm,
            memory_write: requires.memory == Some(Access::Write),
            powers: requires.powers(),
            shown: format!("`{requires}`"),
        }
    }
}

#[cfg(test)]
mod tests;
