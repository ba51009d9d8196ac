//! Texts that strangers write: a manifest comes with each tool, and rules are passed on. Whatever they hold, reading
//! them ends, and what was taken holds what it promises.
#![no_main]

use forge_contract::manifest::Manifest;
use forge_core::policy::{Rule, RuleText, check_together};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(default)]
    rule: Vec<RuleText>,
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    manifest(text);
    rules(text);
});

/// What a manifest is written as is read as the same manifest.
fn manifest(text: &str) {
    let Ok(manifest) = Manifest::parse(text) else {
        return;
    };
    let written = serde_json::to_string(&manifest).expect("a manifest can be written");
    let again = Manifest::parse(&written).expect("what was written can be read");
    assert_eq!(again, manifest, "{written}");
}

/// A rule that was taken is about its `match` examples and about none of the others.
fn rules(text: &str) {
    let Ok(Rules { rule: texts }) = toml::from_str(text) else {
        return;
    };
    let rules: Vec<Rule> = texts.into_iter().filter_map(|text| Rule::new(text).ok()).collect();
    // Either answer will do.
    let _ = check_together(&rules);
    for rule in &rules {
        let is_about = |call: &str, input: &Value| {
            let (capability, operation) = call.split_once('.').unwrap_or((call, "run"));
            rule.is_about(capability, operation, Some(input))
        };
        let text = rule.text();
        for example in &text.matches {
            assert!(is_about(&example.call, &example.input), "{text:?}");
        }
        for example in &text.not_match {
            assert!(!is_about(&example.call, &example.input), "{text:?}");
        }
    }
}
