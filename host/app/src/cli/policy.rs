//! `forge policy`: what the rules are, whether they hold, and what they say to a call.

use std::collections::BTreeSet;

use clap::{Args, Subcommand};
use forge_contract::label::Label;
use forge_core::policy::{Effect, RuleText, Verdict};
use serde_json::Value;

use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{BoundaryArguments, Exit, SettingsArguments};
use crate::app::App;
use crate::config::Config;

#[derive(Debug, Args)]
pub(super) struct PolicyArguments {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Read the rules and try their examples
    Check(Common),
    /// Show the mode, the switches and every rule, those of your lasting answers included
    Show(Common),
    /// Show what policy says to a call
    Test(TestArguments),
}

#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    boundary: BoundaryArguments,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct TestArguments {
    /// The call, as in `files.write`
    call: String,
    /// Its input as JSON
    #[arg(default_value = "{}")]
    input: String,
    /// Ask for a run in which there is data from outside
    #[arg(long)]
    external: bool,
    /// Ask for a run in which there is private data
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    common: Common,
}

impl PolicyArguments {
    pub(super) fn boundary(&self) -> (&BoundaryArguments, &SettingsArguments) {
        let common = match &self.command {
            PolicyCommand::Check(common) | PolicyCommand::Show(common) => common,
            PolicyCommand::Test(arguments) => &arguments.common,
        };
        (&common.boundary, &common.settings)
    }
}

pub(super) async fn run(config: &Config, arguments: &PolicyArguments) -> Result<Exit, CliError> {
    let (text, exit) = match &arguments.command {
        // Settings with rules that can't be used were refused before.
        PolicyCommand::Check(_) => (checked(config), Exit::Answered),
        PolicyCommand::Show(_) => (
            shown(config, &App::start(config).await?).await?,
            Exit::Answered,
        ),
        PolicyCommand::Test(arguments) => tested(&App::start(config).await?, arguments)?,
    };
    print(&printable(&text))?;
    Ok(exit)
}

fn checked(config: &Config) -> String {
    let rules = config.rules.iter().map(|rule| rule.text());
    let examples: usize = rules
        .map(|rule| rule.matches.len() + rule.not_match.len())
        .sum();
    format!(
        "{} rules hold, {examples} examples come out as they say\n",
        config.rules.len()
    )
}

async fn shown(config: &Config, app: &App) -> Result<String, CliError> {
    let lasting = app.lasting_rules().await;
    let lasting = lasting.map_err(|error| CliError::NotPossible(error.with_cause()))?;
    let switch = |is_on: bool| if is_on { "may" } else { "may not" };
    let mut text = format!(
        "mode {:?}; tools {} use the network, {} change files, {} run programs, {} ask the model\n",
        config.mode,
        switch(config.allow.network),
        switch(config.allow.workspace_writes),
        switch(config.allow.subprocess),
        switch(config.allow.llm),
    )
    .to_lowercase();
    let own = config.rules.iter().map(|rule| rule.text());
    for rule in own.chain(&lasting) {
        text += &line(rule);
    }
    if config.rules.is_empty() && lasting.is_empty() {
        text += "no rules\n";
    }
    Ok(text)
}

/// One rule: what it does, to what, and why.
fn line(rule: &RuleText) -> String {
    let effect = match rule.effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    };
    let operation = rule.operation.as_deref().unwrap_or("*");
    let mut text = format!("{effect:5} {}.{operation}", rule.capability);
    for (name, pattern) in &rule.arguments {
        text += &format!(" {name}~{pattern}");
    }
    for (name, value) in &rule.equals {
        text += &format!(" {name}={value}");
    }
    let gates: Vec<String> = rule.discharges.iter().map(ToString::to_string).collect();
    if !gates.is_empty() {
        text += &format!(" answers {}", gates.join(", "));
    }
    let reason = rule.reason.as_deref().map(|reason| format!(": {reason}"));
    format!("{text}  [{}{}]\n", rule.name, reason.unwrap_or_default())
}

fn tested(app: &App, arguments: &TestArguments) -> Result<(String, Exit), CliError> {
    let input: Value = serde_json::from_str(&arguments.input)
        .map_err(|error| CliError::NotPossible(format!("the input is no JSON: {error}")))?;
    let mut labels = BTreeSet::new();
    labels.extend(arguments.external.then_some(Label::External));
    labels.extend(arguments.private.then_some(Label::Private));
    let (capability, operation) = arguments
        .call
        .split_once('.')
        .unwrap_or((&arguments.call, "run"));
    let verdict = app.verdict(capability, operation, &input, &labels);
    let verdict = verdict.ok_or_else(|| {
        CliError::NotPossible(format!(
            "there is no `{capability}.{operation}`: `forge capabilities` lists what there is"
        ))
    })?;
    Ok(match verdict {
        Verdict::Allow => ("allow\n".to_owned(), Exit::Answered),
        Verdict::Deny(denial) => (format!("deny: {denial}\n"), Exit::TurnFailed),
        Verdict::Ask(asks) => {
            let lines = asks
                .iter()
                .map(|ask| format!("ask ({}): {}\n", ask.gate, ask.reason));
            (lines.collect(), Exit::NeedsApproval)
        }
    })
}
