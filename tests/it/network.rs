//! Guests and the network: what they may ask, what comes back from the worst of servers, and what is left behind.

mod forbidden;
mod answers;
mod certificates;
mod many;
mod wasi;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use forge_contract::outcome::Outcome;
use forge_contract::report::CallReport;
use forge_runtime::{Limits, NetworkSettings, Roots};
use forge_tests::guest::{Guest, load_on};
use forge_tests::rig::Names;
use serde_json::Value;

/// Settings under which nothing takes long, but for a busy machine, and names are looked up in `names`.
fn settings(names: &Arc<Names>) -> NetworkSettings {
    NetworkSettings {
        resolver: names.clone(),
        roots: Roots::These(Vec::new()),
        connect_timeout: Duration::from_secs(3),
        first_byte_timeout: Duration::from_secs(3),
        between_bytes_timeout: Duration::from_millis(1500),
        ..NetworkSettings::default()
    }
}

async fn fetcher(names: &Arc<Names>) -> Guest {
    load_on("fetcher", settings(names), Limits::default()).await
}

/// Everything is granted but private addresses, of which only `private` are.
fn grant(private: &[&str]) -> String {
    serde_json::json!({"network": ["http://*:*", "https://*:*", "http://127.0.0.1:22"], "private": private}).to_string()
}

/// Sends the request that `input` describes.
async fn send(guest: &Guest, grant: &str, input: &Value) -> CallReport {
    guest.call("run", &input.to_string(), grant).await
}

/// The failure's code and message.
fn failure(report: &CallReport) -> String {
    match &report.outcome {
        Outcome::Failed(failure) => failure.to_string(),
        other => panic!("it did not fail: {other}"),
    }
}
