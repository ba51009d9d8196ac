//! Every package in the graph is under a licence that lets people use Forge freely.

use spdx::{Expression, ParseMode};

use crate::workspace;

/// Licences that ask for no more than their notice.
const ALLOWED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Package, licence that is not in [`ALLOWED`], and why it is taken nevertheless.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

#[test]
fn licences_are_permissive() {
    let metadata = workspace::packages();
    assert!(
        metadata.packages.len() > 100,
        "cargo does not show the whole graph"
    );
    let findings: Vec<_> = metadata
        .packages
        .iter()
        .filter_map(|package| finding(&package.name, package.license.as_deref()))
        .collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn exceptions_are_needed() {
    let metadata = workspace::packages();
    for (name, licence, _reason) in EXCEPTIONS {
        let used = metadata
            .packages
            .iter()
            .any(|package| package.name == name && package.license.as_deref() == Some(licence));
        assert!(
            used,
            "the exception for `{name}` under {licence} is not needed"
        );
    }
}

/// What is wrong with the licence of a package.
fn finding(package: &str, licence: Option<&str>) -> Option<String> {
    let Some(licence) = licence else {
        return Some(format!("`{package}` names no licence"));
    };
    if EXCEPTIONS
        .iter()
        .any(|(name, taken, _)| *name == package && *taken == licence)
    {
        return None;
    }
    // Lax: older packages write `MIT/Apache-2.0`.
    let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else {
        return Some(format!(
            "`{package}` has a licence that can't be read: {licence}"
        ));
    };
    let allowed = expression.evaluate(|it| ALLOWED.contains(&it.to_string().as_str()));
    (!allowed).then(|| format!("`{package}` is under {licence}, which is not allowed"))
}

#[test]
fn licences_that_are_not_allowed_are_found() {
    let check = |licence: Option<&str>, expected: Option<&str>| {
        assert_eq!(finding("x", licence).as_deref(), expected);
    };
    check(Some("MIT"), None);
    check(Some("MIT/Apache-2.0"), None);
    check(Some("Apache-2.0 WITH LLVM-exception"), None);
    check(Some("(MIT OR Apache-2.0) AND Unicode-3.0"), None);
    check(Some("MIT OR GPL-3.0-only"), None);
    check(
        Some("MIT AND MPL-2.0"),
        Some("`x` is under MIT AND MPL-2.0, which is not allowed"),
    );
    check(
        Some("GPL-3.0-only"),
        Some("`x` is under GPL-3.0-only, which is not allowed"),
    );
    check(
        Some("my own"),
        Some("`x` has a licence that can't be read: my own"),
    );
    check(None, Some("`x` names no licence"));
}
