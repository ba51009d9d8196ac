//! `forge:tool/settings`: the plugin's own table of the operator's settings. Holds no power.

use crate::bindings::forge::tool::settings::Host;
use crate::state::State;

impl Host for State {
    async fn get(&mut self) -> wasmtime::Result<String> {
        Ok(self.settings.clone().unwrap_or_else(|| "{}".to_owned()))
    }
}
