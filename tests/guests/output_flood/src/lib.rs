//! A guest that says too much: an `answer` of 200 MB, a million lines to the `log`, 200 MB to `stderr`.

use std::io::Write as _;

use forge_sdk::{NoInput, Requires, Result, log};

forge_sdk::tool! {
    name: "output_flood",
    summary: "Says too much.",
    operations: {
        answer(NoInput) => answer {
            summary: "Answers 200 MB of text.",
            requires: Requires::none(),
        },
        log(NoInput) => flood_log {
            summary: "Logs a million lines and answers `ok`.",
            requires: Requires::none(),
        },
        stderr(NoInput) => flood_stderr {
            summary: "Writes 200 MB to standard error and answers `ok`.",
            requires: Requires::none(),
        },
    },
}

const LINE: &str = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";

fn answer(_input: NoInput) -> String {
    LINE.repeat(2_000_000)
}

fn flood_log(_input: NoInput) -> &'static str {
    for number in 0..1_000_000 {
        log::info(format!("{number} {LINE}"));
    }
    "ok"
}

fn flood_stderr(_input: NoInput) -> Result<&'static str> {
    let mut stderr = std::io::stderr().lock();
    for _ in 0..2_000_000 {
        stderr.write_all(LINE.as_bytes())?;
    }
    Ok("ok")
}
