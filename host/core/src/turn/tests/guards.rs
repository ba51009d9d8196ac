//! What keeps a call from being made.

use super::*;

#[test]
fn the_same_call_twice_is_a_loop() {
    let stage = Stage::new(vec![
        decide_and_go_on("git", json!({"a": 1, "b": 2})),
        decide_and_go_on("git", json!({"b": 2, "a": 1})),
    ]);
    let report = check(
        &stage,
        "git not ok not storable 2: Stopped: the model asked for the same call of `git` again, so the run was stopped.\n\nBefore that, `git` answered:\n\ngit answered",
    );
    assert_eq!(stage.calls().len(), 1);
    assert_eq!(report.record.steps[1].tool_ok, None);
    let other = Stage::new(vec![
        decide_and_go_on("files", json!({"action": "read", "path": "a"})),
        decide("files", json!({"action": "read", "path": "b"})),
    ]);
    check(&other, "files ok storable 2: files answered");
}

#[test]
fn an_invalid_input_is_not_run() {
    let check = |tool: &str, content: Value, expected: &str| {
        let stage = Stage::new(vec![decide(tool, content)]);
        let report = check(&stage, expected);
        assert_eq!(stage.calls(), [""; 0]);
        assert_eq!(report.record.steps[0].tool_ok, Some(false));
        assert!(report.record.steps[0].call.is_none());
    };
    check(
        "files",
        json!({"action": "read", "path": 3}),
        "files not ok not storable 1: invalid-input: `path` is not valid: value is not of type \"string\"",
    );
    check(
        "files",
        json!({"action": "wipe"}),
        "files not ok not storable 1: invalid-input: there is no operation `wipe`: there is `list`, `read`, `write`",
    );
    check(
        "files",
        json!({"path": "a"}),
        "files not ok not storable 1: invalid-input: `content` for `files` must hold `action`, one of `read`, `list`, `write`",
    );
    check(
        "files",
        json!("garbage"),
        "files not ok not storable 1: invalid-input: `files` takes a JSON object as `content`, with `action`, one of `read`, `list`, `write`",
    );
    check(
        "git",
        json!([1]),
        "git not ok not storable 1: invalid-input: `git` takes a JSON object as `content`, with the fields of its input",
    );
}

#[test]
fn what_policy_denies_is_not_offered() {
    let mut stage = Stage::new(vec![decide("chat", json!("hi"))]);
    stage.policy.allow_workspace_writes = false;
    stage.policy.allow_subprocess = false;
    stage.run();
    let prompt = stage.last_prompt();
    let grammar = stage.constraints.lock().unwrap()[0].clone().unwrap().gbnf;
    for (word, is_offered) in [
        ("files", true),
        ("read", true),
        ("write", false),
        ("git", false),
        ("shell", false),
        ("summary", true),
    ] {
        assert_eq!(
            grammar.contains(&format!("\\\"{word}\\\"")),
            is_offered,
            "{word} in the grammar"
        );
    }
    assert!(
        prompt.contains("<tool> is one of: chat, code, files, summary, upper.\n"),
        "{prompt}"
    );
    assert!(!prompt.contains("Writes."), "{prompt}");
}

#[test]
fn what_policy_denies_is_refused_when_it_is_named_all_the_same() {
    let check = |tool: &str, content: Value, expected: &str| {
        let mut stage = Stage::new(vec![decide(tool, content)]);
        stage.policy.allow_workspace_writes = false;
        stage.policy.enabled.remove(&name("git"));
        let report = check(&stage, expected);
        assert_eq!(stage.calls(), [""; 0]);
        assert_eq!(report.record.steps[0].tool_ok, None);
        assert!(report.record.steps[0].verdict.is_some());
    };
    check(
        "files",
        json!({"action": "write", "path": "a", "text": "b"}),
        "files not ok not storable 1: denied: `files.write` needs `workspace: write`, and writing to the workspace is switched off: set `POLICY_ALLOW_WORKSPACE_WRITES=true`",
    );
    check(
        "git",
        json!({"args": []}),
        "git not ok not storable 1: denied: `git` is not enabled: add `git` to `ENABLED_TOOLS`",
    );
    check(
        "git",
        json!("log"),
        "git not ok not storable 1: denied: `git` is not enabled: add `git` to `ENABLED_TOOLS`",
    );
}

#[test]
fn a_model_can_always_answer() {
    let mut stage = Stage::new(vec![decide("chat", json!("hi"))]);
    stage.policy.enabled.clear();
    check(&stage, "chat ok storable 1: hi");
    assert!(
        stage
            .last_prompt()
            .contains("<tool> is one of: chat, code.\n")
    );
}

#[test]
fn the_form_is_sent_unless_it_is_switched_off() {
    let mut stage = Stage::new(vec![decide("chat", json!("hi"))]);
    stage.settings.constrain = false;
    stage.run();
    assert_eq!(*stage.constraints.lock().unwrap(), [None]);
}
