//! Requests that must not be sent: each is refused with its reason, and whoever listens there hears of nobody.

use std::sync::Arc;

use forge_contract::label::Label;
use forge_tests::guest::{answered, effects};
use forge_tests::rig::{Names, Rig};
use serde_json::{Value, json};

use super::{failure, fetcher, grant, send};

/// Somebody who hears of nobody.
struct Listeners(Vec<Rig>);

impl Listeners {
    /// On every address of this machine that the cases lead to, all on ports of their own.
    async fn start() -> Self {
        let mut rigs = Vec::new();
        for host in ["127.0.0.1", "127.0.0.2", "::1"] {
            rigs.push(Rig::start(host).await);
        }
        Self(rigs)
    }

    fn check(&self, what: &str) {
        for rig in &self.0 {
            assert_eq!(rig.connections(), 0, "{what}");
        }
    }
}

#[tokio::test]
async fn no_private_address_is_reached_however_it_is_written() {
    let listeners = Listeners::start().await;
    let [v4, other, v6] = [&listeners.0[0], &listeners.0[1], &listeners.0[2]].map(Rig::port);
    let names = Names::default()
        .with("localhost", &[&["127.0.0.1", "::1"]])
        .with("inside.test", &[&["127.0.0.1"]])
        .with("six.test", &[&["::1"]])
        .with("mixed.test", &[&["192.88.99.1", "127.0.0.1"]])
        .with("mixed6.test", &[&["192.88.99.1", "::1"]])
        .with("metadata.test", &[&["169.254.169.254"]])
        .with("nat64.test", &[&["64:ff9b::7f00:1"]])
        .with("mapped.test", &[&["::ffff:127.0.0.1"]])
        .with("lan.test", &[&["192.168.1.1"]])
        .with("none.test", &[&[]]);
    let guest = fetcher(&Arc::new(names)).await;
    let check = async |host: String, expected: &str| {
        let url = format!("http://{host}/hello");
        let report = send(&guest, &grant(&[]), &json!({"url": url})).await;
        let told = failure(&report);
        assert!(told.contains(expected), "{url}: {told}");
        let noted = effects(&report);
        assert!(
            noted.len() == 1 && noted[0].starts_with(&format!("GET {url}: ")),
            "{noted:?}"
        );
        assert!(report.labels.is_empty());
        listeners.check(&url);
    };
    let private = "denied: `http://";
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "localhost",
        "LOCALHOST",
        "inside.test",
        "mapped.test",
        "127.0.0.1.",
        "0.0.0.0",
        "mixed.test",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "nat64.test",
        "x.inside.test@127.0.0.1",
    ] {
        check(format!("{host}:{v4}"), private).await;
    }
    for host in [
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "six.test",
        "mixed6.test",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
        "[::]",
    ] {
        check(format!("{host}:{v6}"), private).await;
    }
    check(
        format!("127.0.0.2:{other}"),
        "its address 127.0.0.2 is not public",
    )
    .await;
    check(
        "169.254.169.254".to_owned(),
        "its address 169.254.169.254 is not public",
    )
    .await;
    check(
        "metadata.test".to_owned(),
        "its address 169.254.169.254 is not public",
    )
    .await;
    check(
        "lan.test".to_owned(),
        "its address 192.168.1.1 is not public",
    )
    .await;
    check(
        format!("none.test:{v4}"),
        "unavailable: `none.test` has no address",
    )
    .await;
    check(
        format!("unknown.test:{v4}"),
        "unavailable: `unknown.test` has no address",
    )
    .await;
    check(format!("[::1%25lo]:{v6}"), "invalid-input: ").await;
    check(format!("inside.test\\@x.test:{v4}"), "invalid-input: ").await;
    check(
        format!("user:pw@x.test:{v4}"),
        "denied: a user in the URL is not sent",
    )
    .await;
}

#[tokio::test]
async fn a_refusal_names_the_way_out() {
    let rig = Rig::start("127.0.0.1").await;
    let guest = fetcher(&Arc::default()).await;
    let url = format!("http://127.0.0.1:{}/hello", rig.port());
    let report = send(&guest, &grant(&[]), &json!({"url": url})).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    assert_eq!(
        failure(&report),
        format!(
            "denied: `{origin}` may not be reached: its address 127.0.0.1 is not public; grant `{origin}` under `private`"
        )
    );
    let narrow = json!({"network": ["https://x.test", "https://*.y.test"]}).to_string();
    let report = send(&guest, &narrow, &json!({"url": url})).await;
    assert_eq!(
        failure(&report),
        format!(
            "denied: `{origin}` may not be reached by this tool, which may reach `https://*.y.test`, `https://x.test`: grant `{origin}` under `network`"
        )
    );
    let report = guest
        .call("undeclared", &json!({"url": url}).to_string(), &grant(&[]))
        .await;
    assert!(
        failure(&report).contains("does not declare `network`"),
        "{}",
        report.outcome
    );
    let report = send(&guest, "{}", &json!({"url": url})).await;
    assert!(
        failure(&report).contains("the operator did not grant it"),
        "{}",
        report.outcome
    );
    assert_eq!(rig.connections(), 0);
    // The same request where it is let.
    let report = send(&guest, &grant(&[&origin]), &json!({"url": url})).await;
    assert_eq!(answered(&report)["begins"], "hello");
    assert_eq!(rig.connections(), 1);
    assert!(report.labels.contains(&Label::External));
    assert_eq!(effects(&report), [format!("GET {url} 200")]);
    // A port that nobody may be made to speak to is not opened by any port.
    let report = send(&guest, &grant(&[]), &json!({"url": "http://x.test:22/"})).await;
    assert!(failure(&report).contains("`http://x.test:22` may not be reached by this tool"));
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_what_was_checked_is_connected_to() {
    let rig = Rig::start("127.0.0.2").await;
    let names = Names::default()
        // At first a public one, to be looked at, then one inside.
        .with("rebind.test", &[&["192.88.99.1"], &["127.0.0.2"]])
        // The other way round: where the first is let, the second is not asked for.
        .with("own.test", &[&["127.0.0.2"], &["127.0.0.3"]]);
    let names = Arc::new(names);
    let guest = fetcher(&names).await;
    let url = |name: &str| json!({"url": format!("http://{name}:{}/hello", rig.port())});
    let report = send(&guest, &grant(&[]), &url("rebind.test")).await;
    let told = failure(&report);
    assert!(
        told.starts_with("unavailable: ") || told.starts_with("timeout: "),
        "{told}"
    );
    assert_eq!((names.asked("rebind.test"), rig.connections()), (1, 0));
    let report = send(&guest, &grant(&[]), &url("rebind.test")).await;
    assert!(failure(&report).contains("127.0.0.2 is not public"));
    assert_eq!(rig.connections(), 0);
    let own = format!("http://own.test:{}", rig.port());
    let report = send(&guest, &grant(&[&own]), &url("own.test")).await;
    assert_eq!(answered(&report)["status"], 200);
    assert_eq!((names.asked("own.test"), rig.connections()), (1, 1));
}

#[tokio::test]
async fn a_redirect_is_a_new_request() {
    let inside = Rig::start("127.0.0.2").await;
    let rig = Rig::start("127.0.0.1").await;
    let guest = fetcher(&Arc::default()).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    for target in [
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        format!("http://127.0.0.2:{}/", inside.port()),
    ] {
        let url = format!("{origin}/redirect?{target}");
        let report = send(&guest, &grant(&[&origin]), &json!({"url": url})).await;
        let answer = answered(&report);
        assert_eq!(answer["status"], 302);
        let location = location(&answer);
        assert_eq!(location, target);
        let report = send(&guest, &grant(&[&origin]), &json!({"url": location})).await;
        assert!(failure(&report).contains("is not public"));
    }
    assert_eq!(inside.connections(), 0);
}

fn location(answer: &Value) -> String {
    let headers = answer["headers"].as_array().unwrap();
    let found = headers
        .iter()
        .find(|header| header[0] == "location")
        .unwrap();
    found[1].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn headers_and_methods_are_held() {
    let rig = Rig::start("127.0.0.1").await;
    let guest = fetcher(&Arc::default()).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let echo = format!("{origin}/echo");
    let check = async |grant: &str, input: Value, expected: &str| {
        let report = send(&guest, grant, &input).await;
        let told = failure(&report);
        assert!(told.starts_with(expected), "{input}: {told}");
    };
    let all = grant(&[&origin]);
    for name in [
        "Host",
        "connection",
        "Transfer-Encoding",
        "content-length",
        "proxy-authorization",
        "upgrade",
        "TE",
    ] {
        let input = json!({"url": echo, "headers": {name: "x"}});
        check(
            &all,
            input,
            &format!("denied: the header `{}`", name.to_lowercase()),
        )
        .await;
    }
    check(
        &all,
        json!({"url": echo, "headers": {"a b": "x"}}),
        "invalid-input: `a b` is no header",
    )
    .await;
    check(
        &all,
        json!({"url": echo, "headers": {"a": "x\r\nhost: y"}}),
        "invalid-input: `a` is no header",
    )
    .await;
    for method in ["CONNECT", "TRACE", "get", "G T", ""] {
        check(
            &all,
            json!({"url": echo, "method": method}),
            &format!("invalid-input: `{method}` is no method"),
        )
        .await;
    }
    let reading =
        json!({"network": ["http://*:*"], "private": [origin], "methods": ["GET", "HEAD"]})
            .to_string();
    let post = json!({"url": echo, "method": "POST", "body": "x"});
    check(
        &reading,
        post.clone(),
        "denied: `POST` may not be asked of anyone by this tool: `GET`, `HEAD` may",
    )
    .await;
    assert_eq!(rig.requests(), 0);

    let report = send(&guest, &all, &post).await;
    let head = answered(&report)["begins"].as_str().unwrap().to_owned();
    assert!(head.starts_with("POST /echo HTTP/1.1\r\n"), "{head}");
    assert!(
        head.contains(&format!("host: 127.0.0.1:{}\r\n", rig.port())),
        "{head}"
    );
    assert!(head.contains("user-agent: forge/"), "{head}");
    let report = send(
        &guest,
        &reading,
        &json!({"url": echo, "headers": {"X-Own": "ä"}}),
    )
    .await;
    let answer = answered(&report);
    assert!(
        answer["begins"].as_str().unwrap().contains("x-own: ä"),
        "{answer}"
    );
}
