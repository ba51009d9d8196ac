//! `forge:tool/log`: lines for the person who looks at a run. Holds no power.
//!
//! Nothing is written anywhere: the lines are part of the call's report.

use forge_contract::report::LogLevel;

use crate::bindings::forge::tool::log::Host;
use crate::state::State;

impl Host for State {
    async fn log(&mut self, level: String, message: String) -> wasmtime::Result<()> {
        self.recorder.logged(LogLevel::parse(&level), &message);
        Ok(())
    }
}
