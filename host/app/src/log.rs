//! The log: on standard error, for people or for programs. It never holds what a user said, nor a secret.
//!
//! Whatever is logged in a turn carries the fields of its spans: the turn, the step, the call.

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
    /// What happened as well: each step, each turn, each request.
    Events,
    /// Everything that Forge's own crates say. Others keep to warnings.
    Debug,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines for a person who looks at one command.
    Lines,
    /// Lines with the time (UTC), for a person who looks at a server.
    TimedLines,
    /// One JSON object per line.
    Json,
}

/// Writes the log of this process to standard error from now on. A second call changes nothing.
pub fn start(detail: Detail, format: Format) {
    let level = match detail {
        Detail::Warnings => Level::WARN,
        Detail::Events => Level::INFO,
        Detail::Debug => Level::DEBUG,
    };
    let own = ["forge_app", "forge_core", "forge_runtime"];
    let targets = Targets::new()
        .with_default(Level::WARN)
        .with_targets(own.map(|name| (name, level)));
    let registry = tracing_subscriber::registry().with(targets);
    let has_colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let lines = || {
        fmt::layer()
            .with_writer(io::stderr)
            .with_ansi(has_colours)
            .with_target(false)
    };
    // Whoever embeds this crate may have a log already.
    let _ = match format {
        Format::Lines => registry.with(lines().without_time()).try_init(),
        Format::TimedLines => registry.with(lines()).try_init(),
        Format::Json => registry
            .with(
                fmt::layer()
                    .json()
                    .flatten_event(true)
                    .with_writer(io::stderr),
            )
            .try_init(),
    };
}
