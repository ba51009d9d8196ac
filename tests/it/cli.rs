//! The program itself: what it prints where, and how it ends.

use std::path::Path;
use std::process::{Command, Output};

use forge_tests::place::Place;
use serde_json::Value;

/// `forge` in a folder of its own with a scripted model, and no other setting.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        std::fs::write(folder.path().join("workspace/a.txt"), "hello\n").unwrap();
        std::fs::write(folder.path().join("script"), script).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(Place::Binary.path());
        command
            .args(arguments)
            .current_dir(self.path().join("workspace"))
            .env_clear()
            .env("FORGE_PROVIDER", "scripted")
            .env("FORGE_SCRIPT", self.path().join("script"))
            .env("FORGE_DATA_DIR", self.path().join("data"))
            .env("FORGE_CACHE_DIR", self.path().join("cache"));
        command
    }

    fn run(&self, arguments: &[&str]) -> (String, String, i32) {
        ended(&self.command(arguments).output().unwrap())
    }
}

fn ended(output: &Output) -> (String, String, i32) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap(),
    )
}

const LIST: &str = r#"{"completion": "{\"tool\":\"files\",\"content\":{\"action\":\"list\"}}"}"#;

#[test]
fn the_answer_alone_is_on_standard_output() {
    let (stdout, stderr, code) = Program::new(LIST).run(&["chat", "list", "the", "files"]);
    assert_eq!((stdout.as_str(), code), ("  a.txt\n", 0));
    assert!(stderr.contains("files.list"), "{stderr}");
    assert!(stderr.contains("1 model call"), "{stderr}");
}

#[test]
fn json_is_one_object() {
    let (stdout, stderr, code) = Program::new(LIST).run(&["chat", "--json", "list the files"]);
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&result["ok"], &result["tool"], code),
        (&Value::Bool(true), &"files".into(), 0),
        "{stderr}"
    );
    assert_eq!(result["steps"][0]["decision"]["operation"], "list");
    assert_eq!(result["steps"][0]["effects"][0]["path"], "/workspace");
}

#[test]
fn each_way_to_end_has_its_exit_code() {
    let check = |script: &str, arguments: &[&str], expected: i32, told: &str| {
        let (_, stderr, code) = Program::new(script).run(arguments);
        assert_eq!(code, expected, "{arguments:?}: {stderr}");
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    };
    check(LIST, &["chat", "list"], 0, "");
    let missing = r#"{"completion": "{\"tool\":\"files\",\"content\":{\"action\":\"read\",\"path\":\"b\"}}"}"#;
    check(missing, &["chat", "read b"], 1, "not-found");
    check(LIST, &["chat"], 2, "Usage");
    check(
        LIST,
        &["chat", "--workspace", "/does/not/exist", "x"],
        2,
        "`/does/not/exist`",
    );
    check(
        r#"{"error": {"kind": "unreachable"}}"#,
        &["chat", "x"],
        3,
        "no model server answers",
    );
    check("not json", &["chat", "x"], 2, "script");
}

#[test]
fn a_setting_that_can_not_be_used_is_named() {
    let check = |variable: &str, value: &str, told: &str| {
        let output = Program::new(LIST)
            .command(&["chat", "x"])
            .env(variable, value)
            .output()
            .unwrap();
        let (_, stderr, code) = ended(&output);
        assert_eq!(code, 2, "{variable}={value}: {stderr}");
        assert!(stderr.contains(told), "{variable}={value}: {stderr}");
    };
    check("MAX_STEPS", "many", "`MAX_STEPS` is `many`");
    check("ENABLED_TOOLS", "chat,fils", "`fils`");
    check(
        "POLICY_ALLOW_NETWORK",
        "maybe",
        "`POLICY_ALLOW_NETWORK` is `maybe`",
    );
    check("POLICY_ALLOW_EVERYTHING", "true", "POLICY_ALLOW_EVERYTHING");
    check("FORGE_PROVIDER", "ollama", "`ollama`");
    check("FORGE_DATA_DIR", "inside", "lies inside the workspace");
}

#[test]
fn a_trace_that_can_not_be_written_breaks_nothing() {
    let program = Program::new(LIST);
    let output = program
        .command(&["chat", "list"])
        .env("TRACE_FILE", "/dev/full")
        .output()
        .unwrap();
    let (stdout, stderr, code) = ended(&output);
    assert_eq!((stdout.as_str(), code), ("  a.txt\n", 0), "{stderr}");
    assert!(stderr.contains("/dev/full"), "it is said: {stderr}");
}

#[test]
fn capabilities_are_listed_with_what_they_require() {
    let program = Program::new("");
    let (stdout, stderr, code) = program.run(&["capabilities", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let rows: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{}.{} {} {}",
                row["capability"], row["operation"], row["requires"], row["available"]
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#""chat"."run" {} true"#,
            r#""code"."run" {} true"#,
            r#""files"."read" {"workspace":"read"} true"#,
            r#""files"."list" {"workspace":"read"} true"#,
            r#""files"."search" {"workspace":"read"} true"#,
            r#""files"."write" {"workspace":"write"} true"#,
            r#""files"."edit" {"workspace":"write"} true"#,
            r#""files"."patch" {"workspace":"write"} true"#,
            r#""files"."mkdir" {"workspace":"write"} true"#,
            r#""files"."move" {"workspace":"write"} true"#,
            r#""files"."delete" {"workspace":"write"} true"#,
            r#""web_fetch"."run" {"network":["http://*:*","https://*:*"]} false"#,
            r#""web_search"."run" {"network":["http://*:*","https://*:*"]} false"#,
        ]
    );
    let output = program
        .command(&["capabilities"])
        .env("ENABLED_TOOLS", "chat")
        .output()
        .unwrap();
    let (stdout, _, _) = ended(&output);
    assert!(
        stdout.contains("ENABLED_TOOLS"),
        "what is blocked is told with the way out: {stdout}"
    );
}

#[test]
fn a_grant_is_shown_narrowed_and_reset() {
    let program = Program::new(r#"{"completion": "hi"}"#);
    let file = program.path().join("forge.toml");
    std::fs::write(&file, "# mine\nmax_steps = 2\n").unwrap();
    let check = |arguments: &[&str], expected: &str, exit: i32| {
        let config = ["--config", file.to_str().unwrap()];
        let arguments = [&["grant"], arguments, &config].concat();
        let (output, errors, ended) = program.run(&arguments);
        assert!(
            output.contains(expected) || errors.contains(expected),
            "{arguments:?}: {output}{errors}"
        );
        assert_eq!(ended, exit, "{arguments:?}");
    };
    check(&["show"], "granted   workspace: write\n", 0);
    let narrow = [
        "narrow",
        "files",
        "--read-only-workspace",
        "--only-path",
        "docs/**",
    ];
    check(
        &narrow,
        "`files` is granted workspace: read; only in docs/**",
        0,
    );
    check(
        &["show", "files"],
        "workspace: read; only in docs/**  (narrowed by you)",
        0,
    );
    check(
        &["narrow", "files", "--only-path", "src/**"],
        "might be wider",
        2,
    );
    check(
        &["narrow", "web_search", "--only-origin", "https://x.com"],
        "it is granted nothing at",
        2,
    );
    check(
        &["narrow", "nobody", "--without", "llm"],
        "there is no tool `nobody`",
        2,
    );
    check(
        &["reset", "files"],
        "`files` is granted what it declares",
        0,
    );
    check(&["reset", "files"], "nothing was changed", 0);
    check(&["show", "files"], "granted   workspace: write\n", 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# mine\nmax_steps = 2\n"), "{text}");
}
