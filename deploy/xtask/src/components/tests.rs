//! Installing components: what is written, left alone and removed.

use std::env;
use std::path::PathBuf;

use super::*;

/// A folder of one test, empty at its start.
fn scratch(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("xtask-components-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("built")).unwrap();
    folder
}

fn component(name: &str) -> Component {
    Component {
        package: format!("forge-{name}"),
        artifact: format!("forge_{name}.wasm"),
        file: format!("{name}.wasm"),
    }
}

/// Installs `components` made of `bytes`; returns the file names that are there afterwards.
fn check(folder: &Path, components: &[Component], bytes: &str) -> Vec<String> {
    for component in components {
        fs::write(folder.join("built").join(&component.artifact), bytes).unwrap();
    }
    install(components, &folder.join("built"), &folder.join("plugins")).unwrap();
    let entries = fs::read_dir(folder.join("plugins")).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn stale_components_go_and_changed_ones_are_replaced() {
    let folder = scratch("replace");
    let (files, git) = (component("files"), component("git"));
    assert_eq!(
        check(&folder, &[files, git], "one"),
        ["files.wasm", "git.wasm"]
    );
    assert_eq!(check(&folder, &[component("git")], "two"), ["git.wasm"]);
    assert_eq!(
        fs::read_to_string(folder.join("plugins/git.wasm")).unwrap(),
        "two"
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn equal_bytes_are_not_written_again() {
    let folder = scratch("equal");
    check(&folder, &[component("files")], "same");
    let from = folder.join("built/forge_files.wasm");
    let to = folder.join("plugins/files.wasm");
    assert!(!write_if_changed(&from, &to).unwrap());
    fs::write(&from, "other").unwrap();
    assert!(write_if_changed(&from, &to).unwrap());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn missing_artifact_is_named() {
    let folder = scratch("missing");
    let error = install(
        &[component("files")],
        &folder.join("built"),
        &folder.join("plugins"),
    );
    assert!(format!("{:#}", error.unwrap_err()).contains("forge_files.wasm"));
    fs::remove_dir_all(folder).unwrap();
}
