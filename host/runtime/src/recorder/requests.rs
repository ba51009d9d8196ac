//! The notes of requests: they are shared with what sends them, and each is filled in while its answer comes.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_contract::effect::{Effect, RequestEffect};

/// The requests of one call.
#[derive(Debug, Default)]
pub(crate) struct RequestNotes {
    /// How many effects of other kinds there are.
    others: AtomicUsize,
    requests: Mutex<Vec<Noted>>,
}

#[derive(Debug)]
struct Noted {
    /// How many effects of other kinds came before.
    after: usize,
    note: Arc<RequestNote>,
}

/// One request.
#[derive(Debug)]
pub(crate) struct RequestNote {
    method: String,
    url: String,
    ended: Mutex<Ended>,
}

#[derive(Debug, Default)]
struct Ended {
    address: Option<IpAddr>,
    status: Option<u16>,
    received: Option<Arc<AtomicU64>>,
    error: Option<String>,
}

impl RequestNotes {
    /// Notes that there are now `others` effects of other kinds.
    pub(super) fn follow(&self, others: usize) {
        self.others.store(others, Ordering::Relaxed);
    }

    /// Notes that a request is about to be sent.
    pub(crate) fn begin(&self, method: String, url: String) -> Arc<RequestNote> {
        let note = Arc::new(RequestNote {
            method,
            url,
            ended: Mutex::default(),
        });
        self.requests().push(Noted {
            after: self.others.load(Ordering::Relaxed),
            note: note.clone(),
        });
        note
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.requests().len()
    }

    /// Puts the requests among `effects`, each where it was begun.
    pub(super) fn add_to(&self, effects: &mut Vec<Effect>) {
        let requests = self.requests();
        for (before, noted) in requests.iter().enumerate() {
            let at = (noted.after + before).min(effects.len());
            effects.insert(at, Effect::Request(noted.note.effect()));
        }
    }

    /// Whether an answer came to one of them.
    pub(super) fn any_answered(&self) -> bool {
        let requests = self.requests();
        requests
            .iter()
            .any(|noted| noted.note.ended().status.is_some())
    }

    fn requests(&self) -> MutexGuard<'_, Vec<Noted>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestNote {
    /// Notes the head of the answer; `received` counts what comes of its body.
    pub(crate) fn answered(&self, address: Option<IpAddr>, status: u16, received: Arc<AtomicU64>) {
        let mut ended = self.ended();
        ended.address = address;
        ended.status = Some(status);
        ended.received = Some(received);
    }

    /// Notes why it was not sent, or not answered to the end.
    pub(crate) fn failed(&self, error: String) {
        self.ended().error = Some(error);
    }

    fn effect(&self) -> RequestEffect {
        let ended = self.ended();
        let received = ended.received.as_ref();
        RequestEffect {
            method: self.method.clone(),
            url: self.url.clone(),
            address: ended.address,
            status: ended.status,
            bytes: received.map_or(0, |received| received.load(Ordering::Relaxed)),
            error: ended.error.clone(),
        }
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
