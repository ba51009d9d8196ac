//! Servers that do not prove who they are.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use forge_runtime::{Limits, NetworkSettings, Roots};
use forge_tests::guest::{answered, load_on};
use forge_tests::rig::{Names, serve};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{failure, grant, send, settings};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

/// A server with a certificate for `name`, valid until the beginning of `until`, from `issuer`; its port.
async fn server(name: &str, until: i32, issuer: &Authority) -> u16 {
    let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
    parameters.not_before = date_time_ymd(2020, 1, 1);
    parameters.not_after = date_time_ymd(until, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.signed_by(&key, issuer).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(async move { serve(stream, &AtomicUsize::new(0)).await });
            }
        }
    });
    port
}

#[tokio::test]
async fn a_server_must_prove_who_it_is() {
    let (trusted, stranger) = (authority("trusted"), authority("stranger"));
    let names = Names::default()
        .with("tls.test", &[&["127.0.0.1"]])
        .with("other.test", &[&["127.0.0.1"]]);
    let settings = NetworkSettings {
        roots: Roots::These(vec![trusted.der().clone()]),
        ..settings(&Arc::new(names))
    };
    let guest = load_on("fetcher", settings, Limits::default()).await;
    let ask = async |host: &str, port: u16| {
        let origin = format!("https://{host}:{port}");
        send(
            &guest,
            &grant(&[&origin]),
            &json!({"url": format!("{origin}/hello")}),
        )
        .await
    };
    let good = server("tls.test", 2100, &trusted).await;
    assert_eq!(answered(&ask("tls.test", good).await)["begins"], "hello");
    let check = async |host: &str, port: u16, expected: &str| {
        let told = failure(&ask(host, port).await);
        let begins = format!("failed: `https://{host}:{port}` is not who it should be: ");
        assert!(told.starts_with(&begins), "{told}");
        assert!(told.to_lowercase().contains(expected), "{told}");
    };
    check("other.test", good, "not valid for name").await;
    check("127.0.0.1", good, "not valid for name").await;
    check(
        "tls.test",
        server("tls.test", 2021, &trusted).await,
        "expired",
    )
    .await;
    check(
        "tls.test",
        server("tls.test", 2100, &stranger).await,
        "unknownissuer",
    )
    .await;
}

#[tokio::test]
async fn one_who_speaks_no_tls_is_told() {
    let rig = forge_tests::rig::Rig::start("127.0.0.1").await;
    let guest = super::fetcher(&Arc::default()).await;
    let origin = format!("https://127.0.0.1:{}", rig.port());
    let report = send(&guest, &grant(&[&origin]), &json!({"url": origin})).await;
    let told = failure(&report);
    assert!(told.contains(&origin), "{told}");
    assert_eq!(rig.requests(), 0);
}
