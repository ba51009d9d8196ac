//! The files tool, case by case: the real component in the real sandbox, as a model calls it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use forge_app::providers::scripted::{Line, Scripted};
use forge_core::policy::Mode;
use forge_core::turn::TurnReport;
use forge_tests::forge::Setup;
use serde_json::{Value, json};

const CASES: &str = include_str!("../cases/files_tool.jsonl");

#[tokio::test]
async fn the_tool_does_what_its_cases_say() {
    let cases: Vec<Value> = CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answers = cases.iter().map(|case| {
        let content = spelled_out(case["content"].as_str().unwrap());
        Line::answer(json!({"tool": "files", "content": content}).to_string())
    });
    let model = Arc::new(Scripted::new(answers));
    let forge = Setup::default().start(model.clone()).await;
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let id = &case["id"];
        let workspace = forge.workspace();
        empty(&workspace);
        for (path, text) in files(&case["files_before"]) {
            let path = workspace.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (report, _) = forge.chat("please", &[]).await;
        assert_eq!(model.lines_left(), cases.len() - index - 1, "{id}");

        let expected = case.get("better").unwrap_or(&case["expect"]);
        wrong.extend(
            differences(expected, &report, &workspace)
                .into_iter()
                .map(|difference| format!("{id}: {difference}: {}", report.output)),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cases.len(), 47, "each case is run");
}

/// In what `report` and the workspace are other than a case expects.
fn differences(expected: &Value, report: &TurnReport, workspace: &Path) -> Vec<&'static str> {
    let output = report.output.as_str();
    let is_error = expected["class"] == "error";
    let parts = expected["output_contains"].as_array().into_iter().flatten();
    let mut parts = parts.map(|part| spelled_out(part.as_str().unwrap()));
    let checks = [
        ("class", report.ok != is_error),
        (
            "output",
            expected["output"]
                .as_str()
                .is_none_or(|whole| whole == output),
        ),
        (
            "emptiness",
            expected["output_note"].is_null() || !output.is_empty(),
        ),
        ("output_contains", parts.all(|part| output.contains(&part))),
        (
            "files_after",
            expected["files_after"].is_null()
                || found(workspace) == files(&expected["files_after"]),
        ),
    ];
    let wrong = checks.into_iter().filter(|(_, is_right)| !is_right);
    wrong.map(|(what, _)| what).collect()
}

/// Forge holds the folder open: it must stay the same one.
fn empty(workspace: &Path) {
    for entry in fs::read_dir(workspace).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

fn files(object: &Value) -> BTreeMap<String, String> {
    let files = object.as_object().into_iter().flatten();
    files
        .map(|(path, text)| (path.clone(), spelled_out(text.as_str().unwrap())))
        .collect()
}

/// The text that `<5 chars: 'a' repeated>` in `text` stands for.
fn spelled_out(text: &str) -> String {
    let Some((before, rest)) = text.split_once('<') else {
        return text.to_owned();
    };
    let Some((count, rest)) = rest.split_once(" chars: '") else {
        return text.to_owned();
    };
    let (character, after) = rest.split_once("' repeated>").unwrap();
    let repeated = character.repeat(count.parse().unwrap());
    format!("{before}{repeated}{after}")
}

fn found(workspace: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![workspace.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(workspace).unwrap().to_str().unwrap();
                found.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

const WRITE: &str =
    r#"{"tool":"files","content":{"action":"write","path":"a.txt","content":"new\n"}}"#;

#[tokio::test]
async fn a_change_is_in_the_trace() {
    let model = Arc::new(Scripted::new([Line::answer(WRITE)]));
    let files = vec![("a.txt".to_owned(), "old\n".to_owned())];
    let setup = Setup {
        files,
        ..Setup::default()
    };
    let forge = setup.start(model).await;
    let (report, _) = forge.chat("write a.txt", &[]).await;
    assert!(report.output.contains("-old\n+new\n"), "{}", report.output);
    let text = fs::read_to_string(forge.workspace().join("a.txt")).unwrap();
    assert_eq!(text, "new\n");
    let traces = forge.traces();
    let step = &traces[0]["steps"][0];
    assert_eq!(
        (&step["operation"], &step["verdict"]),
        (&json!("write"), &json!("allow"))
    );
    assert_eq!(
        step["call"]["effects"],
        json!([
            {"effect": "file", "action": "open", "path": "/workspace/a.txt", "bytes": 4},
            {"effect": "file", "action": "write", "path": "/workspace/a.txt", "bytes": 4},
        ])
    );
}

#[tokio::test]
async fn a_read_only_forge_offers_no_change_and_makes_none() {
    let model = Arc::new(Scripted::new([Line::answer(WRITE)]));
    let files = vec![("a.txt".to_owned(), "old\n".to_owned())];
    let setup = Setup {
        files,
        mode: Mode::ReadOnly,
        ..Setup::default()
    };
    let forge = setup.start(model.clone()).await;
    let (report, _) = forge.chat("write a.txt", &[]).await;
    assert!(!report.ok, "{}", report.output);
    let text = fs::read_to_string(forge.workspace().join("a.txt")).unwrap();
    assert_eq!(text, "old\n");
    let prompt = model.requests()[0].prompt.clone();
    assert!(prompt.contains("search"), "{prompt}");
    for operation in ["write", "edit", "patch", "mkdir", "move", "delete"] {
        let action = format!("\"{operation}\"");
        assert!(!prompt.contains(&action), "{operation}: {prompt}");
    }
}

#[tokio::test]
async fn a_file_that_changed_between_two_turns_is_left_alone() {
    let read = r#"{"tool":"files","content":{"action":"read","path":"a.txt"}}"#;
    let model = Arc::new(Scripted::new([read, WRITE, WRITE].map(Line::answer)));
    let files = vec![("a.txt".to_owned(), "old\n".to_owned())];
    let setup = Setup {
        files,
        ..Setup::default()
    };
    let forge = setup.start(model).await;
    let file = forge.workspace().join("a.txt");
    forge.say("one", "read a.txt").await;
    fs::write(&file, "theirs\n").unwrap();
    let refused = forge.say("one", "write a.txt").await.turn;
    assert!(!refused.ok, "{}", refused.output);
    let reason = "`a.txt` changed since it was read";
    assert!(refused.output.contains(reason), "{}", refused.output);
    assert_eq!(fs::read_to_string(&file).unwrap(), "theirs\n");
    let other = forge.say("two", "write a.txt").await.turn;
    assert!(other.ok, "{}", other.output);
}

#[tokio::test]
async fn what_is_protected_is_not_changed_by_any_operation() {
    let changes = [
        json!({"action": "write", "path": ".git/config", "content": "x"}),
        json!({"action": "edit", "path": ".git/config", "find": "kept", "replace": "x"}),
        json!({"action": "patch", "patch": "--- .git/config\n+++ .git/config\n@@ -1 +1 @@\n-kept\n+x\n"}),
        json!({"action": "mkdir", "path": ".git/hooks"}),
        json!({"action": "move", "from": ".git", "to": "git"}),
        json!({"action": "move", "from": "a.txt", "to": ".git/config", "replace": true}),
        json!({"action": "delete", "path": ".git/config"}),
        json!({"action": "delete", "path": ".git", "recursive": true}),
        json!({"action": "write", "path": "forge.toml", "content": "x"}),
    ];
    let answers = changes
        .iter()
        .map(|content| Line::answer(json!({"tool": "files", "content": content}).to_string()));
    let setup = Setup {
        files: vec![("a.txt".to_owned(), "text".to_owned())],
        ..Setup::default()
    };
    let forge = setup.start(Arc::new(Scripted::new(answers))).await;
    let workspace = forge.workspace();
    fs::create_dir(workspace.join(".git")).unwrap();
    fs::write(workspace.join(".git/config"), "kept\n").unwrap();
    let before = found(&workspace);
    for change in &changes {
        let (report, _) = forge.chat("please", &[]).await;
        assert!(!report.ok, "{change}: {}", report.output);
        let is_explained = report.output.contains("may not be changed");
        assert!(is_explained, "{change}: {}", report.output);
        assert_eq!(found(&workspace), before, "{change}");
    }
}
