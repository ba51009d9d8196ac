//! Which paths lead where, case by case: the real files tool in the real sandbox.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use forge_contract::grant::Grant;
use forge_contract::report::CallReport;
use forge_runtime::{Limits, Runtime, Settings, Workspace};
use forge_tests::place::Place;
use serde_json::{Value, json};

const CASES: &str = include_str!("../cases/path_confinement.jsonl");

#[tokio::test]
async fn paths_lead_where_their_cases_say() {
    let runtime = Runtime::new(Settings {
        limits: Limits::default(),
        live_calls: 8,
        ..Settings::default()
    })
    .unwrap();
    let plugin = runtime
        .load(Place::Plugins.component("files"))
        .await
        .unwrap();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("ws");
        fs::create_dir(&root).unwrap();
        prepare(&root, &case["workspace"]);
        let workspace = Workspace::open(&root).unwrap();
        let grant: Grant = serde_json::from_str(r#"{"workspace": "write"}"#).unwrap();
        let write = async |path: &str| -> CallReport {
            let input = json!({"path": path, "content": "written"}).to_string();
            let call = forge_runtime::Call::new("write", &input, &grant);
            plugin.call(call.in_workspace(&workspace)).await
        };
        check(&case, &root, write).await;
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 1, "{case}");
        count += 1;
    }
    assert_eq!(count, 28, "each case is run");
}

async fn check(case: &Value, root: &Path, write: impl AsyncFn(&str) -> CallReport) {
    let id = &case["id"];
    let expected = case.get("better").unwrap_or(&case["expect"]);
    let expected = &expected["files_tool"];
    let path = case["path"].as_str().unwrap();
    let report = write(path).await;
    let said = report.outcome.to_string();
    if expected["allow"] == false {
        assert!(!report.outcome.is_done(), "{id}: {said}");
        let is_refusal = said.contains("out of the workspace") || said.contains("NUL");
        assert!(is_refusal, "{id}: {said}");
        return;
    }
    let target = expected["resolves_to"].as_str().unwrap();
    if target == "." {
        assert!(said.contains("the workspace itself"), "{id}: {said}");
    } else if target.len() > 255 {
        // No file system takes the name; nothing refuses the path.
        assert!(!said.contains("workspace"), "{id}: {said}");
    } else {
        assert!(report.outcome.is_done(), "{id}: {said}");
        let text = fs::read_to_string(root.join(target)).unwrap();
        assert_eq!(text, "written", "{id}");
    }
}

/// Makes what a case describes: `file`, or `symlink -> ` a target. A target in the workspace is given
/// relative to the link: an absolute one never leads inside for a tool.
fn prepare(root: &Path, described: &Value) {
    for (path, kind) in described.as_object().unwrap() {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match kind.as_str().unwrap() {
            "file" => fs::write(path, "before").unwrap(),
            link => {
                let target = link.strip_prefix("symlink -> ").unwrap();
                let target = match target.strip_prefix("<workspace>") {
                    Some("") => ".",
                    Some(inside) => inside.trim_start_matches('/'),
                    None => target,
                };
                symlink(target, path).unwrap();
            }
        }
    }
}
