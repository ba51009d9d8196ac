//! Changes to files that are made at once, those that no grant allows, and what would wait for ever.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use forge_tests::guest::{Guest, answered, effects, load};
use serde_json::json;

const WRITE: &str = r#"{"workspace": "write"}"#;

/// Writes `text` to `path` by the host's own function and returns what came of it.
async fn write(guest: &Guest, path: &str, text: &str) -> (String, Vec<String>) {
    let input = json!({"path": path, "text": text}).to_string();
    let report = guest.call("write", &input, WRITE).await;
    (report.outcome.to_string(), effects(&report))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_file_is_replaced_at_once_and_keeps_its_permissions() {
    let guest = load("whole_files").await;
    let (folder, script) = (guest.inside(), guest.inside().join("script"));
    fs::write(&script, "old").unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o750)).unwrap();
    // Whoever has the old file open goes on to see the old content: it is another file now.
    let open = fs::File::open(&script).unwrap();
    let (outcome, effects) = write(&guest, "script", "new content").await;
    assert_eq!(outcome, "ok");
    assert_eq!(effects, ["write /workspace/script 11"]);
    assert_eq!(std::io::read_to_string(open).unwrap(), "old");
    assert_eq!(fs::read_to_string(&script).unwrap(), "new content");
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(names(folder), ["script"], "nothing is left beside it");
}

#[tokio::test]
async fn a_link_that_stays_inside_is_written_through() {
    let guest = load("whole_files").await;
    let folder = guest.inside();
    fs::create_dir(folder.join("d")).unwrap();
    fs::write(folder.join("d/target"), "old").unwrap();
    symlink("d/target", folder.join("link")).unwrap();
    symlink(guest.around().join("secret"), folder.join("out")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    let check = async |path: &str, expected: &str| {
        assert_eq!(write(&guest, path, "new").await.0, expected, "{path}");
    };
    check("link", "ok").await;
    assert!(folder.join("link").is_symlink());
    assert_eq!(fs::read_to_string(folder.join("d/target")).unwrap(), "new");
    check("out", "denied: `out`: not-permitted").await;
    let secret = fs::read_to_string(guest.around().join("secret")).unwrap();
    assert_eq!(secret, "a secret");
    check("dangling", "ok").await;
    assert!(!folder.join("nowhere").exists());
    check("d", "invalid-input: `d`: is-directory").await;
    check("missing/file", "not-found: `missing/file`: no-entry").await;
    check("../secret", "denied: `../secret`: not-permitted").await;
    assert_eq!(names(folder), ["d", "dangling", "link", "out"]);
    assert_eq!(names(&folder.join("d")), ["target"]);
}

#[tokio::test]
async fn patterns_hold_for_what_is_replaced() {
    let guest = load("whole_files").await;
    fs::create_dir(guest.inside().join("docs")).unwrap();
    fs::write(guest.inside().join("other"), "old").unwrap();
    symlink("../other", guest.inside().join("docs/link")).unwrap();
    let check = async |path: &str, expected: &str| {
        let input = json!({"path": path, "text": "new"}).to_string();
        let grant = r#"{"workspace": "write", "paths": ["docs/**"]}"#;
        let report = guest.call("write", &input, grant).await;
        assert_eq!(report.outcome.to_string(), expected, "{path}");
    };
    check("docs/new", "ok").await;
    check("other", "denied: `other`: not-permitted").await;
    check("docs/link", "denied: `docs/link`: not-permitted").await;
    let other = fs::read_to_string(guest.inside().join("other")).unwrap();
    assert_eq!(other, "old");
}

/// A workspace with a repository, a settings file and ways that lead there.
async fn guarded(name: &str) -> Guest {
    let guest = load(name).await;
    let folder = guest.inside().to_owned();
    fs::create_dir_all(folder.join("sub/.git/hooks")).unwrap();
    fs::create_dir(folder.join("own")).unwrap();
    fs::write(folder.join("sub/.git/existing"), "text").unwrap();
    fs::write(folder.join("own/existing"), "text").unwrap();
    fs::write(folder.join("forge.toml"), "").unwrap();
    symlink("sub/.git", folder.join("way")).unwrap();
    symlink("forge.toml", folder.join("settings")).unwrap();
    guest.protecting(&[".git", "forge.toml"], &[folder.join("own")])
}

#[tokio::test]
async fn what_is_protected_is_not_changed_whatever_is_granted() {
    let check = async |folder: &str| {
        let guest = guarded("escape").await;
        let input = json!({ "folder": folder }).to_string();
        let report = guest.call("write_granted", &input, WRITE).await;
        let tried = answered(&report);
        let succeeded: Vec<_> = tried
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, result)| *result == "ok")
            .collect();
        assert!(succeeded.is_empty(), "{folder}: {succeeded:?}");
        let inside = guest.inside();
        assert_eq!(
            names(inside),
            ["forge.toml", "own", "settings", "sub", "way"]
        );
        assert_eq!(names(&inside.join("sub/.git")), ["existing", "hooks"]);
        for existing in ["sub/.git/existing", "own/existing"] {
            assert_eq!(fs::read_to_string(inside.join(existing)).unwrap(), "text");
        }
        // It can still be read.
        let read = json!({"path": format!("{folder}/existing")}).to_string();
        let report = guest.call("read", &read, WRITE).await;
        assert_eq!(report.outcome.to_string(), "text");
    };
    check("/workspace/sub/.git").await;
    check("/workspace/way").await;
    check("/workspace/own").await;
    check("/workspace/own/../own").await;
}

#[tokio::test]
async fn what_is_protected_is_not_replaced_either() {
    let guest = guarded("whole_files").await;
    for path in [
        "forge.toml",
        "settings",
        "FORGE.toml",
        "sub/forge.toml",
        ".git",
        "sub/.git/config",
        "way/config",
        "own/new",
    ] {
        let (outcome, effects) = write(&guest, path, "x").await;
        assert_eq!(outcome, format!("denied: `{path}`: not-permitted"));
        assert!(
            effects
                .iter()
                .any(|effect| effect.ends_with(": not-permitted"))
        );
    }
    assert_eq!(
        fs::read_to_string(guest.inside().join("forge.toml")).unwrap(),
        ""
    );
    assert_eq!(write(&guest, "sub/config", "x").await.0, "ok");
}

#[tokio::test]
async fn a_pipe_is_not_waited_for() {
    let guest = load("escape").await;
    let pipe = guest.inside().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let report = guest
        .call("read", r#"{"path": "/workspace/pipe"}"#, WRITE)
        .await;
    assert_eq!(effects(&report), ["open /workspace/pipe: not-permitted"]);
    let guest = load("whole_files").await;
    let pipe = guest.inside().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (outcome, _) = write(&guest, "pipe", "x").await;
    assert_eq!(outcome, "denied: `pipe`: not-permitted");
}
