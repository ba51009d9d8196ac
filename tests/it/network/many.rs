//! Many guests at once: nothing is left behind.

use std::sync::Arc;
use std::time::Duration;

use forge_runtime::Limits;
use forge_tests::guest::{answered, load_on};
use forge_tests::rig::Rig;
use serde_json::json;
use tokio::task::JoinSet;

use super::{grant, send, settings};

const GUESTS: usize = 64;
const CALLS: usize = 16;
/// Connections that are kept for one origin under one grant, and some for whatever else this process does.
const KEPT: usize = 12;

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_requests_of_sixty_four_guests_leave_nothing_behind() {
    let rig = Rig::start("127.0.0.1").await;
    let mut network = settings(&Arc::default());
    network.connect_timeout = Duration::from_secs(20);
    network.first_byte_timeout = Duration::from_secs(20);
    let guest = Arc::new(load_on("fetcher", network, Limits::default()).await);
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let before = open_files();
    let mut running = JoinSet::new();
    for _ in 0..GUESTS {
        let (guest, origin) = (guest.clone(), origin.clone());
        running.spawn(async move {
            for _ in 0..CALLS {
                let report = send(
                    &guest,
                    &grant(&[&origin]),
                    &json!({"url": format!("{origin}/hello")}),
                )
                .await;
                assert_eq!(answered(&report)["begins"], "hello");
            }
        });
    }
    running.join_all().await;
    assert_eq!(rig.requests(), GUESTS * CALLS);
    for _ in 0..100 {
        if open_files() <= before + KEPT {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} files were open, {} are", before, open_files());
}

#[tokio::test]
async fn a_call_that_is_given_up_closes_its_connection() {
    let rig = Rig::start("127.0.0.1").await;
    let mut network = settings(&Arc::default());
    network.first_byte_timeout = Duration::from_secs(20);
    let guest = load_on("fetcher", network, Limits::default()).await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let grant = grant(&[&origin]);
    let input = |path: &str| json!({"url": format!("{origin}{path}")});
    // Its connection is kept, and used again.
    send(&guest, &grant, &input("/hello")).await;
    let before = open_files();
    let silent = input("/silent");
    let sending = send(&guest, &grant, &silent);
    let given_up = tokio::time::timeout(Duration::from_millis(300), sending).await;
    assert!(given_up.is_err());
    assert_eq!((rig.requests(), rig.connections()), (2, 1));
    for _ in 0..100 {
        // Both ends of it are closed.
        if open_files() == before - 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{before} files were open, {} are", open_files());
}
