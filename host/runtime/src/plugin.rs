//! A loaded component: its manifest and its linked forms.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use forge_contract::manifest::{Manifest, Operation};
use forge_contract::report::CallReport;
use forge_contract::requirements::Requirements;
use wasmtime::component::Component;

use crate::bindings::PluginFullPre;
use crate::call::{self, Call};
use crate::linker::{Linkers, PowerSet};
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
    manifest: Manifest,
    digest: String,
    imports: Imports,
    /// The powers among the imports.
    imported: PowerSet,
    warnings: Vec<String>,
    operations: Vec<Arc<Prepared>>,
    forms: Forms,
}

/// An operation, ready to be called.
pub(crate) struct Prepared {
    pub(crate) name: String,
    /// What it declares; nothing where it does not say.
    pub(crate) declared: Requirements,
    /// The powers that are real when it is granted all that it declares, and the form with these.
    powers: PowerSet,
    form: Form,
}

/// A component linked so that some of its powers are real and the others refuse.
pub(crate) type Form = Arc<PluginFullPre<State>>;

/// One linked form of a component per set of powers.
struct Forms {
    component: Component,
    linked: RwLock<HashMap<PowerSet, Form>>,
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
        let forms = Forms {
            component,
            linked: RwLock::default(),
        };
        let imported = PowerSet::of(imports.powers.iter().copied());
        // Linked ahead, so that the first call does not pay for it.
        let prepare = |operation: &Operation| {
            let declared = operation.requires.clone().unwrap_or_default();
            let powers = PowerSet::opened_by(&declared).and(imported);
            Ok(Arc::new(Prepared {
                name: operation.name.to_string(),
                form: forms.with(&shared.linkers, powers)?,
                declared,
                powers,
            }))
        };
        let operations: wasmtime::Result<Vec<_>> =
            manifest.operations.iter().map(prepare).collect();
        let operations = operations.map_err(|error| LoadError::Link {
            problem: first_line(&error),
        })?;
        Ok(Self {
            loaded: Arc::new(Loaded {
                shared: shared.clone(),
                manifest,
                digest,
                imports,
                imported,
                warnings,
                operations,
                forms,
            }),
        })
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

    /// The operation called `name`.
    pub(crate) fn prepared(&self, name: &str) -> Option<&Arc<Prepared>> {
        let operations = &self.loaded.operations;
        operations.iter().find(|operation| operation.name == name)
    }

    /// The form for a call of `operation` that is granted `granted`, which is no more than it declares.
    pub(crate) fn form(
        &self,
        operation: &Prepared,
        granted: &Requirements,
    ) -> wasmtime::Result<Form> {
        let powers = PowerSet::opened_by(granted).and(self.loaded.imported);
        if powers == operation.powers {
            return Ok(operation.form.clone());
        }
        self.loaded.forms.with(&self.loaded.shared.linkers, powers)
    }
}

impl Forms {
    /// The form in which just `powers` are real.
    fn with(&self, linkers: &Linkers, powers: PowerSet) -> wasmtime::Result<Form> {
        let linked = self.linked.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(form) = linked.get(&powers) {
            return Ok(form.clone());
        }
        drop(linked);
        let linker = linkers.for_powers(powers);
        let form = Arc::new(PluginFullPre::new(
            linker.instantiate_pre(&self.component)?,
        )?);
        let mut linked = self.linked.write().unwrap_or_else(PoisonError::into_inner);
        Ok(linked.entry(powers).or_insert(form).clone())
    }
}
