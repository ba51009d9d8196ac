//! The binary `forge`. Everything is in the library, so that tests use the same parts.

use std::process::ExitCode;

fn main() -> ExitCode {
    forge_app::cli::main()
}
