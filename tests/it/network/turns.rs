//! The tools of the web in whole turns, as a model calls them.

use std::sync::Arc;

use forge_app::config::Web;
use forge_app::providers::scripted::{Line, Scripted};
use forge_contract::label::Label;
use forge_contract::origin::OriginPattern;
use forge_core::turn::TurnReport;
use forge_tests::forge::{SHIPPED, Setup};
use forge_tests::rig::Rig;
use serde_json::{Value, json};

/// A turn in which the model calls `tool` with `content`.
async fn turn(web: Web, tool: &str, content: Value) -> TurnReport {
    let decision = json!({"tool": tool, "content": content}).to_string();
    let model = Arc::new(Scripted::new([Line::answer(decision)]));
    let setup = Setup {
        components: SHIPPED.to_vec(),
        enabled: vec!["chat", "web_fetch", "web_search"],
        web,
        ..Setup::default()
    };
    let forge = setup.start(model).await;
    forge.chat("please", &[]).await.0
}

fn private(origin: &str) -> Web {
    Web {
        private_origins: [OriginPattern::parse(origin).unwrap()].into(),
        ..Web::default()
    }
}

#[tokio::test]
async fn a_page_is_read_where_the_operator_lets_it() {
    let rig = Rig::start("127.0.0.1").await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let page = json!({"url": format!("{origin}/page")});
    let report = turn(private(&origin), "web_fetch", page.clone()).await;
    assert_eq!(report.output, "# Tide table\n\nHigh water at **06:12**.");
    let call = report.record.steps[0].call.as_ref().unwrap();
    assert!(call.labels.contains(&Label::External));

    let report = turn(Web::default(), "web_fetch", page).await;
    assert!(!report.ok);
    assert_eq!(
        report.error.as_deref(),
        Some(
            format!(
                "denied: `{origin}` may not be reached: its address 127.0.0.1 is not public; if it is a server of yours that tools may reach, add `{origin}` to `FORGE_PRIVATE_ORIGINS`"
            )
            .as_str()
        )
    );
    assert_eq!(rig.connections(), 1);
}

#[tokio::test]
async fn only_the_allowed_domains_are_read() {
    let mut web = Web::default();
    web.fetch.allowed_domains = vec!["docs.example".to_owned()];
    let report = turn(
        web,
        "web_fetch",
        json!({"url": "https://docs.example.evil/"}),
    )
    .await;
    let error = report.error.unwrap();
    assert!(
        error.contains("`https://docs.example.evil` may not be reached by this tool"),
        "{error}"
    );
    assert!(error.contains("`WEB_FETCH_ALLOWED_DOMAINS`"), "{error}");
}

#[tokio::test]
async fn a_redirect_into_the_house_is_refused_by_name() {
    let (rig, inside) = (Rig::start("127.0.0.1").await, Rig::start("127.0.0.2").await);
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let target = format!("http://127.0.0.2:{}/hello", inside.port());
    let page = json!({"url": format!("{origin}/redirect?{target}")});
    let report = turn(private(&origin), "web_fetch", page).await;
    let error = report.error.unwrap();
    assert!(
        error.contains("leads to another page, which can't be fetched"),
        "{error}"
    );
    assert!(error.contains("127.0.0.2 is not public"), "{error}");
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn the_search_server_is_the_operators_and_nobody_elses() {
    let rig = Rig::start("127.0.0.1").await;
    let mut web = Web::default();
    web.search.url = format!("http://127.0.0.1:{}", rig.port());
    let report = turn(web.clone(), "web_search", json!({"query": "zig"})).await;
    let expected = "Results for `zig`:\n1. Zig\n   http://zig.example/\n   A language.";
    assert_eq!(report.output, expected);
    web.search.url.push_str("/elsewhere");
    let report = turn(web.clone(), "web_search", json!({"query": "tides"})).await;
    // It is asked, and is none.
    assert!(
        report
            .error
            .unwrap()
            .contains("answers 404: is `SEARXNG_URL`"),
        "{}",
        report.output
    );
    assert_eq!(rig.requests(), 2);
    // Another tool may not go there.
    let page = json!({"url": format!("{}/hello", web.search.url)});
    let report = turn(web, "web_fetch", page).await;
    assert!(report.error.unwrap().contains("is not public"));
    assert_eq!(rig.requests(), 2);
}
