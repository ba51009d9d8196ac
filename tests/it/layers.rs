//! Who may know whom: packages by what cargo says, the core's modules by what they name, and the
//! folders at the top.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cargo_metadata::{DependencyKind, Metadata, PackageId};
use regex::Regex;

use crate::workspace;

/// Folder, package, and the packages of this workspace that it may use, in tests too.
const LAYERS: [(&str, &str, &[&str]); 8] = [
    ("host/contract", "forge-contract", &[]),
    ("host/core", "forge-core", &["forge-contract"]),
    ("host/runtime", "forge-runtime", &["forge-contract"]),
    (
        "host/app",
        "forge-app",
        &["forge-contract", "forge-core", "forge-runtime"],
    ),
    ("sdk/macros", "forge-sdk-macros", &[]),
    ("sdk", "forge-sdk", &["forge-sdk-macros"]),
    (
        "tests",
        "forge-tests",
        &["forge-app", "forge-contract", "forge-core", "forge-runtime"],
    ),
    ("deploy/xtask", "xtask", &[]),
];

/// Every package in a folder of these is a component, which knows the SDK alone.
const COMPONENT_FOLDERS: [(&str, &str); 2] = [("plugins/", "forge-"), ("tests/guests/", "guest-")];

/// What decides, and what none of it may contain, however far down: names or their beginnings.
const DECIDING: [&str; 2] = ["forge-contract", "forge-core"];
const DOING: [&str; 12] = [
    "tokio",
    "mio",
    "async-std",
    "smol",
    "wasmtime",
    "axum",
    "hyper",
    "reqwest",
    "ureq",
    "rusqlite",
    "libsqlite3-sys",
    "sqlx",
];

/// Modules of the core that do not know each other; only the turn knows all of them.
const STRANGERS: [&str; 4] = ["router", "registry", "policy", "turn"];

const TOP_FOLDERS: [&str; 6] = ["deploy", "host", "plugins", "sdk", "tests", "wit"];

#[test]
fn packages_know_only_lower_layers() {
    let metadata = workspace::packages();
    let members: Vec<_> = metadata
        .workspace_packages()
        .into_iter()
        .map(member)
        .collect();
    assert!(
        members.len() >= LAYERS.len(),
        "cargo does not show the whole workspace"
    );
    assert_none(members.iter().flat_map(layer_findings));
}

#[test]
fn what_decides_cannot_act() {
    let metadata = workspace::packages();
    for package in DECIDING {
        let below = everything_below(&metadata, package);
        assert!(
            below.contains("serde"),
            "cargo does not show what `{package}` uses"
        );
        assert_none(acting_findings(package, &below));
    }
}

#[test]
fn modules_of_the_core_do_not_know_each_other() {
    let files = workspace::files();
    assert_none(
        files
            .iter()
            .flat_map(|(path, text)| module_findings(path, text)),
    );
}

#[test]
fn folders_at_the_top_are_those_of_the_design() {
    let entries = fs::read_dir(workspace::root()).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names: BTreeSet<_> = folders
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    assert_none(folder_findings(&names));
}

struct Member {
    name: String,
    folder: String,
    /// Packages of this workspace.
    uses: Vec<String>,
}

fn member(package: &cargo_metadata::Package) -> Member {
    let folder = package
        .manifest_path
        .parent()
        .unwrap()
        .strip_prefix(workspace::root())
        .unwrap();
    let inside = package
        .dependencies
        .iter()
        .filter(|dependency| dependency.path.is_some());
    Member {
        name: package.name.to_string(),
        folder: folder.to_string(),
        uses: inside.map(|dependency| dependency.name.clone()).collect(),
    }
}

fn layer_findings(Member { name, folder, uses }: &Member) -> Vec<String> {
    let listed = LAYERS
        .iter()
        .find(|(at, called, _)| at == folder && called == name);
    let component = COMPONENT_FOLDERS
        .iter()
        .any(|(below, prefix)| folder.starts_with(below) && name.starts_with(prefix));
    let allowed: &[&str] = match listed {
        Some((_, _, allowed)) => allowed,
        None if component => &["forge-sdk"],
        None => {
            return vec![format!(
                "`{name}` in `{folder}` is in no layer: add it to `LAYERS`"
            )];
        }
    };
    let wrong = uses.iter().filter(|used| !allowed.contains(&used.as_str()));
    wrong
        .map(|used| format!("`{name}` must not depend on `{used}`"))
        .collect()
}

/// The names of all packages that `package` needs to run, itself included.
fn everything_below(metadata: &Metadata, package: &str) -> BTreeSet<String> {
    let nodes: BTreeMap<_, _> = metadata
        .resolve
        .as_ref()
        .unwrap()
        .nodes
        .iter()
        .map(|node| (&node.id, node))
        .collect();
    let start = metadata
        .workspace_packages()
        .into_iter()
        .find(|it| it.name == package)
        .unwrap();
    let mut open: Vec<&PackageId> = vec![&start.id];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let needed = nodes[id].deps.iter().filter(|dependency| {
                dependency
                    .dep_kinds
                    .iter()
                    .any(|kind| kind.kind == DependencyKind::Normal)
            });
            open.extend(needed.map(|dependency| &dependency.pkg));
        }
    }
    seen.into_iter()
        .map(|id| metadata[id].name.to_string())
        .collect()
}

fn acting_findings(package: &str, below: &BTreeSet<String>) -> Vec<String> {
    let acts = |name: &&String| {
        DOING
            .iter()
            .any(|doing| *name == doing || name.starts_with(&format!("{doing}-")))
    };
    let acting = below.iter().filter(acts);
    acting
        .map(|name| format!("`{package}` decides and must not contain `{name}`"))
        .collect()
}

fn module_findings(path: &str, text: &str) -> Vec<String> {
    let Some(inside) = path.strip_prefix("host/core/src/") else {
        return Vec::new();
    };
    let module = inside.split(['/', '.']).next().unwrap_or_default();
    if module == "turn" || !STRANGERS.contains(&module) {
        return Vec::new();
    }
    let others = STRANGERS.iter().filter(|other| **other != module);
    let named = others.filter(|other| {
        // `crate::policy` and `use crate::{…, policy::Verdict, …}`, also over several lines.
        let pattern = format!(r"crate::({other}\b|\{{[^;]*\b{other}\b)");
        Regex::new(&pattern).unwrap().is_match(text)
    });
    named
        .map(|other| format!("{path}: `{module}` must not know `{other}`"))
        .collect()
}

fn folder_findings(names: &BTreeSet<String>) -> Vec<String> {
    // What git does not keep.
    const BUILT: [&str; 2] = ["target", "data"];
    let there = |folder: &&&str| !names.contains(**folder);
    let missing = TOP_FOLDERS
        .iter()
        .filter(there)
        .map(|it| format!("`{it}/` is missing"));
    let stray = names.iter().filter(|name| {
        let known = TOP_FOLDERS.iter().chain(&BUILT).any(|known| known == name);
        !known && !name.starts_with('.')
    });
    missing
        .chain(stray.map(|it| format!("`{it}/` has no place at the top")))
        .collect()
}

fn assert_none(findings: impl IntoIterator<Item = String>) {
    let findings: Vec<_> = findings.into_iter().collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

mod samples;
