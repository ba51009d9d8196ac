//! The proof that a component can do no more than it declares: its imports, read from its type.
//!
//! Files and sockets can't be proved so, because every standard library imports their types. There
//! the proof is the empty table: no folder is opened and no address is allowed.

use std::collections::BTreeSet;

use forge_contract::manifest::Manifest;
use forge_contract::power::Power;
use forge_contract::requirements::Requirements;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::load::{LoadError, UndeclaredPower};

/// The interface that makes a component a tool, and the line of versions that this host runs.
const TOOL: &str = "forge:tool/tool";
const KNOWN_VERSIONS: &str = "`forge:tool/tool@0.1.x`";

/// Interfaces of `forge:tool` and `wasi:http` that hold no power.
const AMBIENT: [&str; 6] = [
    "wasi:http/types",
    "forge:tool/types",
    "forge:tool/log",
    "forge:tool/progress",
    "forge:tool/settings",
    "forge:tool/conversation",
];

/// Packages of WASI that are linked for every guest and hold nothing without a grant.
const AMBIENT_PACKAGES: [&str; 6] = [
    "wasi:io",
    "wasi:clocks",
    "wasi:random",
    "wasi:cli",
    "wasi:filesystem",
    "wasi:sockets",
];

/// What a component imports.
#[derive(Debug, Clone)]
pub(crate) struct Imports {
    /// Each import, as the component names it.
    pub(crate) names: Vec<String>,
    /// The powers among them.
    pub(crate) powers: BTreeSet<Power>,
}

/// Checks that `component` is a tool of a known contract which imports only what this host has.
pub(crate) fn is_tool(engine: &Engine, component: &Component) -> Result<(), LoadError> {
    let component_type = component.component_type();
    let export = component_type
        .exports(engine)
        .map(|(name, _)| name)
        .find(|name| interface(name) == TOOL);
    match export {
        None => return Err(LoadError::NotATool),
        Some(name) if !is_known_version(name) => {
            return Err(LoadError::Version {
                found: name.to_owned(),
                known: KNOWN_VERSIONS,
            });
        }
        Some(_) => {}
    }
    let unknown: Vec<String> = component_type
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .filter(|name| !is_ambient(name) && !is_linkable_power(name))
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(LoadError::UnknownImports { imports: unknown })
    }
}

impl Imports {
    pub(crate) fn of(engine: &Engine, component: &Component) -> Self {
        let names: Vec<String> = component
            .component_type()
            .imports(engine)
            .map(|(name, _)| name.to_owned())
            .collect();
        let powers = names
            .iter()
            .filter_map(|name| Power::of_import(name))
            .collect();
        Self { names, powers }
    }

    /// Checks the imports against `manifest` and returns what is odd without being dangerous.
    pub(crate) fn prove(&self, manifest: &Manifest) -> Result<Vec<String>, LoadError> {
        // Without a declaration everything is assumed and nothing is granted: there is nothing to prove.
        let assumes_everything = manifest
            .operations
            .iter()
            .any(|operation| operation.requires.is_none());
        let declared: BTreeSet<Power> = manifest
            .operations
            .iter()
            .filter_map(|operation| operation.requires.as_ref())
            .flat_map(Requirements::powers)
            .collect();
        let undeclared: Vec<UndeclaredPower> = self
            .names
            .iter()
            .filter_map(|name| Some((name, Power::of_import(name)?)))
            .filter(|(_, power)| !declared.contains(power))
            .map(|(name, power)| UndeclaredPower {
                import: name.clone(),
                requirement: power.requirement(),
            })
            .collect();
        if !undeclared.is_empty() && !assumes_everything {
            return Err(LoadError::Undeclared {
                tool: manifest.name.to_string(),
                undeclared,
            });
        }
        Ok(self.unused(&declared))
    }

    /// A warning for each declared requirement that nothing in the component could use.
    fn unused(&self, declared: &BTreeSet<Power>) -> Vec<String> {
        // The workspace can be used without an import of its own, through file functions.
        let provable = declared
            .iter()
            .filter(|power| power.requirement() != Power::Files.requirement());
        let unused: BTreeSet<&str> = provable
            .filter(|power| {
                !self
                    .powers
                    .iter()
                    .any(|imported| imported.requirement() == power.requirement())
            })
            .map(|power| power.requirement())
            .collect();
        unused
            .into_iter()
            .map(|requirement| {
                format!(
                    "`{requirement}` is declared, but the component imports nothing that uses it"
                )
            })
            .collect()
    }
}

fn interface(name: &str) -> &str {
    name.split_once('@')
        .map_or(name, |(interface, _version)| interface)
}

fn is_known_version(name: &str) -> bool {
    let line = if name.starts_with("wasi:") {
        "0.2."
    } else {
        "0.1."
    };
    name.split_once('@')
        .is_some_and(|(_, version)| version.starts_with(line))
}

fn is_ambient(name: &str) -> bool {
    let package = name.split_once('/').map_or(name, |(package, _)| package);
    AMBIENT_PACKAGES.contains(&package)
        || (AMBIENT.contains(&interface(name)) && is_known_version(name))
}

/// A power is linked for real or as a refusal.
fn is_linkable_power(name: &str) -> bool {
    Power::of_import(name).is_some() && is_known_version(name)
}
