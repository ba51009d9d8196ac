//! Places for live calls. Not here: the instances that take them; those come from the engine's pool.

use forge_contract::nested::DEEPEST;
use tokio::sync::{Semaphore, SemaphorePermit};

/// As many places as the pool has slots: an exhausted pool is an error, a queue is not.
///
/// A call that a tool asks for takes a place while its caller holds one. Each depth has its own places, and a call
/// waits only for those deeper than itself: they can't wait for each other in a circle.
pub(crate) struct Slots {
    by_depth: [Semaphore; DEPTHS],
}

const DEPTHS: usize = DEEPEST as usize + 1;

impl Slots {
    /// Places for `live_calls` of the embedder's, and for what these call.
    pub(crate) fn new(live_calls: u32) -> Self {
        Self {
            by_depth: std::array::from_fn(|depth| {
                Semaphore::new(places(live_calls, depth) as usize)
            }),
        }
    }

    /// All places together.
    pub(crate) fn all(live_calls: u32) -> u32 {
        (0..DEPTHS).map(|depth| places(live_calls, depth)).sum()
    }

    /// Waits for a place at `depth`.
    pub(crate) async fn acquire(&self, depth: u32) -> SemaphorePermit<'_> {
        let depth = (depth as usize).min(DEPTHS - 1);
        let place = self.by_depth[depth].acquire().await;
        place.expect("nobody closes the semaphore")
    }
}

/// Few calls have callers that wait for them.
fn places(live_calls: u32, depth: usize) -> u32 {
    if depth == 0 {
        live_calls
    } else {
        live_calls.div_ceil(8)
    }
}
