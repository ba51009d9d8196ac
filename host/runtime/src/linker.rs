//! Linkers: one per set of powers. In each, the powers of the set are real and all others refuse.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use forge_contract::power::Power;
use forge_contract::requirements::Requirements;
use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::state::State;
use crate::{filesystem, powers};

/// A set of powers, as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PowerSet(u16);

impl PowerSet {
    pub(crate) const EMPTY: Self = Self(0);

    pub(crate) fn of(powers: impl IntoIterator<Item = Power>) -> Self {
        Self(
            powers
                .into_iter()
                .map(Self::bit)
                .fold(0, |set, bit| set | bit),
        )
    }

    /// The powers that `requirements` open.
    pub(crate) fn opened_by(requirements: &Requirements) -> Self {
        Self::of(
            Power::ALL
                .into_iter()
                .filter(|power| requirements.opens(*power)),
        )
    }

    pub(crate) fn contains(self, power: Power) -> bool {
        self.0 & Self::bit(power) != 0
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn bit(power: Power) -> u16 {
        1 << power as u16
    }
}

/// The linkers of one runtime, each made when it is first needed.
pub(crate) struct Linkers {
    engine: Engine,
    made: Mutex<HashMap<PowerSet, Arc<Linker<State>>>>,
}

impl Linkers {
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            made: Mutex::default(),
        }
    }

    pub(crate) fn for_powers(&self, powers: PowerSet) -> Arc<Linker<State>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let linker = made.entry(powers).or_insert_with(|| {
            let linker = make(&self.engine, powers);
            Arc::new(
                linker
                    .expect("each interface is defined once, from bindings of this very contract"),
            )
        });
        linker.clone()
    }
}

fn make(engine: &Engine, opened: PowerSet) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    // The recorded file system takes the place of the plain one.
    linker.allow_shadowing(true);
    filesystem::add_to_linker(&mut linker)?;
    linker.allow_shadowing(false);
    powers::add_ambient(&mut linker)?;
    for power in Power::ALL {
        if opened.contains(power) {
            powers::add_real(&mut linker, power)?;
        } else {
            powers::add_refusing(&mut linker, power)?;
        }
    }
    Ok(linker)
}
