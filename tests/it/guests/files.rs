//! Guests that try to leave the workspace, or to change it without the right to.

use std::fs;
use std::os::unix::fs::symlink;

use forge_runtime::Limits;
use forge_tests::guest::{answered, effects, load, load_with, short_limits};
use serde_json::json;

#[tokio::test]
async fn no_path_leads_outside() {
    let guest = load("escape").await;
    fs::write(guest.inside().join("a"), "inside").unwrap();
    symlink("../secret", guest.inside().join("up")).unwrap();
    symlink(
        guest.around().join("secret"),
        guest.inside().join("absolute"),
    )
    .unwrap();
    symlink("..", guest.inside().join("folder")).unwrap();
    symlink("a", guest.inside().join("good")).unwrap();
    let check = async |path: &str, is_inside: bool| {
        let input = json!({ "path": path }).to_string();
        let report = guest.call("read", &input, r#"{"workspace": "read"}"#).await;
        assert_eq!(
            report.outcome.is_done(),
            is_inside,
            "{path}: {}",
            report.outcome
        );
        assert!(!report.outcome.to_string().contains("a secret"), "{path}");
    };
    check("/workspace/a", true).await;
    check("/workspace/./a", true).await;
    check("/workspace/good", true).await;
    for path in [
        "/workspace/../secret",
        "/workspace/up",
        "/workspace/absolute",
        "/workspace/folder/secret",
    ] {
        check(path, false).await;
    }
    let absolute = guest.around().join("secret");
    for path in [
        "../secret",
        "secret",
        "/secret",
        "/etc/passwd",
        "/proc/self/environ",
        absolute.to_str().unwrap(),
    ] {
        check(path, false).await;
    }
}

#[tokio::test]
async fn every_opening_is_an_effect() {
    let guest = load("escape").await;
    fs::write(guest.inside().join("a"), "inside").unwrap();
    let check = async |path: &str, effect: &str| {
        let input = json!({ "path": path }).to_string();
        let report = guest.call("read", &input, r#"{"workspace": "read"}"#).await;
        assert_eq!(effects(&report), [effect]);
    };
    check("/workspace/a", "open /workspace/a 6").await;
    check("/workspace/b", "open /workspace/b: no-entry").await;
    check(
        "/workspace/../secret",
        "open /workspace/../secret: not-permitted",
    )
    .await;
}

/// Tries every change and returns what came of each, as the guest saw it.
async fn changes(operation: &str, grant: &str) -> (serde_json::Value, Vec<String>, Vec<String>) {
    let guest = load("escape").await;
    fs::write(guest.inside().join("existing"), "text").unwrap();
    let report = guest
        .call(operation, r#"{"folder": "/workspace"}"#, grant)
        .await;
    let mut left: Vec<String> = fs::read_dir(guest.inside())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        fs::read_to_string(guest.around().join("secret")).unwrap(),
        "a secret"
    );
    assert_eq!(
        fs::read_dir(guest.around()).unwrap().count(),
        2,
        "nothing came to be outside"
    );
    (answered(&report), effects(&report), left)
}

#[tokio::test]
async fn with_the_right_to_read_nothing_changes() {
    for (operation, grant) in [
        ("write", r#"{"workspace": "write"}"#),
        ("write_granted", r#"{"workspace": "read"}"#),
    ] {
        let (tried, effects, left) = changes(operation, grant).await;
        let succeeded: Vec<_> = tried
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, result)| *result == "ok")
            .collect();
        assert!(succeeded.is_empty(), "{succeeded:?}");
        assert_eq!(left, ["existing"]);
        for effect in effects.iter().filter(|effect| !effect.starts_with("open")) {
            assert!(effect.contains(": "), "a change without an error: {effect}");
        }
    }
}

#[tokio::test]
async fn with_the_right_to_write_each_change_is_an_effect() {
    let (tried, effects, left) = changes("write_granted", r#"{"workspace": "write"}"#).await;
    let failed: Vec<&str> = tried
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, result)| *result != "ok")
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        failed,
        [
            "symlink_outside",
            "symlink_absolute",
            "read_through_link",
            "rename_out"
        ],
        "{tried}"
    );
    assert_eq!(left, ["created", "hard", "inside", "outside"], "{tried}");
    let changed: Vec<&String> = effects
        .iter()
        .filter(|effect| !effect.contains(": "))
        .collect();
    assert_eq!(
        changed,
        [
            "write /workspace/created 3",
            "write /workspace/existing 4",
            "write /workspace/existing",
            "write /workspace/existing",
            "resize /workspace/existing",
            "open /workspace/existing",
            "touch /workspace/existing",
            "create-directory /workspace/folder",
            "link /workspace/existing -> /workspace/hard",
            "symlink /workspace/inside -> existing",
            // The link was refused, so this is a new file inside.
            "write /workspace/outside 1",
            "rename /workspace/existing -> /workspace/renamed",
            "remove /workspace/renamed",
            "remove-directory /workspace/folder",
        ]
    );
}

#[tokio::test]
async fn a_change_that_can_not_be_noted_is_not_made() {
    let limits = Limits {
        effects: 2,
        ..short_limits()
    };
    let guest = load_with("escape", limits).await.unwrap();
    fs::write(guest.inside().join("existing"), "text").unwrap();
    let grant = r#"{"workspace": "write"}"#;
    let report = guest
        .call("write_granted", r#"{"folder": "/workspace"}"#, grant)
        .await;
    assert_eq!(
        report.outcome.to_string(),
        "the tool was stopped at its limit `effects` of 2"
    );
    assert_eq!(
        effects(&report),
        ["write /workspace/created 3", "write /workspace/existing 4"]
    );
    // The third change would have emptied it.
    let text = fs::read_to_string(guest.inside().join("existing")).unwrap();
    assert_eq!(text, "textmore");
}

#[tokio::test]
async fn the_grants_patterns_hold_for_real_paths() {
    let guest = load("escape").await;
    for folder in ["docs", "src"] {
        fs::create_dir(guest.inside().join(folder)).unwrap();
        fs::write(guest.inside().join(folder).join("existing"), "text").unwrap();
    }
    symlink("../src/existing", guest.inside().join("docs/link")).unwrap();
    symlink("docs/existing", guest.inside().join("allowed")).unwrap();
    let read = r#"{"workspace": "read", "paths": ["docs/**"]}"#;
    let check = async |path: &str, is_covered: bool| {
        let report = guest
            .call("read", &json!({ "path": path }).to_string(), read)
            .await;
        assert_eq!(
            report.outcome.is_done(),
            is_covered,
            "{path}: {}",
            report.outcome
        );
    };
    check("/workspace/docs/existing", true).await;
    check("/workspace/allowed", true).await;
    check("/workspace/src/existing", false).await;
    check("/workspace/docs/link", false).await;
    check("/workspace/docs/../src/existing", false).await;

    let write = r#"{"workspace": "write", "paths": ["docs/**"]}"#;
    let report = guest
        .call("write_granted", r#"{"folder": "/workspace/src"}"#, write)
        .await;
    let tried = answered(&report);
    let succeeded: Vec<_> = tried
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, result)| *result == "ok")
        .collect();
    assert!(succeeded.is_empty(), "{succeeded:?}");
    assert_eq!(
        fs::read_to_string(guest.inside().join("src/existing")).unwrap(),
        "text"
    );
    assert_eq!(fs::read_dir(guest.inside().join("src")).unwrap().count(), 1);
    let report = guest
        .call("write_granted", r#"{"folder": "/workspace/docs"}"#, write)
        .await;
    assert_eq!(answered(&report)["create"], "ok", "{}", report.outcome);
}
