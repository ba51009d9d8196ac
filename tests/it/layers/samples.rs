//! Bad samples for each check of the layers: proof that it can fail.

use std::collections::BTreeSet;

use super::{Member, acting_findings, folder_findings, layer_findings, module_findings};

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn wrong_dependency_is_found() {
    let check = |folder: &str, name: &str, uses: &[&str], expected: &[&str]| {
        let uses = uses.iter().map(|&used| used.to_owned()).collect();
        let member = Member {
            name: name.to_owned(),
            folder: folder.to_owned(),
            uses,
        };
        assert_eq!(layer_findings(&member), expected);
    };
    check("host/core", "forge-core", &["forge-contract"], &[]);
    check(
        "host/core",
        "forge-core",
        &["forge-runtime"],
        &["`forge-core` must not depend on `forge-runtime`"],
    );
    check(
        "host/app",
        "forge-app",
        &["forge-sdk", "forge-files"],
        &[
            "`forge-app` must not depend on `forge-sdk`",
            "`forge-app` must not depend on `forge-files`",
        ],
    );
    check("plugins/git", "forge-git", &["forge-sdk"], &[]);
    check(
        "plugins/git",
        "forge-git",
        &["forge-contract"],
        &["`forge-git` must not depend on `forge-contract`"],
    );
    check("tests/guests/spin", "guest-spin", &["forge-sdk"], &[]);
    check(
        "host/extra",
        "forge-extra",
        &[],
        &["`forge-extra` in `host/extra` is in no layer: add it to `LAYERS`"],
    );
}

#[test]
fn package_that_acts_is_found() {
    let check = |below: &[&str], expected: &[&str]| {
        assert_eq!(acting_findings("forge-core", &names(below)), expected);
    };
    check(
        &["serde", "tokio-not"],
        &["`forge-core` decides and must not contain `tokio-not`"],
    );
    check(&["smolstr", "axumatic"], &[]);
    check(
        &["wasmtime"],
        &["`forge-core` decides and must not contain `wasmtime`"],
    );
}

#[test]
fn module_that_knows_another_is_found() {
    let check = |path: &str, text: &str, expected: &[&str]| {
        assert_eq!(module_findings(path, text), expected, "{text}");
    };
    let found = ["host/core/src/router/parse.rs: `router` must not know `policy`"];
    check(
        "host/core/src/router/parse.rs",
        "use crate::policy::Verdict;",
        &found,
    );
    check(
        "host/core/src/router/parse.rs",
        "use crate::{\n    clock::Clock,\n    policy::Verdict,\n};",
        &found,
    );
    check(
        "host/core/src/router/parse.rs",
        "use crate::router::policy_free;",
        &[],
    );
    check(
        "host/core/src/turn/step.rs",
        "use crate::policy::Verdict;",
        &[],
    );
    check("host/app/src/policy.rs", "use crate::router::Router;", &[]);
    check(
        "host/core/src/policy.rs",
        "fn f() -> crate::registry::Registry {}",
        &["host/core/src/policy.rs: `policy` must not know `registry`"],
    );
}

#[test]
fn stray_and_missing_folders_are_found() {
    let design = ["deploy", "host", "plugins", "sdk", "tests", "wit"];
    let check = |folders: &[&str], expected: &[&str]| {
        assert_eq!(folder_findings(&names(folders)), expected);
    };
    check(&[&design[..], &["target", ".git"]].concat(), &[]);
    check(
        &[&design[..], &["docs"]].concat(),
        &["`docs/` has no place at the top"],
    );
    check(&design[1..], &["`deploy/` is missing"]);
}
