//! The registry: who offers what. It lists and looks up; it never chooses.
//!
//! Built once from the manifests that were found. Not here: whether a capability may be used.

use std::collections::BTreeMap;

use forge_contract::manifest::{InputKind, Manifest, Operation};
use forge_contract::name::Name;
use forge_contract::requirements::Requirements;
use serde_json::Value;

mod grants;
mod input;

pub use grants::Grants;
pub use input::InvalidInput;

use crate::registry::input::InputCheck;

/// A manifest and where it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The plugin, as the operator knows it: a file, or its name among the embedded ones.
    pub source: String,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// Every capability that is there, by name.
#[derive(Debug, Default)]
pub struct Registry {
    capabilities: BTreeMap<Name, Capability>,
}

/// A capability with its provider.
#[derive(Debug)]
pub struct Capability {
    /// The plugin that provides it.
    pub source: String,
    /// What that says of itself.
    pub manifest: Manifest,
    checks: BTreeMap<Name, InputCheck>,
}

impl Registry {
    /// Takes every entry in.
    ///
    /// # Errors
    /// When two entries provide one capability, or one can't be offered to a model. The message names it.
    pub fn new(entries: Vec<Entry>) -> Result<Self, BadRegistry> {
        let mut registry = Self::default();
        for entry in entries {
            registry.add(entry)?;
        }
        Ok(registry)
    }

    /// Takes one entry in; one that can't be taken leaves the registry as it was.
    ///
    /// # Errors
    /// As [`Registry::new`].
    pub fn add(&mut self, entry: Entry) -> Result<(), BadRegistry> {
        let name = entry.manifest.name.clone();
        if let Some(there) = self.capabilities.get(&name) {
            return Err(BadRegistry::TwoProviders {
                capability: name.to_string(),
                first: there.source.clone(),
                second: entry.source,
            });
        }
        self.capabilities.insert(name, Capability::new(entry)?);
        Ok(())
    }

    /// Every capability, in the order of the names.
    pub fn capabilities(&self) -> impl Iterator<Item = (&Name, &Capability)> {
        self.capabilities.iter()
    }

    /// The capability called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Capability> {
        self.capabilities.get(&Name::parse(name).ok()?)
    }
}

impl Capability {
    /// Checks one entry alone.
    fn new(entry: Entry) -> Result<Self, BadRegistry> {
        let Entry { source, manifest } = entry;
        let mut checks = BTreeMap::new();
        let has_several = manifest.operations.len() > 1;
        for operation in &manifest.operations {
            let place = || Place {
                source: source.clone(),
                operation: format!("{}.{}", manifest.name, operation.name),
            };
            let is_only = !has_several && operation.name.as_str() == Operation::ONLY;
            if operation.input_kind() == InputKind::Text && !is_only {
                return Err(BadRegistry::TextOperation { place: place() });
            }
            if has_several && input::declares_action(&operation.input) {
                return Err(BadRegistry::ActionProperty { place: place() });
            }
            let check =
                InputCheck::new(&operation.input).map_err(|problem| BadRegistry::Schema {
                    place: place(),
                    problem,
                })?;
            checks.insert(operation.name.clone(), check);
        }
        Ok(Self {
            source,
            manifest,
            checks,
        })
    }

    /// Whether `action` names the operation in a decision.
    #[must_use]
    pub fn names_operation(&self) -> bool {
        self.manifest.operations.len() > 1
    }

    /// Everything that its operations declare, taken together: the widest grant that is of use.
    #[must_use]
    pub fn declared(&self) -> Requirements {
        let mut all = Requirements::default();
        for requires in self
            .manifest
            .operations
            .iter()
            .filter_map(|o| o.requires.as_ref())
        {
            all.network.extend(requires.network.iter().cloned());
            all.llm |= requires.llm;
            all.workspace = all.workspace.max(requires.workspace);
            all.programs.extend(requires.programs.iter().cloned());
            all.memory = all.memory.max(requires.memory);
            all.calls.extend(requires.calls.iter().cloned());
            all.observes.extend(requires.observes.iter().copied());
            all.secrets.extend(requires.secrets.iter().cloned());
        }
        all
    }

    /// Checks `input` against the schema of `operation`.
    ///
    /// # Errors
    /// When it breaks the schema, or there is no such operation.
    pub fn check_input(&self, operation: &str, input: &Value) -> Result<(), InvalidInput> {
        let name = Name::parse(operation).ok();
        match name.and_then(|name| self.checks.get(&name)) {
            Some(check) => check.check(input),
            None => Err(InvalidInput::no_operation(self.checks.keys(), operation)),
        }
    }
}

/// An operation and the plugin that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The plugin.
    pub source: String,
    /// `capability.operation`.
    pub operation: String,
}

/// Why something can't be offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRegistry {
    /// Nobody chooses between two.
    #[error("`{first}` and `{second}` both provide `{capability}`: remove one of them")]
    TwoProviders {
        /// Which capability.
        capability: String,
        /// One plugin.
        first: String,
        /// The other.
        second: String,
    },
    /// A text input among others.
    #[error(
        "`{}` of `{}` takes text: such an operation must be the only one of its tool and be called `run`",
        place.operation, place.source
    )]
    TextOperation {
        /// Which operation.
        place: Place,
    },
    /// A property that the router needs for itself.
    #[error(
        "`{}` of `{}` has a property `action`, which names the operation in a tool that has several: call it something else",
        place.operation, place.source
    )]
    ActionProperty {
        /// Which operation.
        place: Place,
    },
    /// An input schema of no use.
    #[error("the input schema of `{}` of `{}` can't be used: {problem}", place.operation, place.source)]
    Schema {
        /// Which operation.
        place: Place,
        /// What is wrong with it.
        problem: String,
    },
}

#[cfg(test)]
mod tests;
