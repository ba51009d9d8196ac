//! One operation against one policy.

use serde_json::{Value, json};

use super::*;

fn allow_everything() -> Policy {
    Policy {
        enabled: ["files", "x"].map(|name| Name::parse(name).unwrap()).into(),
        allow_network: true,
        allow_workspace_writes: true,
        allow_subprocess: true,
        allow_llm: true,
        mode: Mode::Full,
        powers: Power::ALL.into(),
    }
}

/// The verdict on `x.run`, which requires `requires` (`null`: it does not say), as a text.
fn verdict(requires: &Value, change: impl Fn(&mut Policy)) -> String {
    let mut document = json!({"name": "run", "summary": "s", "input": {"type": "object"}});
    document["requires"] = requires.clone();
    let operation: Operation = serde_json::from_value(document).unwrap();
    let mut policy = allow_everything();
    change(&mut policy);
    match policy.verdict(&Name::parse("x").unwrap(), &operation) {
        Verdict::Allow => "allow".to_owned(),
        Verdict::Deny(denial) => denial.to_string(),
    }
}

#[test]
fn verdicts() {
    let check = |requires: Value, change: fn(&mut Policy), expected: &str| {
        assert_eq!(verdict(&requires, change), expected, "{requires}");
    };
    let network = json!({"network": ["https://a.com"]});
    let write = json!({"workspace": "write"});
    check(json!({}), |_| {}, "allow");
    check(Value::Null, |_| {}, "allow");
    check(
        json!({}),
        |p| p.enabled.clear(),
        "`x` is not enabled: add `x` to `ENABLED_TOOLS`",
    );
    check(
        network.clone(),
        |p| p.allow_network = false,
        "`x.run` needs `network: https://a.com`, and network is switched off: set `POLICY_ALLOW_NETWORK=true`",
    );
    check(
        write.clone(),
        |p| p.allow_workspace_writes = false,
        "`x.run` needs `workspace: write`, and writing to the workspace is switched off: set `POLICY_ALLOW_WORKSPACE_WRITES=true`",
    );
    check(
        json!({"workspace": "read"}),
        |p| p.allow_workspace_writes = false,
        "allow",
    );
    check(
        json!({"programs": ["git"]}),
        |p| p.allow_subprocess = false,
        "`x.run` needs `programs: git`, and running programs is switched off: set `POLICY_ALLOW_SUBPROCESS=true`",
    );
    check(
        json!({"llm": true}),
        |p| p.allow_llm = false,
        "`x.run` needs `llm`, and asking the model is switched off: set `POLICY_ALLOW_LLM=true`",
    );
    check(
        write,
        |p| p.mode = Mode::ReadOnly,
        "`x.run` needs `workspace: write`, and this run only reads: run it without the mode `read-only`",
    );
    check(
        json!({"memory": "write"}),
        |p| p.mode = Mode::ReadOnly,
        "`x.run` needs `memory: write`, and this run only reads: run it without the mode `read-only`",
    );
    check(
        json!({"memory": "read", "workspace": "read", "programs": ["git"]}),
        |p| p.mode = Mode::ReadOnly,
        "allow",
    );
    check(
        json!({"memory": "read"}),
        |p| p.powers = [Power::Files].into(),
        "`x.run` needs `memory: read`, and `memory` is not available here: use a Forge that offers `memory`, or disable the tool",
    );
    check(network, |p| p.powers = [Power::WasiHttp].into(), "allow");
}

#[test]
fn who_does_not_say_what_it_requires_needs_everything() {
    let off: [fn(&mut Policy); 6] = [
        |p| p.allow_network = false,
        |p| p.allow_workspace_writes = false,
        |p| p.allow_subprocess = false,
        |p| p.allow_llm = false,
        |p| p.mode = Mode::ReadOnly,
        |p| p.powers = [Power::Files].into(),
    ];
    for change in off {
        let verdict = verdict(&Value::Null, change);
        assert!(
            verdict.starts_with("`x.run` needs everything, because it does not declare"),
            "{verdict}"
        );
    }
}
