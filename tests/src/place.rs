//! Where the things are that tests need from outside.

use std::path::PathBuf;

/// A thing that `cargo xtask test` builds or fetches.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// The program `forge`.
    Binary,
    /// The folder of the components that ship.
    Plugins,
    /// The folder of the misbehaving components.
    Guests,
    /// The program `llama-server`.
    LlamaServer,
    /// A small model for it.
    Model,
}

impl Place {
    /// Where it is.
    ///
    /// # Panics
    /// When `cargo xtask test` did not say so.
    #[must_use]
    pub fn path(self) -> PathBuf {
        let variable = match self {
            Self::Binary => "FORGE_TEST_BINARY",
            Self::Plugins => "FORGE_TEST_PLUGINS",
            Self::Guests => "FORGE_TEST_GUESTS",
            Self::LlamaServer => "FORGE_TEST_LLAMA_SERVER",
            Self::Model => "FORGE_TEST_MODEL",
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the suite is told where things are by its environment"
        )]
        let path = std::env::var_os(variable);
        PathBuf::from(path.unwrap_or_else(|| {
            panic!("`{variable}` is not set: run the tests by `cargo xtask test`")
        }))
    }

    /// The folder `name` beside this one.
    ///
    /// # Panics
    /// When `cargo xtask test` did not say where this is.
    #[must_use]
    pub fn beside(self, name: &str) -> PathBuf {
        self.path().with_file_name(name)
    }

    /// The bytes of the component `name` in this folder.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn component(self, name: &str) -> Vec<u8> {
        let path = self.path().join(format!("{name}.wasm"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
