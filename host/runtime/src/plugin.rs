//! A loaded component: its manifest and its linked forms.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use forge_contract::manifest::Manifest;
use forge_contract::report::CallReport;
use forge_contract::requirements::Requirements;
use wasmtime::component::Component;

use crate::bindings::PluginFullPre;
use crate::call::{self, Call};
use crate::linker::PowerSet;
use crate::load::{LoadError, first_line};
use crate::proof::Imports;
use crate::runtime::Shared;
use crate::state::State;

/// A loaded component. Cheap to clone; a call keeps the version that it began with.
#[derive(Clone)]
pub struct Plugin {
    loaded: Arc<Loaded>,
}

struct Loaded {
    shared: Arc<Shared>,
    component: Component,
    manifest: Manifest,
    digest: String,
    imports: Imports,
    warnings: Vec<String>,
    /// One linked form per set of powers: the others of its powers answer *denied* in it.
    linked: RwLock<HashMap<PowerSet, PluginFullPre<State>>>,
}

impl Plugin {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        component: Component,
        manifest: Manifest,
        digest: String,
        imports: Imports,
        warnings: Vec<String>,
    ) -> Result<Self, LoadError> {
        let shared = shared.clone();
        let linked = RwLock::default();
        let plugin = Self {
            loaded: Arc::new(Loaded {
                shared,
                component,
                manifest,
                digest,
                imports,
                warnings,
                linked,
            }),
        };
        plugin.link_declared().map_err(|error| LoadError::Link {
            problem: first_line(&error),
        })?;
        Ok(plugin)
    }

    /// What the component says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// The SHA-256 of the component, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.loaded.digest
    }

    /// What is odd about the component without making it dangerous.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.loaded.warnings
    }

    /// Each interface that the component imports, with its version.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.loaded.imports.names
    }

    /// Runs one operation in a fresh instance. Whatever happens is an outcome of the report.
    pub async fn call(&self, call: Call<'_>) -> CallReport {
        call::run(self, call).await
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.loaded.shared
    }

    /// The component linked so that of the powers it imports just those of `granted` are real.
    pub(crate) fn linked_for(&self, granted: PowerSet) -> wasmtime::Result<PluginFullPre<State>> {
        let powers = granted.and(PowerSet::of(&self.loaded.imports.powers));
        let linked = self
            .loaded
            .linked
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(pre) = linked.get(&powers) {
            return Ok(pre.clone());
        }
        drop(linked);
        let linker = self.loaded.shared.linkers.for_powers(powers);
        let pre = PluginFullPre::new(linker.instantiate_pre(&self.loaded.component)?)?;
        self.loaded
            .linked
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(powers, pre.clone());
        Ok(pre)
    }

    /// Links ahead what the operations declare, so that the first call does not pay for it.
    fn link_declared(&self) -> wasmtime::Result<()> {
        let declared = self
            .manifest()
            .operations
            .iter()
            .map(|operation| operation.requires.as_ref());
        for powers in
            declared.map(|requires| requires.map(Requirements::powers).unwrap_or_default())
        {
            self.linked_for(PowerSet::of(&powers))?;
        }
        Ok(())
    }
}
