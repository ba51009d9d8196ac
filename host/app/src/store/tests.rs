//! Every engine keeps what the ports promise.

use forge_core::store::{BlobStore, EventLog, JobQueue, Leases};

use super::SqliteStore;
use memory::MemoryStore;

// In reading order: what is promised, and a second engine, so that the promise is not SQLite's habit.
mod conformance;
mod memory;

/// The four ports of one engine.
struct Ports<'a> {
    log: &'a dyn EventLog,
    jobs: &'a dyn JobQueue,
    blobs: &'a dyn BlobStore,
    leases: &'a dyn Leases,
}

#[tokio::test]
async fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("forge.db")).unwrap();
    conformance::check(&Ports {
        log: &store,
        jobs: &store,
        blobs: &store,
        leases: &store,
    })
    .await;
    store.check().await.unwrap();
}

#[tokio::test]
async fn memory_conforms() {
    let store = MemoryStore::default();
    conformance::check(&Ports {
        log: &store,
        jobs: &store,
        blobs: &store,
        leases: &store,
    })
    .await;
}
