//! What the documents say against what is there.

use std::collections::BTreeSet;
use std::process::Command;

use forge_tests::place::Place;
use regex::Regex;

use crate::workspace::root;

/// Words in backticks that look like paths, from the root or from `host/*/src`.
fn paths(text: &str) -> BTreeSet<String> {
    let quoted = Regex::new("`([A-Za-z_.][A-Za-z0-9_./-]*)`").unwrap();
    let is_path = |word: &&str| {
        word.contains('/')
            || [".rs", ".md", ".wit", ".json"]
                .iter()
                .any(|end| word.ends_with(end))
    };
    let found = quoted
        .captures_iter(text)
        .map(|found| found.get(1).unwrap().as_str());
    found.filter(is_path).map(str::to_owned).collect()
}

fn is_there(path: &str) -> bool {
    let folders = [
        "",
        "host/contract/src",
        "host/core/src",
        "host/runtime/src",
        "host/app/src",
        "sdk/src",
        "tests/it",
        "wit",
    ];
    folders
        .iter()
        .any(|folder| root().join(folder).join(path).exists())
}

#[test]
fn paths_are_told_apart_from_other_words() {
    let found =
        paths("see `router/gbnf.rs`, `turn`, `wit/` and `ARCHITECTURE.md`, not `files.read`");
    assert_eq!(
        found.into_iter().collect::<Vec<_>>(),
        ["ARCHITECTURE.md", "router/gbnf.rs", "wit/"]
    );
    assert!(
        is_there("ARCHITECTURE.md") && is_there("router/gbnf.rs") && !is_there("router/gone.rs")
    );
}

#[test]
fn every_path_in_the_documents_exists() {
    for document in [
        "README.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "MEASUREMENTS.md",
    ] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let missing: Vec<String> = paths(&text)
            .into_iter()
            .filter(|path| !is_there(path))
            .collect();
        assert!(
            missing.is_empty(),
            "{document} names what is not there: {missing:?}"
        );
    }
}

#[test]
fn the_readme_shows_the_programs_own_help() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let output = Command::new(Place::Binary.path())
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let name = Regex::new("(?m)^  ([A-Z][A-Z_]+)").unwrap();
    let settings: Vec<&str> = name
        .captures_iter(&help)
        .map(|name| name.get(1).unwrap().as_str())
        .collect();
    assert!(settings.len() > 10, "{help}");
    for name in settings {
        assert!(
            readme.contains(&format!("`{name}`")),
            "README.md does not tell of `{name}`"
        );
    }
    let tasks = Command::new("cargo")
        .args(["xtask", "--help"])
        .current_dir(root())
        .output()
        .unwrap();
    let tasks = String::from_utf8(tasks.stdout).unwrap();
    let told = Regex::new(r"cargo xtask ([a-z]+)").unwrap();
    let told: BTreeSet<&str> = told
        .captures_iter(&readme)
        .map(|task| task.get(1).unwrap().as_str())
        .collect();
    assert!(told.contains("test") && told.contains("chat"), "{told:?}");
    for task in told {
        assert!(
            tasks.contains(&format!("  {task} ")),
            "README.md tells of `cargo xtask {task}`, which is not there: {tasks}"
        );
    }
}
