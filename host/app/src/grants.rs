//! What each tool is granted, and the table of its own settings, from the operator's settings.
//!
//! Not here: whether a call may be made; policy stands before every grant.

use std::collections::BTreeSet;

use forge_contract::grant::Grant;
use forge_contract::method::Method;
use forge_contract::name::Name;
use forge_contract::origin::OriginPattern;
use forge_contract::requirements::Requirements;
use forge_runtime::Remedies;
use serde_json::{Value, json};

use crate::config::Web;

pub(crate) mod narrow;

const WEB_FETCH: &str = "web_fetch";
const WEB_SEARCH: &str = "web_search";

/// What to do about a refused request, in settings of Forge.
pub(crate) fn remedies() -> Remedies {
    Remedies {
        origin: "add its domain to `WEB_FETCH_ALLOWED_DOMAINS`, if it is `web_fetch` that asks".to_owned(),
        private: "if it is a server of yours that tools may reach, add `{origin}` to `FORGE_PRIVATE_ORIGINS`"
            .to_owned(),
    }
}

/// The grant of a tool that declares `declared` over all of its operations.
pub(crate) fn grant(capability: &Name, declared: &Requirements, web: &Web) -> Grant {
    let all = Grant {
        private: web.private_origins.clone(),
        ..Grant::of(declared)
    };
    match capability.as_str() {
        WEB_FETCH => Grant {
            methods: reading(),
            ..narrowed(all, fetchable(web))
        },
        WEB_SEARCH => {
            let server: BTreeSet<OriginPattern> = origin(&web.search.url).into_iter().collect();
            Grant {
                methods: reading(),
                private: server.clone(),
                ..narrowed(all, Some(server))
            }
        }
        _ => all,
    }
}

/// The table of a tool's own settings, where it has one.
pub(crate) fn settings(capability: &Name, web: &Web) -> Option<Value> {
    match capability.as_str() {
        WEB_FETCH => Some(json!({
            "timeout_seconds": web.fetch.timeout_seconds,
            "max_bytes": web.fetch.max_bytes,
        })),
        WEB_SEARCH => Some(json!({
            "url": web.search.url,
            "timeout_seconds": web.search.timeout_seconds,
            "max_results": web.search.max_results,
        })),
        _ => None,
    }
}

/// `grant`, as far as the operator's own words let it: what they leave out is not granted.
pub(crate) fn narrowed_by(grant: Grant, own: &Grant) -> Grant {
    let methods = match (grant.methods.is_empty(), own.methods.is_empty()) {
        (true, _) => own.methods.clone(),
        (false, true) => grant.methods,
        (false, false) => &grant.methods & &own.methods,
    };
    // An operator may open private addresses to one tool alone.
    let private = &grant.private | &own.private;
    Grant {
        methods,
        private,
        ..own.limited_to(&grant.allowed)
    }
}

fn reading() -> BTreeSet<Method> {
    Method::parse("GET").into_iter().collect()
}

/// `grant` with no other origins than these, where there are such.
fn narrowed(grant: Grant, origins: Option<BTreeSet<OriginPattern>>) -> Grant {
    let Some(origins) = origins else {
        return grant;
    };
    let allowed = Requirements {
        network: origins,
        ..grant.allowed.clone()
    };
    let both = Grant {
        allowed,
        ..grant.clone()
    }
    .limited_to(&grant.allowed);
    Grant {
        allowed: both.allowed,
        ..grant
    }
}

/// The origins of the only domains that may be fetched, and of what is below them; `None` for all.
fn fetchable(web: &Web) -> Option<BTreeSet<OriginPattern>> {
    let domains = &web.fetch.allowed_domains;
    if domains.is_empty() {
        return None;
    }
    let hosts = domains
        .iter()
        .flat_map(|domain| [domain.clone(), format!("**.{domain}")]);
    let origins = hosts.flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    Some(
        origins
            .filter_map(|origin| OriginPattern::parse(&origin).ok())
            .collect(),
    )
}

/// The origin of a base address.
fn origin(url: &str) -> Option<OriginPattern> {
    let url = url::Url::parse(url).ok()?;
    OriginPattern::parse(&url.origin().ascii_serialization()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{WebFetch, WebSearch};
    use forge_runtime::Proxy;

    fn web(domains: &[&str], private: &[&str]) -> Web {
        Web {
            private_origins: patterns(private),
            proxy: Proxy::None,
            fetch: WebFetch {
                timeout_seconds: 15,
                max_bytes: 1000,
                allowed_domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
            },
            search: WebSearch {
                url: "http://127.0.0.1:8888/searx".to_owned(),
                timeout_seconds: 10,
                max_results: 5,
            },
        }
    }

    fn patterns(texts: &[&str]) -> BTreeSet<OriginPattern> {
        let patterns = texts.iter().map(|text| OriginPattern::parse(text).unwrap());
        patterns.collect()
    }

    #[test]
    fn an_operators_own_grant_only_narrows() {
        let check = |grant: &str, own: &str, expected: &str| {
            let parse = |text: &str| -> Grant { serde_json::from_str(text).unwrap() };
            let narrowed = narrowed_by(parse(grant), &parse(own));
            assert_eq!(
                serde_json::to_string(&narrowed).unwrap(),
                expected,
                "{grant} by {own}"
            );
        };
        check(r#"{"workspace":"write"}"#, "{}", "{}");
        check(
            r#"{"workspace":"write"}"#,
            r#"{"workspace":"read"}"#,
            r#"{"workspace":"read"}"#,
        );
        check(
            r#"{"workspace":"read"}"#,
            r#"{"workspace":"write","llm":true,"paths":["docs/**"]}"#,
            r#"{"workspace":"read","paths":["docs/**"]}"#,
        );
        check(
            r#"{"network":["http://*:*"],"methods":["GET"]}"#,
            r#"{"network":["http://nas.lan"],"private":["http://nas.lan"],"methods":["GET","POST"]}"#,
            r#"{"network":["http://nas.lan"],"private":["http://nas.lan"],"methods":["GET"]}"#,
        );
    }

    #[test]
    fn a_tool_is_granted_no_more_than_the_settings_let() {
        let any = ["http://*:*", "https://*:*"];
        let check = |name: &str, web: &Web, network: &[&str], private: &[&str], methods: usize| {
            let declared = Requirements {
                network: patterns(&any),
                ..Requirements::default()
            };
            let grant = grant(&Name::parse(name).unwrap(), &declared, web);
            assert_eq!(grant.allowed.network, patterns(network), "{name}");
            assert_eq!(grant.private, patterns(private), "{name}");
            assert_eq!(grant.methods.len(), methods, "{name}");
        };
        let nas = ["http://nas.lan"];
        check("web_fetch", &web(&[], &nas), &any, &nas, 1);
        check(
            "web_fetch",
            &web(&["x.com"], &[]),
            &[
                "http://x.com:*",
                "https://x.com:*",
                "http://**.x.com:*",
                "https://**.x.com:*",
            ],
            &[],
            1,
        );
        let server = ["http://127.0.0.1:8888"];
        check("web_search", &web(&["x.com"], &nas), &server, &server, 1);
        check("other", &web(&["x.com"], &nas), &any, &nas, 0);
    }
}
