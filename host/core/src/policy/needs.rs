//! What an operation needs, as the switches, the modes and the labels see it.

use std::collections::BTreeSet;

use forge_contract::manifest::Operation;
use forge_contract::power::Power;
use forge_contract::requirements::Access;

/// What one operation needs.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one kind of thing that is switched or asked about"
)]
pub(super) struct Needs {
    pub(super) network: bool,
    pub(super) workspace_write: bool,
    pub(super) programs: bool,
    pub(super) llm: bool,
    pub(super) memory_write: bool,
    /// Anything but looking at the workspace and computing.
    pub(super) acts: bool,
    /// What could do harm that can't be undone.
    pub(super) is_risky: bool,
    pub(super) powers: BTreeSet<Power>,
    /// For people.
    pub(super) shown: String,
}

impl Needs {
    pub(super) fn of(operation: &Operation) -> Self {
        let is_destructive = operation.hints.destructive;
        let Some(requires) = &operation.requires else {
            return Self {
                network: true,
                workspace_write: true,
                programs: true,
                llm: true,
                memory_write: true,
                acts: true,
                is_risky: true,
                powers: Power::ALL.into_iter().collect(),
                shown: "everything, because it does not declare what it requires".to_owned(),
            };
        };
        let workspace_write = requires.workspace == Some(Access::Write);
        let memory_write = requires.memory == Some(Access::Write);
        let programs = !requires.programs.is_empty();
        let network = !requires.network.is_empty();
        let changes = workspace_write || memory_write;
        Self {
            acts: changes
                || programs
                || network
                || requires.llm
                || !requires.calls.is_empty()
                || !requires.observes.is_empty(),
            // A hint only makes it stricter: without one, a program is still a program.
            is_risky: programs || (is_destructive && (changes || network)),
            network,
            workspace_write,
            programs,
            llm: requires.llm,
            memory_write,
            powers: requires.powers(),
            shown: format!("`{requires}`"),
        }
    }
}
