//! The host's side of each interface: one file each, of one shape.
//!
//! An interface that holds no power is always linked. A power is linked for real where the call's
//! grant opens it, and otherwise as a refusal that says what is missing.

pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod settings;
pub(crate) mod conversation;
pub(crate) mod files;
pub(crate) mod http;
pub(crate) mod wasi_http;
pub(crate) mod capabilities;
pub(crate) mod refused;

use forge_contract::power::Power;
use wasmtime::component::{HasSelf, Linker};

use crate::bindings::forge::tool as interfaces;
use crate::state::State;

/// The powers that this runtime has a real implementation of. The others are refused, whatever is
/// granted.
pub const OFFERED: [Power; 4] = [
    Power::Files,
    Power::Http,
    Power::WasiHttp,
    Power::Capabilities,
];

/// Links what every guest may have.
pub(crate) fn add_ambient(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    interfaces::types::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    interfaces::log::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    interfaces::progress::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    interfaces::settings::add_to_linker::<_, HasSelf<State>>(linker, |state| state)?;
    interfaces::conversation::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
}

/// Links `power` for a call that was granted it.
pub(crate) fn add_real(linker: &mut Linker<State>, power: Power) -> wasmtime::Result<()> {
    match power {
        Power::Files => {
            interfaces::files::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        }
        Power::Http => interfaces::http::add_to_linker::<_, HasSelf<State>>(linker, |state| state),
        Power::Capabilities => {
            interfaces::capabilities::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
        }
        Power::Llm | Power::Process | Power::Memory | Power::Observe | Power::WasiHttp => {
            add_refusing(linker, power)
        }
    }
}

/// Links `power` so that each of its functions answers *denied*.
pub(crate) fn add_refusing(linker: &mut Linker<State>, power: Power) -> wasmtime::Result<()> {
    use refused::Refusing;
    match power {
        Power::Llm => interfaces::llm::add_to_linker::<_, Refusing>(linker, refused::of),
        Power::Process => interfaces::process::add_to_linker::<_, Refusing>(linker, refused::of),
        Power::Memory => interfaces::memory::add_to_linker::<_, Refusing>(linker, refused::of),
        Power::Capabilities => {
            interfaces::capabilities::add_to_linker::<_, Refusing>(linker, refused::of)
        }
        Power::Observe => interfaces::observe::add_to_linker::<_, Refusing>(linker, refused::of),
        Power::Http => interfaces::http::add_to_linker::<_, Refusing>(linker, refused::of),
        Power::Files => interfaces::files::add_to_linker::<_, Refusing>(linker, refused::of),
        // One form for both: it refuses where the call has no network.
        Power::WasiHttp => wasi_http::add_to_linker(linker),
    }
}

/// The types have no functions of their own.
impl interfaces::types::Host for State {}
