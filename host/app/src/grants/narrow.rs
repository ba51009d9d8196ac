//! A grant made narrower by the operator's words. Nothing here makes one wider.

use std::collections::BTreeSet;

use forge_contract::grant::Grant;
use forge_contract::method::Method;
use forge_contract::origin::OriginPattern;
use forge_contract::path::PathPattern;
use forge_contract::requirements::{Access, Requirements};

/// What is to be left of a grant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Narrowing {
    /// The workspace is only read.
    pub(crate) only_read: bool,
    /// Only these files of the workspace, where any are named.
    pub(crate) paths: Vec<PathPattern>,
    /// Only these origins, where any are named.
    pub(crate) origins: BTreeSet<OriginPattern>,
    /// Only requests by these methods, where any are named.
    pub(crate) methods: BTreeSet<Method>,
    /// Nothing of these.
    pub(crate) without: Vec<Field>,
}

/// A field of a grant that can be taken away whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Field {
    Network,
    Llm,
    Workspace,
    Programs,
    Memory,
    Calls,
    Observes,
    Secrets,
}

/// Why a grant can't be narrowed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotNarrower {
    #[error("it is granted nothing at `{0}`: name an origin that lies within what it is granted")]
    Origin(String),
    #[error(
        "`{0}` might be wider than the paths that it is granted: take `forge grant reset` first, or name one of those"
    )]
    Path(String),
    #[error("it may not send `{0}`: name a method that it may")]
    Method(String),
    #[error("it is granted no workspace, so there is none to narrow")]
    NoWorkspace,
    #[error(
        "nothing would change: say what to take away, as in `--without network` or `--read-only-workspace`"
    )]
    Nothing,
}

/// What is left of `grant`.
///
/// # Errors
/// When the words ask for something beyond it, or for no change.
pub(crate) fn narrow(grant: &Grant, by: &Narrowing) -> Result<Grant, NotNarrower> {
    let mut left = grant.clone();
    if !by.origins.is_empty() {
        for wanted in &by.origins {
            if !grant
                .allowed
                .network
                .iter()
                .any(|origin| origin.covers(wanted))
            {
                return Err(NotNarrower::Origin(wanted.to_string()));
            }
        }
        left.allowed.network.clone_from(&by.origins);
    }
    if (by.only_read || !by.paths.is_empty()) && grant.allowed.workspace.is_none() {
        return Err(NotNarrower::NoWorkspace);
    }
    if by.only_read {
        left.allowed.workspace = Some(Access::Read);
    }
    if !by.paths.is_empty() {
        let is_within = |path: &&PathPattern| grant.paths.is_empty() || grant.paths.contains(path);
        if let Some(path) = by.paths.iter().find(|path| !is_within(path)) {
            return Err(NotNarrower::Path(path.to_string()));
        }
        left.paths.clone_from(&by.paths);
    }
    if !by.methods.is_empty() {
        let is_within =
            |method: &&Method| grant.methods.is_empty() || grant.methods.contains(method);
        if let Some(method) = by.methods.iter().find(|method| !is_within(method)) {
            return Err(NotNarrower::Method(method.to_string()));
        }
        left.methods.clone_from(&by.methods);
    }
    for field in &by.without {
        take_away(*field, &mut left);
    }
    // Secrets go only where the network still goes.
    let declared = left.allowed.clone();
    left = left.limited_to(&declared);
    if left == *grant {
        return Err(NotNarrower::Nothing);
    }
    Ok(left)
}

fn take_away(field: Field, grant: &mut Grant) {
    let nothing = Requirements::default();
    let allowed = &mut grant.allowed;
    match field {
        Field::Network => {
            allowed.network = nothing.network;
            grant.methods.clear();
        }
        Field::Llm => allowed.llm = nothing.llm,
        Field::Workspace => {
            allowed.workspace = nothing.workspace;
            grant.paths.clear();
        }
        Field::Programs => allowed.programs = nothing.programs,
        Field::Memory => allowed.memory = nothing.memory,
        Field::Calls => allowed.calls = nothing.calls,
        Field::Observes => allowed.observes = nothing.observes,
        Field::Secrets => allowed.secrets = nothing.secrets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(grant: &str, by: &Narrowing, expected: &str) {
        let grant: Grant = serde_json::from_str(grant).unwrap();
        let narrowed = narrow(&grant, by);
        let shown = match &narrowed {
            Ok(left) => serde_json::to_string(left).unwrap(),
            Err(problem) => problem.to_string(),
        };
        assert!(shown.starts_with(expected), "{shown}");
        if let Ok(left) = narrowed {
            // What is left is within what was there: cut to it, it stays as it is.
            let within = left.limited_to(&grant.allowed);
            assert_eq!(within, left);
        }
    }

    #[test]
    fn a_grant_only_gets_narrower() {
        let nothing = Narrowing::default();
        let origins = |texts: &[&str]| Narrowing {
            origins: texts
                .iter()
                .map(|text| OriginPattern::parse(text).unwrap())
                .collect(),
            ..Narrowing::default()
        };
        let paths = |texts: &[&str]| Narrowing {
            paths: texts
                .iter()
                .map(|text| PathPattern::parse(text).unwrap())
                .collect(),
            ..Narrowing::default()
        };
        let without = |field| Narrowing {
            without: vec![field],
            ..Narrowing::default()
        };
        let methods = Narrowing {
            methods: [Method::parse("POST").unwrap()].into(),
            ..Narrowing::default()
        };
        let only_read = Narrowing {
            only_read: true,
            ..Narrowing::default()
        };
        let files = r#"{"workspace":"write"}"#;
        check(files, &nothing, "nothing would change");
        check(files, &only_read, r#"{"workspace":"read"}"#);
        check(
            r#"{"workspace":"read"}"#,
            &only_read,
            "nothing would change",
        );
        check("{}", &only_read, "it is granted no workspace");
        check(
            files,
            &paths(&["docs/**"]),
            r#"{"workspace":"write","paths":["docs/**"]}"#,
        );
        let docs = r#"{"workspace":"write","paths":["docs/**","a"]}"#;
        check(docs, &paths(&["src/**"]), "`src/**` might be wider");
        check(
            docs,
            &paths(&["a"]),
            r#"{"workspace":"write","paths":["a"]}"#,
        );
        check(docs, &without(Field::Workspace), "{}");
        let web = r#"{"network":["https://*.x.com"],"methods":["GET"]}"#;
        check(
            web,
            &origins(&["https://a.x.com"]),
            r#"{"network":["https://a.x.com"],"methods":["GET"]}"#,
        );
        check(
            web,
            &origins(&["https://y.com"]),
            "it is granted nothing at `https://y.com`",
        );
        check(
            web,
            &origins(&["https://**.x.com"]),
            "it is granted nothing at",
        );
        check(web, &methods, "it may not send `POST`");
        check(web, &without(Field::Network), "{}");
        check(web, &without(Field::Llm), "nothing would change");
        let secret = r#"{"network":["https://*.x.com"],"secrets":[{"name":"k","origin":"https://b.x.com","header":"K"}]}"#;
        check(
            secret,
            &origins(&["https://a.x.com"]),
            r#"{"network":["https://a.x.com"]}"#,
        );
        check(
            secret,
            &without(Field::Secrets),
            r#"{"network":["https://*.x.com"]}"#,
        );
    }
}
