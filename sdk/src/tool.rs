//! A tool as `tool!` builds it: its manifest and its table of operations. Not here: how the two
//! functions are exported ([`crate::component`]). Authors use the macro alone.

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::output::Output;
use crate::requires::Requires;

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// The capability that it offers.
    pub name: &'static str,
    /// Its own version.
    pub version: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// What it can do.
    pub operations: &'static [Operation],
}

/// One thing that a tool does. The parts that cost something are made when they are asked for: a
/// run needs none of the manifest.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The JSON Schema of its input.
    pub schema: fn() -> Value,
    /// What people might say, and the inputs that serve it.
    pub examples: fn() -> Vec<Example>,
    /// What its effects are like.
    pub hints: Hints,
    /// What it needs.
    pub requires: fn() -> Requires,
    /// Whether an input can be read.
    pub check: fn(&str) -> Result<()>,
    /// Does it.
    pub run: fn(&str) -> Result<Output>,
}

/// A request and the input that serves it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// What a person might say.
    pub user: &'static str,
    /// The operation's input for it.
    pub input: Value,
}

/// What an operation's effects are like. Hints make policy stricter, never milder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Hints {
    destructive: bool,
    idempotent: bool,
}

impl Hints {
    /// Nothing to be said.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            destructive: false,
            idempotent: false,
        }
    }

    /// It may destroy what can't be made again.
    #[must_use]
    pub const fn destructive(self) -> Self {
        Self {
            destructive: true,
            ..self
        }
    }

    /// Doing it twice is the same as doing it once.
    #[must_use]
    pub const fn idempotent(self) -> Self {
        Self {
            idempotent: true,
            ..self
        }
    }
}

impl Tool {
    /// The manifest, a JSON document.
    #[must_use]
    pub fn describe(&self) -> String {
        let operations: Vec<Value> = self.operations.iter().map(Operation::describe).collect();
        json!({
            "manifest_version": 1,
            "name": self.name,
            "version": self.version,
            "summary": self.summary,
            "operations": operations,
        })
        .to_string()
    }

    /// Runs `operation` on `input`, a serialised JSON value.
    ///
    /// # Errors
    /// An operation that the tool does not have, an input that can't be read, or the operation's own
    /// failure.
    pub fn run(&self, operation: &str, input: &str) -> Result<Output> {
        let found = self.operations.iter().find(|o| o.name == operation);
        match found {
            Some(found) => (found.run)(input),
            None => {
                let names: Vec<String> = self
                    .operations
                    .iter()
                    .map(|o| format!("`{}`", o.name))
                    .collect();
                Err(Error::invalid_input(format!(
                    "`{}` has no operation `{operation}`: use {}",
                    self.name,
                    names.join(", ")
                )))
            }
        }
    }
}

impl Operation {
    fn describe(&self) -> Value {
        json!({
            "name": self.name,
            "summary": self.summary,
            "input": (self.schema)(),
            "examples": (self.examples)(),
            "hints": self.hints,
            "requires": (self.requires)(),
        })
    }
}

/// The parts of an [`Operation`] that follow from its input's type and its function.
pub mod parts {
    use schemars::JsonSchema;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use crate::error::Result;
    use crate::input;
    use crate::output::{IntoOutput, Output};

    /// The schema of an input.
    #[must_use]
    pub fn schema<I: JsonSchema>() -> Value {
        input::schema::<I>()
    }

    /// Reads an input and lets go of it.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn check<I: DeserializeOwned>(json: &str) -> Result<()> {
        input::parse::<I>(json).map(drop)
    }

    /// Reads an input and calls `function` with it.
    ///
    /// # Errors
    /// When the input can't be read or the function fails.
    pub fn run<I: DeserializeOwned, O: IntoOutput>(
        json: &str,
        function: impl FnOnce(I) -> O,
    ) -> Result<Output> {
        function(input::parse(json)?).into_output()
    }
}

/// Declares the crate's tool, at the root of the crate and once.
///
/// It expands to the component's exports on `wasm32`, and everywhere to a module `tool` with the same
/// two functions, `describe()` and `run(operation, input)`, so that `cargo test` tests the whole tool
/// natively. It also adds one test: the manifest keeps the contract's rules and each example is an
/// input that its operation can read.
///
/// Each operation reads `name(Input) => function`. A tool that does one thing calls it `run`. The
/// input is a type under `#[forge_sdk::input]`, [`NoInput`](crate::NoInput), or `String`: then the
/// model's own words are the input, and they are shown while they are written. The function returns
/// anything that is [`IntoOutput`](crate::IntoOutput).
///
/// The fields of an operation stand in this order; `hints` and `examples` may be left out, `requires`
/// may not:
///
/// ```text
/// forge_sdk::tool! {
///     name: "notes",
///     summary: "Keeps short notes.",
///     operations: {
///         add(Note) => add {
///             summary: "Adds a note.",
///             requires: Requires::none().workspace(Access::Write),
///             hints: Hints::none().idempotent(),
///             examples: ["note that Ada calls back" => {"text": "Ada calls back"}],
///         },
///         list(NoInput) => list {
///             summary: "Lists the notes.",
///             requires: Requires::none().workspace(Access::Read),
///         },
///     },
/// }
/// ```
#[macro_export]
macro_rules! tool {
    (
        name: $name:expr,
        summary: $summary:expr,
        operations: {
            $(
                $operation:ident($input:ty) => $function:path {
                    summary: $operation_summary:expr,
                    requires: $requires:expr
                    $(, hints: $hints:expr)?
                    $(, examples: [$($user:expr => $example:tt),* $(,)?])?
                    $(,)?
                }
            ),+ $(,)?
        } $(,)?
    ) => {
        static FORGE_TOOL: $crate::tool::Tool = $crate::tool::Tool {
            name: $name,
            version: ::std::env!("CARGO_PKG_VERSION"),
            summary: $summary,
            operations: &[$(
                $crate::tool::Operation {
                    name: ::std::stringify!($operation),
                    summary: $operation_summary,
                    schema: $crate::tool::parts::schema::<$input>,
                    examples: || ::std::vec![$($(
                        $crate::tool::Example { user: $user, input: $crate::json!($example) }
                    ),*)?],
                    hints: $crate::tool!(@hints $($hints)?),
                    requires: || $requires,
                    check: $crate::tool::parts::check::<$input>,
                    run: |input| $crate::tool::parts::run::<$input, _>(input, $function),
                }
            ),+],
        };

        /// The tool, as the host calls it.
        pub mod tool {
            /// The manifest, a JSON document.
            #[must_use]
            pub fn describe() -> ::std::string::String {
                super::FORGE_TOOL.describe()
            }

            /// Runs `operation` on `input`, a serialised JSON value.
            ///
            /// # Errors
            /// When there is no such operation, the input can't be read, or the operation fails.
            pub fn run(operation: &str, input: &str) -> $crate::Result<$crate::Output> {
                super::FORGE_TOOL.run(operation, input)
            }
        }

        $crate::export!(tool::describe, tool::run);

        #[cfg(test)]
        #[test]
        fn the_manifest_keeps_the_rules() {
            $crate::testing::check_manifest(&FORGE_TOOL);
        }
    };
    (@hints) => { $crate::Hints::none() };
    (@hints $hints:expr) => { $hints };
}

#[cfg(test)]
mod tests;
