//! `forge capabilities`: what every tool can do, and whether it may.

use std::io::{self, IsTerminal};

use comfy_table::{ContentArrangement, Table, presets};

use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{CapabilitiesArguments, Exit};
use crate::app::{App, Offered, Row};
use crate::config::Config;

pub(super) async fn run(
    config: &Config,
    arguments: &CapabilitiesArguments,
) -> Result<Exit, CliError> {
    let app = App::start(config).await?;
    let offered = app.capabilities();
    let text = if arguments.json {
        let rows: Vec<Row<'_>> = offered.iter().map(Row::from).collect();
        serde_json::to_string(&rows).map_err(|error| CliError::Output(error.into()))? + "\n"
    } else {
        shown(&offered)
    };
    print(&text)?;
    for warning in app.warnings() {
        tracing::warn!("{warning}");
    }
    Ok(Exit::Answered)
}

fn state(offered: &Offered) -> String {
    match (&offered.blocked, offered.asks.as_slice()) {
        (Some(why), _) => format!("blocked: {why}"),
        (None, []) => "available".to_owned(),
        (None, reasons) => format!("asks: {}", reasons.join("; ")),
    }
}

fn shown(offered: &[Offered]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["CAPABILITY", "OPERATION", "REQUIRES", "STATE", "PROVIDER"]);
    let terminal = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    if let Some((width, _)) = terminal {
        table.set_width(width.0);
    }
    for offered in offered {
        let listing = &offered.listing;
        let requires = listing.requires.as_ref().map(ToString::to_string);
        table.add_row([
            listing.capability.to_string(),
            listing.operation.to_string(),
            requires.unwrap_or_else(|| "not declared: granted nothing".to_owned()),
            state(offered),
            format!("{} {}", listing.source, short(&offered.digest)),
        ]);
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    let available = offered
        .iter()
        .filter(|offered| offered.blocked.is_none())
        .count();
    let table = lines.join("\n");
    format!(
        "{}\n\n{} operations, {available} available\n",
        printable(&table),
        offered.len()
    )
}

/// Enough of a digest to tell two versions apart.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
