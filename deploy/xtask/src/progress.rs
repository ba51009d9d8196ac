//! The two places where this program writes: progress and answers.

use std::fmt::Display;

/// Tells the person who waits what goes on.
#[expect(clippy::print_stderr, reason = "this program talks to a terminal")]
pub(crate) fn say(line: impl Display) {
    eprintln!("{line}");
}

/// Writes a result that another program may read.
#[expect(
    clippy::print_stdout,
    reason = "this program answers on standard output"
)]
pub(crate) fn answer(line: impl Display) {
    println!("{line}");
}
