//! `forge config`: what every setting holds, and where it comes from.

use std::io::{self, IsTerminal};

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::error::{CliError, say};
use super::print::print;
use super::printable::printable;
use super::{Exit, SettingsArguments};
use crate::config::Environment;
use crate::config::listing::{self, Row};

/// The arguments of `forge config`.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    /// Only what is not the default
    #[arg(long)]
    changed: bool,
    #[command(flatten)]
    pub(super) settings: SettingsArguments,
}

pub(super) fn run(arguments: &ConfigArguments) -> Result<Exit, CliError> {
    let environment = Environment::of_this_process()?;
    let listing = listing::list(&environment, &arguments.settings.overrides());
    let is_shown = |row: &&Row| !arguments.changed || row.source.is_some();
    let rows: Vec<&Row> = listing.rows.iter().filter(is_shown).collect();
    let problems: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
    let text = if arguments.json {
        let listed = Listed {
            settings: rows.into_iter().map(told).collect(),
            warnings: &listing.warnings,
            problems: &problems,
        };
        serde_json::to_string(&listed).map_err(|error| CliError::Output(error.into()))? + "\n"
    } else {
        shown(&rows)
    };
    print(&text)?;
    for warning in &listing.warnings {
        tracing::warn!("{warning}");
    }
    for problem in &problems {
        say(problem);
    }
    Ok(if problems.is_empty() {
        Exit::Answered
    } else {
        Exit::BadUse
    })
}

/// Everything, for a program.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    settings: Vec<Told<'a>>,
    warnings: &'a [String],
    problems: &'a [String],
}

/// One setting, for a program.
#[derive(Debug, Serialize)]
struct Told<'a> {
    key: &'a str,
    variable: &'a str,
    /// Absent when nothing is set; stars for a secret.
    value: Option<&'a str>,
    source: &'a str,
    doc: &'a str,
}

/// The source of what nobody set.
const DEFAULT: &str = "default";

fn told(row: &Row) -> Told<'_> {
    Told {
        key: row.key,
        variable: row.variable,
        value: row.value.as_deref(),
        source: row.source.as_deref().unwrap_or(DEFAULT),
        doc: row.doc,
    }
}

fn shown(rows: &[&Row]) -> String {
    if rows.is_empty() {
        return "every setting is at its default\n".to_owned();
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["SETTING", "VALUE", "SOURCE"]);
    let terminal = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    if let Some((width, _)) = terminal {
        table.set_width(width.0);
    }
    for row in rows {
        let value = match &row.value {
            Some(value) if value.is_empty() => "none",
            Some(value) => value,
            None => row.fallback,
        };
        table.add_row([row.key, value, row.source.as_deref().unwrap_or(DEFAULT)]);
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    printable(&lines.join("\n")).to_string() + "\n"
}
