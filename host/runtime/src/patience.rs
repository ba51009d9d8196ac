//! The time of one call: it stands still while another tool runs for it, or a person is asked whether one may. That call
//! has a deadline of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long a call may still take.
pub(crate) struct Patience {
    deadline: Duration,
    spent: Mutex<Spent>,
    went_on: Notify,
}

struct Spent {
    /// Before it last went on.
    before: Duration,
    /// When it last went on; `None` while it stands still.
    since: Option<Instant>,
}

impl Patience {
    /// For a call that began at `started` and may take `deadline`.
    pub(crate) fn new(started: Instant, deadline: Duration) -> Self {
        Self {
            deadline,
            spent: Mutex::new(Spent {
                before: Duration::ZERO,
                since: Some(started),
            }),
            went_on: Notify::new(),
        }
    }

    /// Whether the time is over.
    pub(crate) fn is_over(&self) -> bool {
        let spent = self.spent();
        spent.total() >= self.deadline
    }

    /// Returns when the time has been over for `grace`.
    pub(crate) async fn over(&self, grace: Duration) {
        loop {
            let (left, stands_still) = {
                let spent = self.spent();
                let left = (self.deadline + grace).saturating_sub(spent.total());
                (left, spent.since.is_none())
            };
            if stands_still {
                self.went_on.notified().await;
            } else if left.is_zero() {
                return;
            } else {
                tokio::time::sleep(left).await;
            }
        }
    }

    /// Lets the time stand still until what is returned is dropped.
    pub(crate) fn pause(&self) -> Paused<'_> {
        let mut spent = self.spent();
        spent.before = spent.total();
        spent.since = None;
        Paused { patience: self }
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spent {
    fn total(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A time that stands still.
pub(crate) struct Paused<'a> {
    patience: &'a Patience,
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.patience.spent().since = Some(Instant::now());
        self.patience.went_on.notify_one();
    }
}
