//! How source files look: length, first line, names, and words that have no place in them.
//!
//! What the compiler, clippy or rustfmt can hold is theirs and not repeated here.

use std::path::Path;

use regex::Regex;

use crate::workspace;

#[test]
fn files_are_tidy() {
    let files = workspace::files();
    assert!(
        files.iter().any(|(path, _)| path == "tests/it/tidy.rs"),
        "no source was found"
    );
    let findings: Vec<_> = files
        .iter()
        .flat_map(|(path, text)| findings(path, text))
        .collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// What is wrong with one file, as `path:line: reason`, or `path: reason` for the file as a whole.
fn findings(path: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let extension = Path::new(path)
        .extension()
        .unwrap_or_default()
        .to_str()
        .unwrap();
    if ["rs", "js", "mjs", "css"].contains(&extension) {
        let limit = if path.starts_with("plugins/") {
            299
        } else {
            400
        };
        let lines = text.lines().count();
        if lines > limit {
            findings.push(format!(
                "{path}: {lines} lines, at most {limit}: split it by subject"
            ));
        }
    }
    if extension == "rs" && !text.starts_with("//! ") {
        findings.push(format!(
            "{path}: does not open with `//!` and what lives here"
        ));
    }
    let name = Path::new(path)
        .file_stem()
        .unwrap_or_default()
        .to_str()
        .unwrap();
    if extension == "rs" && VAGUE_NAMES.contains(&name) {
        findings.push(format!("{path}: is named after no subject"));
    }
    for (extensions, pattern, reason) in UNWANTED {
        if !extensions.is_empty() && !extensions.contains(&extension) {
            continue;
        }
        let pattern = Regex::new(pattern).unwrap();
        for (index, line) in text.lines().enumerate() {
            if pattern.is_match(line) {
                findings.push(format!("{path}:{}: {reason}", index + 1));
            }
        }
    }
    findings
}

const VAGUE_NAMES: [&str; 8] = [
    "utils", "util", "helpers", "helper", "common", "types", "misc", "mod",
];

/// Kinds of files (none: all), what must not stand in a line, and why. The patterns are written
/// so that they do not find themselves.
const UNWANTED: [(&[&str], &str, &str); 7] = [
    (
        &["rs", "js", "mjs", "css", "html", "wit", "sh", "py"],
        r"\b([T]ODO|[F]IXME|[X]XX)\b|\b(?i:[t]odo|[f]ixme|[x]xx)[:!]",
        "unfinished work belongs elsewhere",
    ),
    (
        &["rs"],
        r"#\[\s*[i]gnore\b",
        "a test that is left out proves nothing",
    ),
    (
        &["rs"],
        r"#\[\s*[s]hould_panic\b",
        "a panic is no result: return an error and check it",
    ),
    (
        &["rs"],
        r"\b(struct|enum|trait) \w+(Manager|Helper|Util|Utils)\b",
        "is named after no subject",
    ),
    (
        &[],
        r#"(^|[^\w./~$})-])/(work|root)([/"'`\s:;,)]|$)"#,
        "a path of one machine",
    ),
    (
        &[],
        r"\b(crates[.]io|rust-lang[.]org/dist|static[.]rust-lang|pypi[.]org|pythonhosted[.]org|npmjs[.](org|com)|deb[.]debian[.]org|security[.]debian[.]org)\b",
        "a registry's host name: tools know theirs",
    ),
    (
        &[],
        r"(^|[^\w-])[s]hared/",
        "a folder that is not of this project",
    ),
];

/// `text` may hold `¦`, which is taken out: it keeps the samples from being findings themselves.
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(
        findings(path, &text.replace('¦', "")),
        expected,
        "{path}: {text}"
    );
}

#[test]
fn length_and_first_line_are_checked() {
    let lines = |count: usize| format!("//! x\n{}", "\n".repeat(count - 1));
    check("host/a.rs", &lines(400), &[]);
    check(
        "host/a.rs",
        &lines(401),
        &["host/a.rs: 401 lines, at most 400: split it by subject"],
    );
    check("plugins/a/src/lib.rs", &lines(299), &[]);
    check(
        "plugins/a/src/lib.rs",
        &lines(300),
        &["plugins/a/src/lib.rs: 300 lines, at most 299: split it by subject"],
    );
    check(
        "host/a.css",
        &"a{}\n".repeat(401),
        &["host/a.css: 401 lines, at most 400: split it by subject"],
    );
    check("a.md", &"text\n".repeat(900), &[]);
    check(
        "host/a.rs",
        "/// x\nfn a() {}\n",
        &["host/a.rs: does not open with `//!` and what lives here"],
    );
}

#[test]
fn names_are_checked() {
    check(
        "host/a/src/utils.rs",
        "//! x\n",
        &["host/a/src/utils.rs: is named after no subject"],
    );
    check(
        "a.rs",
        "//! x\npub struct Tool¦Manager;\n",
        &["a.rs:2: is named after no subject"],
    );
    check("a.rs", "//! x\npub struct Managed;\n", &[]);
}

#[test]
fn unfinished_work_is_found() {
    let found = ["a.rs:2: unfinished work belongs elsewhere"];
    check("a.rs", "//! x\n// TO¦DO\n", &found);
    check("a.rs", "//! x\n    to¦do!()\n", &found);
    check("a.rs", "//! x\n// fix¦me: later\n", &found);
    check("a.rs", "//! x\nlet kind = \"todo\";\n", &[]);
    check(
        "a.rs",
        "//! x\n#[ig¦nore]\n",
        &["a.rs:2: a test that is left out proves nothing"],
    );
    check(
        "a.rs",
        "//! x\n#[should¦_panic(expected = \"x\")]\n",
        &["a.rs:2: a panic is no result: return an error and check it"],
    );
}

#[test]
fn places_outside_are_found() {
    let path = ["a.md:1: a path of one machine"];
    check("a.md", "see /wo¦rk/main", &path);
    check("a.md", "in `/ro¦ot`", &path);
    check("a.md", "at /workspace, in src/work/x and at /rooted", &[]);
    let host = ["a.toml:1: a registry's host name: tools know theirs"];
    check("a.toml", "url = \"https://crates¦.io/x\"", &host);
    check("a.toml", "url = \"http://deb.debian¦.org/debian\"", &host);
    check("a.toml", "url = \"https://docs.rs/x\"", &[]);
    let folder = ["a.md:1: a folder that is not of this project"];
    check("a.md", "see ../sha¦red/notes", &folder);
    check("a.md", "it is shared / divided", &[]);
}
