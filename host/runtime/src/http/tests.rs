//! Where requests may go, case by case. Nothing is connected to.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use forge_contract::origin::OriginPattern;
use forge_contract::requirements::Requirements;
use serde::Deserialize;

use super::connect::Guarded;
use super::*;

const CASES: &str = include_str!("../../../../tests/cases/ssrf.jsonl");

#[derive(Deserialize)]
struct Case {
    id: String,
    url: String,
    #[serde(default)]
    dns: BTreeMap<String, Option<Vec<String>>>,
    #[serde(default)]
    allowed_domains: Vec<String>,
    expect: Expected,
    better: Option<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    allow: bool,
    reason: Option<String>,
}

/// Answers from a table, as often as it is asked.
struct Table(BTreeMap<String, Option<Vec<String>>>);

impl Resolve for Table {
    fn lookup<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        let found = self.0.get(host).cloned().flatten();
        Box::pin(async move {
            let addresses = found.ok_or_else(|| io::Error::other("no such name"))?;
            Ok(addresses
                .iter()
                .map(|address| address.parse().unwrap())
                .collect())
        })
    }
}

fn tool() -> Name {
    Name::parse("tool").unwrap()
}

/// What is decided in another way than a case says, on purpose: the reason that is given here, `None` for none.
fn deviation(id: &str) -> Option<&'static str> {
    match id {
        // Readers of URLs disagree about these, so they are refused before anything is read out of them.
        "ssrf-076" | "ssrf-079" => Some("url"),
        // There is no such port.
        "ssrf-078" => Some("url"),
        _ => None,
    }
}

#[tokio::test]
async fn requests_go_where_their_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        count += 1;
        let expected = case.better.as_ref().unwrap_or(&case.expect);
        let decided = decide(&case).await;
        let reason = decided.as_ref().err().map(reason);
        let is_as_expected = match deviation(&case.id) {
            Some(own) => reason == Some(own),
            // A case that only says no leaves the reason open.
            None if !expected.allow => {
                reason.is_some()
                    && expected
                        .reason
                        .as_deref()
                        .is_none_or(|it| reason == Some(it))
            }
            None => reason.is_none(),
        };
        if !is_as_expected {
            wrong.push(format!("{} `{}`: {decided:?}", case.id, case.url));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(count, 73, "each case is run");
}

async fn decide(case: &Case) -> Result<Vec<IpAddr>, Refusal> {
    let hosts: Vec<String> = match case.allowed_domains.as_slice() {
        [] => vec!["*".to_owned()],
        domains => domains
            .iter()
            .flat_map(|domain| [domain.clone(), format!("**.{domain}")])
            .collect(),
    };
    let origins = hosts
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    let network = origins
        .map(|origin| OriginPattern::parse(&origin).unwrap())
        .collect();
    let grant = Grant::of(&Requirements {
        network,
        ..Requirements::default()
    });
    let settings = NetworkSettings {
        resolver: Arc::new(Table(case.dns.clone())),
        ..NetworkSettings::default()
    };
    let rules = Arc::new(Rules::new("component", &tool(), &grant));
    let access = Access {
        network: Arc::new(Network::new(settings.clone())),
        rules: rules.clone(),
        response_bytes: 1,
    };
    let target = Target::parse(&case.url)?;
    access.check(&target, "GET")?;
    Guarded::new(&settings, &rules).permitted(&target.uri).await
}

fn reason(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Url { problem, .. } if problem == "it is empty" => "empty",
        Refusal::Url { .. } => "url",
        Refusal::Scheme { .. } => "scheme",
        Refusal::NoHost { .. } => "no_host",
        Refusal::User { .. } => "user",
        Refusal::Origin { .. } => "domain_list",
        Refusal::Address { .. } => "address",
        Refusal::Unresolved { .. } => "unresolved",
        _ => "another",
    }
}

#[tokio::test]
async fn connections_are_kept_for_each_grant_alone() {
    let network = Network::new(NetworkSettings {
        roots: Roots::These(Vec::new()),
        ..NetworkSettings::default()
    });
    let rules = |component: &str, origin: &str| {
        let requirements = Requirements {
            network: [OriginPattern::parse(origin).unwrap()].into(),
            ..Requirements::default()
        };
        Arc::new(Rules::new(component, &tool(), &Grant::of(&requirements)))
    };
    let kept = || network.clients.lock().unwrap().len();
    for _ in 0..2 {
        network.client(&rules("a", "http://x.com")).await.unwrap();
        network.client(&rules("a", "http://y.com")).await.unwrap();
        network.client(&rules("b", "http://x.com")).await.unwrap();
        assert_eq!(kept(), 3);
    }
    for number in 0..2 * KEPT_CLIENTS {
        network
            .client(&rules("a", &format!("http://x{number}.com")))
            .await
            .unwrap();
        // What is used stays.
        network.client(&rules("a", "http://x.com")).await.unwrap();
    }
    assert_eq!(kept(), KEPT_CLIENTS);
    assert!(network.kept(&rules("a", "http://x.com")).is_some());
    assert!(network.kept(&rules("a", "http://y.com")).is_none());
}
