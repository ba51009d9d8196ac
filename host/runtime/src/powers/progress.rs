//! `forge:tool/progress`: how far a call has come. Holds no power.

use forge_contract::report::Progress;

use crate::bindings::forge::tool::progress::Host;
use crate::limiter::LimitReached;
use crate::state::State;

impl Host for State {
    async fn step(&mut self, name: String) -> wasmtime::Result<()> {
        if let (Some(name), Some(on_progress)) = (self.recorder.stepped(&name), &self.on_progress) {
            on_progress(Progress::Step(name));
        }
        Ok(())
    }

    async fn delta(&mut self, text: String) -> wasmtime::Result<()> {
        // Pieces are shown at once, so they count against the answer's limit as they come.
        self.delta_bytes = self.delta_bytes.saturating_add(text.len());
        if self.delta_bytes > self.limits.output_bytes {
            return Err(LimitReached {
                limit: "output_bytes",
                value: self.limits.output_bytes as u64,
            }
            .into());
        }
        if let Some(on_progress) = &self.on_progress {
            on_progress(Progress::Delta(text));
        }
        Ok(())
    }
}
