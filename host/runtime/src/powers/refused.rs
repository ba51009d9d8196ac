//! The refusal of a power: each function answers *denied* and says what is missing.

use forge_contract::effect::Effect;
use forge_contract::outcome::FailureCode;
use forge_contract::power::Power;
use wasmtime::component::HasData;

use crate::bindings::forge::tool::types::Error;
use crate::bindings::forge::tool::{
    capabilities, files, http, llm, memory, observe, process, types,
};
use crate::plugin::Prepared;
use crate::powers::OFFERED;
use crate::state::State;

/// Why the running operation may not use `power`; `None` is the sealed call to `describe`.
fn reason(operation: Option<&Prepared>, power: Power) -> String {
    let name = operation.map_or("describe", |operation| &operation.name);
    let requirement = power.requirement();
    if !operation.is_some_and(|operation| operation.declared.opens(power)) {
        format!(
            "operation `{name}` may not use `{power}`: it does not declare `{requirement}` under `requires`"
        )
    } else if OFFERED.contains(&power) {
        format!(
            "operation `{name}` may not use `{power}`: it declares `{requirement}`, but the operator did not grant it"
        )
    } else {
        format!("operation `{name}` may not use `{power}`: this host does not offer it")
    }
}

/// Marks the refusing form of an interface.
pub(crate) struct Refusing;

impl HasData for Refusing {
    type Data<'a> = Refused<'a>;
}

/// The host's side of a refused interface.
pub(crate) struct Refused<'a>(&'a mut State);

pub(crate) fn of(state: &mut State) -> Refused<'_> {
    Refused(state)
}

impl Refused<'_> {
    fn refuse<T>(&mut self, power: Power) -> wasmtime::Result<Result<T, Error>> {
        self.0.recorder.refused(Effect::Refused { power });
        let message = reason(self.0.operation.as_deref(), power);
        Ok(Err(Error {
            code: FailureCode::Denied.as_str().to_owned(),
            message,
            details: None,
        }))
    }
}

impl llm::Host for Refused<'_> {
    async fn generate(&mut self, _request: String) -> wasmtime::Result<Result<String, Error>> {
        self.refuse(Power::Llm)
    }
}

impl process::Host for Refused<'_> {
    async fn exec(
        &mut self,
        _command: String,
        _stdin: Option<Vec<u8>>,
    ) -> wasmtime::Result<Result<process::Outcome, Error>> {
        self.refuse(Power::Process)
    }
}

impl memory::Host for Refused<'_> {
    async fn recall(&mut self, _query: String) -> wasmtime::Result<Result<String, Error>> {
        self.refuse(Power::Memory)
    }

    async fn remember(&mut self, _entry: String) -> wasmtime::Result<Result<String, Error>> {
        self.refuse(Power::Memory)
    }
}

impl capabilities::Host for Refused<'_> {
    async fn invoke(
        &mut self,
        _capability: String,
        _operation: String,
        _input: String,
    ) -> wasmtime::Result<Result<types::Output, Error>> {
        self.refuse(Power::Capabilities)
    }
}

impl observe::Host for Refused<'_> {
    async fn read(
        &mut self,
        _view: String,
        _parameters: String,
    ) -> wasmtime::Result<Result<String, Error>> {
        self.refuse(Power::Observe)
    }
}

impl http::Host for Refused<'_> {
    async fn fetch(
        &mut self,
        _request: http::Request,
    ) -> wasmtime::Result<Result<http::Response, Error>> {
        self.refuse(Power::Http)
    }
}

impl files::Host for Refused<'_> {
    async fn read(&mut self, _path: String) -> wasmtime::Result<Result<Vec<u8>, Error>> {
        self.refuse(Power::Files)
    }

    async fn write(
        &mut self,
        _path: String,
        _data: Vec<u8>,
    ) -> wasmtime::Result<Result<(), Error>> {
        self.refuse(Power::Files)
    }

    async fn list(&mut self, _path: String) -> wasmtime::Result<Result<Vec<String>, Error>> {
        self.refuse(Power::Files)
    }
}
