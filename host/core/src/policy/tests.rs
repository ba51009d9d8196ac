//! One operation against one policy.

use serde_json::{Value, json};

use super::*;

fn allow_everything() -> Policy {
    Policy {
        enabled: ["files", "x"].map(|name| Name::parse(name).unwrap()).into(),
        denied: BTreeSet::new(),
        allow_network: true,
        allow_workspace_writes: true,
        allow_subprocess: true,
        allow_llm: true,
        mode: Mode::Full,
        rules: Vec::new(),
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
    match policy.of_operation(&Name::parse("x").unwrap(), &operation) {
        Verdict::Allow => "allow".to_owned(),
        Verdict::Ask(asks) => format!("ask: {asks:?}"),
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

/// The verdict on `files.write` with `input` in a run with `labels`: `allow`, the gates that ask, or the refusal.
fn of_call(change: impl Fn(&mut Policy), labels: &[Label], input: &Value) -> String {
    let document = json!({
        "name": "write", "summary": "s", "input": {"type": "object"}, "requires": {"workspace": "write"},
        "hints": {"destructive": true},
    });
    of_operation(change, labels, document, input)
}

fn of_operation(
    change: impl Fn(&mut Policy),
    labels: &[Label],
    document: Value,
    input: &Value,
) -> String {
    let operation: Operation = serde_json::from_value(document).unwrap();
    let mut policy = allow_everything();
    change(&mut policy);
    let verdict = policy.verdict(&Question {
        capability: &Name::parse("files").unwrap(),
        operation: &operation,
        input: Some(input),
        labels: &labels.iter().copied().collect(),
        unnamed: None,
    });
    match verdict {
        Verdict::Allow => "allow".to_owned(),
        Verdict::Deny(denial) => denial.to_string(),
        Verdict::Ask(asks) => {
            let gates: Vec<String> = asks.iter().map(|ask| ask.gate.to_string()).collect();
            format!("ask {}", gates.join(" "))
        }
    }
}

fn rule(text: Value) -> Rule {
    Rule::new(serde_json::from_value(text).unwrap()).unwrap()
}

#[test]
fn modes_ask_about_what_acts_or_could_do_harm() {
    let check = |mode: Mode, requires: Value, destructive: bool, expected: &str| {
        let document = json!({
            "name": "run", "summary": "s", "input": {"type": "object"}, "requires": requires,
            "hints": {"destructive": destructive},
        });
        let told = of_operation(|policy| policy.mode = mode, &[], document, &json!({}));
        assert_eq!(told, expected, "{mode:?} {requires} {destructive}");
    };
    let (read, write) = (json!({"workspace": "read"}), json!({"workspace": "write"}));
    check(Mode::Full, write.clone(), true, "allow");
    check(Mode::Full, json!({"programs": ["git"]}), true, "allow");
    check(Mode::Auto, write.clone(), true, "ask risk");
    check(Mode::Auto, write.clone(), false, "allow");
    check(Mode::Auto, json!({"programs": ["git"]}), false, "ask risk");
    check(
        Mode::Auto,
        json!({"network": ["https://a.com"]}),
        false,
        "allow",
    );
    check(
        Mode::Auto,
        json!({"network": ["https://a.com"]}),
        true,
        "ask risk",
    );
    check(Mode::Auto, read.clone(), true, "allow");
    check(Mode::Ask, read, false, "allow");
    check(Mode::Ask, json!({}), false, "allow");
    for acts in [
        write,
        json!({"llm": true}),
        json!({"observes": ["cpu"]}),
        json!({"network": ["https://a.com"]}),
    ] {
        check(Mode::Ask, acts, false, "ask mode");
    }
    let silent = json!({"name": "run", "summary": "s", "input": {"type": "object"}});
    for (mode, expected) in [
        (Mode::Ask, "ask mode"),
        (Mode::Auto, "ask risk"),
        (Mode::Full, "allow"),
    ] {
        let told = of_operation(|policy| policy.mode = mode, &[], silent.clone(), &json!({}));
        assert_eq!(told, expected);
    }
}

#[test]
fn labels_ask_whatever_the_mode() {
    use Label::{External, Private};
    let check = |labels: &[Label], requires: Value, expected: &str| {
        let document = json!({"name": "run", "summary": "s", "input": {"type": "object"}, "requires": requires});
        for mode in [Mode::Full, Mode::Auto] {
            let told = of_operation(
                |policy| policy.mode = mode,
                labels,
                document.clone(),
                &json!({}),
            );
            let told = told.replace(" risk", "");
            assert_eq!(told, expected, "{labels:?} {requires}");
        }
    };
    check(&[External], json!({"workspace": "write"}), "ask label");
    check(&[External], json!({"memory": "write"}), "ask label");
    check(&[External], json!({"programs": ["git"]}), "ask label");
    check(&[External], json!({"workspace": "read"}), "allow");
    check(&[External], json!({"network": ["https://a.com"]}), "allow");
    check(
        &[External, Private],
        json!({"network": ["https://a.com"]}),
        "ask label",
    );
    check(&[Private], json!({"network": ["https://a.com"]}), "allow");
    check(&[Private], json!({"workspace": "write"}), "allow");
}

#[test]
fn stages_come_in_their_order() {
    let input = json!({"path": "docs/a.md"});
    let ask =
        json!({"name": "careful", "effect": "ask", "capability": "files", "reason": "it is dear"});
    let deny = json!({"name": "never", "effect": "deny", "capability": "*", "arguments": {"path": "secret/**"}});
    let docs = json!({
        "name": "docs", "effect": "allow", "capability": "files", "arguments": {"path": "docs/**"},
        "discharges": ["risk", "rule:careful"],
    });
    let check = |rules: &[&Value], mode: Mode, labels: &[Label], input: &Value, expected: &str| {
        let set = |policy: &mut Policy| {
            policy.mode = mode;
            policy.rules = rules.iter().map(|text| rule((*text).clone())).collect();
        };
        assert_eq!(of_call(set, labels, input), expected, "{rules:?}");
    };
    let external = [Label::External];
    check(&[], Mode::Full, &[], &input, "allow");
    check(&[&ask], Mode::Full, &[], &input, "ask rule:careful");
    check(
        &[&ask],
        Mode::Auto,
        &external,
        &input,
        "ask rule:careful label risk",
    );
    // An allow answers what it names and nothing else.
    check(&[&ask, &docs], Mode::Auto, &[], &input, "allow");
    check(&[&ask, &docs], Mode::Auto, &external, &input, "ask label");
    check(&[&ask, &docs], Mode::Ask, &[], &input, "ask mode");
    let elsewhere = json!({"path": "docs/../src/a"});
    check(
        &[&ask, &docs],
        Mode::Auto,
        &[],
        &elsewhere,
        "ask rule:careful risk",
    );
    // Nothing answers a deny.
    let secret = json!({"path": "./secret/a"});
    let all = json!({"name": "all", "effect": "allow", "capability": "**", "discharges": ["mode", "risk"]});
    check(
        &[&all, &deny],
        Mode::Full,
        &[],
        &secret,
        "`files.write` is denied by the rule `never`: change the rule if you want it",
    );
    check(
        &[&all],
        Mode::ReadOnly,
        &[],
        &input,
        "`files.write` needs `workspace: write`, and this run only reads: run it without the mode `read-only`",
    );
    // Without an input, rules about arguments say nothing.
    let mut policy = allow_everything();
    policy.rules = vec![rule(deny)];
    let operation = json!({"name": "write", "summary": "s", "input": {"type": "object"}, "requires": {"workspace": "write"}});
    let operation: Operation = serde_json::from_value(operation).unwrap();
    let files = Name::parse("files").unwrap();
    assert_eq!(policy.of_operation(&files, &operation), Verdict::Allow);
}
