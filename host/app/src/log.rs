//! The log: warnings on standard error, more with `SHOW_DEBUG`. It never holds what a user said.

use std::io;

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Warnings and errors.
    Warnings,
    /// Everything that Forge's own crates say. Others keep to warnings.
    Debug,
}

/// Writes the log of this process to standard error from now on. A second call changes nothing.
pub fn start(detail: Detail) {
    let level = match detail {
        Detail::Warnings => Level::WARN,
        Detail::Debug => Level::DEBUG,
    };
    let own = ["forge_app", "forge_core", "forge_runtime"];
    let targets = Targets::new()
        .with_default(Level::WARN)
        .with_targets(own.map(|name| (name, level)));
    let has_colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let lines = fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(has_colours)
        .with_target(false)
        .without_time();
    // Whoever embeds this crate may have a log already.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
}
