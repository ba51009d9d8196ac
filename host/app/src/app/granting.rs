//! What each tool declares, and what of it is granted. Not here: how a grant comes about (`crate::grants`).

use std::collections::BTreeSet;

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_contract::requirements::Requirements;
use serde::Serialize;

use super::App;
use crate::secrets::Use;

/// One tool with what it is granted. Fields are added, never taken away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Granted {
    /// The tool.
    pub capability: Name,
    /// Where it comes from.
    pub source: String,
    /// What all its operations declare together.
    pub declared: Requirements,
    /// What they are let, at most; an operation gets no more of it than it declares itself.
    pub grant: Grant,
    /// Whether the operator's file has a grant for it.
    pub is_narrowed: bool,
}

impl App {
    /// Every loaded tool with what it is granted, by name.
    #[must_use]
    pub fn granted(&self) -> Vec<Granted> {
        let tools = self
            .registry
            .capabilities()
            .map(|(name, capability)| Granted {
                capability: name.clone(),
                source: capability.source.clone(),
                declared: capability.declared(),
                grant: self.grants.of(name).cloned().unwrap_or_default(),
                is_narrowed: self.narrowed.contains(name),
            });
        tools.collect()
    }

    /// What tools ask secrets for.
    #[must_use]
    pub fn secrets_wanted(&self) -> BTreeSet<Use> {
        let wanted = self.registry.capabilities().flat_map(|(name, capability)| {
            let secrets = capability.declared().secrets.into_iter();
            secrets.map(|secret| Use {
                tool: name.clone(),
                secret,
            })
        });
        wanted.collect()
    }
}
