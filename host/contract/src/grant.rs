//! What the operator lets a plugin have: the words of [`Requirements`], and never more of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::method::Method;
use crate::origin::OriginPattern;
use crate::path::PathPattern;
use crate::requirements::Requirements;

/// What one call may use. The default lets it use nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grant {
    /// What is let, field by field.
    #[serde(flatten)]
    pub allowed: Requirements,
    /// Where in the workspace files may be opened and changed; empty: everywhere. A path is resolved
    /// before it is compared, so that a link can't lead elsewhere. Names and sizes stay visible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathPattern>,
    /// Origins that may have private addresses: on this machine, in the local network, in no network at all.
    /// Others must be out in the public internet. They still have to be among `network`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub private: BTreeSet<OriginPattern>,
    /// The methods of requests; empty: every one.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub methods: BTreeSet<Method>,
}

impl Grant {
    /// Everything that `requirements` ask for.
    #[must_use]
    pub fn of(requirements: &Requirements) -> Self {
        Self {
            allowed: requirements.clone(),
            ..Self::default()
        }
    }

    /// What both this grant lets and `requirements` declare: the grant of one operation's call.
    #[must_use]
    pub fn limited_to(&self, requirements: &Requirements) -> Self {
        let (mine, theirs) = (&self.allowed, requirements);
        let network = origins_in_both(&mine.network, &theirs.network);
        let secrets = mine
            .secrets
            .intersection(&theirs.secrets)
            .filter(|secret| network.iter().any(|origin| origin.covers(&secret.origin)))
            .cloned()
            .collect();
        let allowed = Requirements {
            network,
            secrets,
            llm: mine.llm && theirs.llm,
            // `None` sorts first and `Read` before `Write`: the smaller one is what both have.
            workspace: mine.workspace.min(theirs.workspace),
            memory: mine.memory.min(theirs.memory),
            programs: &mine.programs & &theirs.programs,
            calls: &mine.calls & &theirs.calls,
            observes: &mine.observes & &theirs.observes,
        };
        Self {
            allowed,
            paths: self.paths.clone(),
            private: self.private.clone(),
            methods: self.methods.clone(),
        }
    }

    /// Whether a file at `path` (relative to the workspace, links resolved) may be used at all.
    #[must_use]
    pub fn covers_path(&self, path: &str) -> bool {
        self.allowed.workspace.is_some()
            && (self.paths.is_empty() || self.paths.iter().any(|p| p.matches(path)))
    }
}

fn origins_in_both(
    mine: &BTreeSet<OriginPattern>,
    theirs: &BTreeSet<OriginPattern>,
) -> BTreeSet<OriginPattern> {
    let pairs = mine
        .iter()
        .flat_map(|one| theirs.iter().map(move |other| one.intersection(other)));
    pairs.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `granted` limited to `declared`, both in the words of a manifest.
    fn check(granted: &str, declared: &str, expected: &str) {
        let grant: Grant = serde_json::from_str(granted).unwrap();
        let requirements: Requirements = serde_json::from_str(declared).unwrap();
        let limited = grant.limited_to(&requirements);
        assert_eq!(
            serde_json::to_string(&limited).unwrap(),
            expected,
            "{granted} limited to {declared}"
        );
        let again = limited.limited_to(&requirements);
        assert_eq!(again, limited, "limiting twice changes nothing");
    }

    #[test]
    fn a_call_gets_what_is_both_granted_and_declared() {
        check("{}", r#"{"llm":true,"workspace":"write"}"#, "{}");
        check(r#"{"llm":true,"workspace":"write"}"#, "{}", "{}");
        check(
            r#"{"workspace":"read"}"#,
            r#"{"workspace":"write"}"#,
            r#"{"workspace":"read"}"#,
        );
        check(
            r#"{"workspace":"write"}"#,
            r#"{"workspace":"read"}"#,
            r#"{"workspace":"read"}"#,
        );
        check(
            r#"{"memory":"write"}"#,
            r#"{"memory":"write"}"#,
            r#"{"memory":"write"}"#,
        );
        check(
            r#"{"programs":["git","ls"]}"#,
            r#"{"programs":["git","cargo"]}"#,
            r#"{"programs":["git"]}"#,
        );
        check(
            r#"{"network":["https://*.x.com"]}"#,
            r#"{"network":["https://api.x.com","https://y.com"]}"#,
            r#"{"network":["https://api.x.com"]}"#,
        );
        check(
            r#"{"network":["https://api.x.com"]}"#,
            r#"{"network":["https://*"]}"#,
            r#"{"network":["https://api.x.com"]}"#,
        );
        check(
            r#"{"network":["https://*.x.com:*"]}"#,
            r#"{"network":["https://*:8443"]}"#,
            r#"{"network":["https://*.x.com:8443"]}"#,
        );
        check(
            r#"{"network":["http://*"],"private":["http://10.0.0.1"],"methods":["GET"]}"#,
            r#"{"network":["http://*:*"]}"#,
            r#"{"network":["http://*"],"private":["http://10.0.0.1"],"methods":["GET"]}"#,
        );
        check(
            r#"{"workspace":"read","paths":["docs/**"]}"#,
            r#"{"workspace":"read"}"#,
            r#"{"workspace":"read","paths":["docs/**"]}"#,
        );
    }

    #[test]
    fn a_secret_goes_only_where_the_network_goes() {
        let secret = r#""secrets":[{"name":"k","origin":"https://a.com","header":"X-Key"}]"#;
        check(
            &format!(r#"{{"network":["https://b.com"],{secret}}}"#),
            &format!(r#"{{"network":["https://a.com","https://b.com"],{secret}}}"#),
            r#"{"network":["https://b.com"]}"#,
        );
    }

    #[test]
    fn paths_narrow_the_workspace() {
        let grant: Grant =
            serde_json::from_str(r#"{"workspace":"read","paths":["docs/**"]}"#).unwrap();
        assert!(grant.covers_path("docs/a.md"));
        assert!(!grant.covers_path("src/a.md"));
        assert!(!Grant::default().covers_path("docs/a.md"));
    }
}
