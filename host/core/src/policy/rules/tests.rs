//! Rules: what is refused when they are read, and what they match.

use serde_json::json;

use super::*;

fn rule(text: Value) -> Result<Rule, String> {
    let text: RuleText = serde_json::from_value(text).map_err(|error| error.to_string())?;
    Rule::new(text).map_err(|error| error.to_string())
}

#[test]
fn a_rule_that_cannot_hold_is_refused() {
    let check = |text: Value, expected: &str| {
        let told = rule(text.clone()).unwrap_err();
        assert!(told.contains(expected), "{text}: {told}");
    };
    let deny = |more: Value| {
        let mut text = json!({"name": "r", "effect": "deny", "capability": "files"});
        text.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        text
    };
    check(deny(json!({"argument": {}})), "unknown field `argument`");
    check(deny(json!({"effect": "maybe"})), "unknown variant `maybe`");
    check(deny(json!({"name": "R x"})), "its name must be lower-case");
    check(deny(json!({"capability": ""})), "a pattern is empty");
    check(
        deny(json!({"arguments": {"path": "[a"}})),
        "`[a` is no pattern",
    );
    check(
        deny(json!({"discharges": ["mode"]})),
        "only an `allow` has `discharges`",
    );
    check(deny(json!({"discharges": ["moon"]})), "`moon` is no gate");
    check(
        deny(json!({"effect": "allow"})),
        "says in `discharges` whose question",
    );
    check(
        deny(json!({"effect": "allow", "discharges": ["label"]})),
        "can't be answered in advance",
    );
    check(
        deny(json!({"match": [{"call": "git.push"}]})),
        "the rule `r` can't be used: it does not match its example `git.push null`",
    );
    check(
        deny(
            json!({"arguments": {"path": "*.md"}, "not_match": [{"call": "files.write", "input": {"path": "a.md"}}]}),
        ),
        "it matches its example `files.write {\"path\":\"a.md\"}`",
    );
}

#[test]
fn rules_match_calls() {
    let check = |more: Value, call: &str, input: Value, expected: bool| {
        let mut text = json!({"name": "r", "effect": "ask", "capability": "*"});
        text.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let rule = rule(text).unwrap();
        let (capability, operation) = call.split_once('.').unwrap();
        assert_eq!(
            rule.is_about(capability, operation, Some(&input)),
            expected,
            "{more} {call} {input}"
        );
    };
    check(json!({}), "git.push", json!({}), true);
    check(
        json!({"operation": "read"}),
        "files.write",
        json!({}),
        false,
    );
    check(
        json!({"operation": "{write,edit}"}),
        "files.edit",
        json!({}),
        true,
    );
    let secret = json!({"arguments": {"path": "secret/**"}});
    check(
        secret.clone(),
        "files.write",
        json!({"path": "secret/a"}),
        true,
    );
    check(
        secret.clone(),
        "files.write",
        json!({"path": "docs/../secret/a"}),
        true,
    );
    check(
        secret.clone(),
        "files.write",
        json!({"path": "docs/a"}),
        false,
    );
    check(secret, "files.write", json!({}), false);
    check(
        json!({"arguments": {"a.b": "3"}}),
        "x.run",
        json!({"a": {"b": 3}}),
        true,
    );
    check(
        json!({"equals": {"path": "a"}}),
        "x.run",
        json!({"path": "a", "more": 1}),
        true,
    );
    check(
        json!({"equals": {"path": "a"}}),
        "x.run",
        json!({"path": "./a"}),
        false,
    );
}

#[test]
fn rules_must_fit_together() {
    let all = |texts: &[Value]| {
        let rules: Vec<Rule> = texts
            .iter()
            .map(|text| rule(text.clone()).unwrap())
            .collect();
        check_together(&rules).map_err(|error| error.to_string())
    };
    let ask = json!({"name": "a", "effect": "ask", "capability": "*"});
    let allow =
        json!({"name": "b", "effect": "allow", "capability": "*", "discharges": ["rule:a"]});
    assert_eq!(all(&[ask.clone(), allow.clone()]), Ok(()));
    assert!(all(&[allow]).unwrap_err().contains("no rule `a` asks"));
    assert!(
        all(&[ask.clone(), ask])
            .unwrap_err()
            .contains("two rules of this name")
    );
}
