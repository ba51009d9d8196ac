//! `forge secret`: the secrets of tools. A value comes from a hidden prompt or from standard input, never from the
//! command line, where other programs see it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use forge_contract::name::Name;
use inquire::{InquireError, Password, PasswordDisplayMode};
use secrecy::SecretString;
use serde::Serialize;

use super::chat::standard_input;
use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{Exit, SettingsArguments};
use crate::app::App;
use crate::causes::with_causes;
use crate::config::Config;
use crate::secrets::{Keeper, SecretError, Secrets, Use};

#[derive(Debug, Args)]
pub(super) struct SecretArguments {
    #[command(subcommand)]
    command: SecretCommand,
}

#[derive(Debug, Subcommand)]
enum SecretCommand {
    /// Store a secret for the tool that asks for it; its value is asked for, or read from standard input
    Set(SetArguments),
    /// List what is stored, and what tools ask for; never a value
    List(ListArguments),
    /// Forget a secret
    Remove(RemoveArguments),
}

#[derive(Debug, Args)]
struct SetArguments {
    /// The secret, as the tool calls it
    #[arg(value_parser = name)]
    name: Name,
    /// The tool that may have it sent, where several ask for it; can be given several times
    #[arg(long, value_name = "NAME", value_parser = name)]
    tool: Vec<Name>,
    /// Keep it in Forge's own file, where there is a keyring too
    #[arg(long)]
    file: bool,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct ListArguments {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct RemoveArguments {
    /// The secret
    #[arg(value_parser = name)]
    name: Name,
    #[command(flatten)]
    settings: SettingsArguments,
}

fn name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|error| error.to_string())
}

impl SecretArguments {
    pub(super) fn settings(&self) -> &SettingsArguments {
        match &self.command {
            SecretCommand::Set(arguments) => &arguments.settings,
            SecretCommand::List(arguments) => &arguments.settings,
            SecretCommand::Remove(arguments) => &arguments.settings,
        }
    }
}

pub(super) async fn run(config: &Config, arguments: &SecretArguments) -> Result<Exit, CliError> {
    let secrets = Secrets::new(&config.data_dir);
    let wanted = App::start(config).await?.secrets_wanted();
    match &arguments.command {
        SecretCommand::Set(arguments) => return set(&secrets, wanted, arguments).await,
        SecretCommand::List(arguments) => {
            let listed = listed(&secrets, &wanted)?;
            print(&if arguments.json {
                let json = serde_json::to_string(&listed);
                json.map_err(|error| CliError::Output(error.into()))? + "\n"
            } else if listed.is_empty() {
                "no secret is stored, and no tool asks for one\n".to_owned()
            } else {
                printable(&listed.iter().map(Listed::shown).collect::<String>()).into_owned()
            })?;
        }
        SecretCommand::Remove(arguments) => {
            let name = &arguments.name;
            if !secrets.remove(name).await.map_err(not_possible)? {
                return Err(CliError::NotPossible(format!(
                    "there is no secret `{name}`: `forge secret list` tells what there is"
                )));
            }
            print(&format!("`{name}` is forgotten\n"))?;
        }
    }
    Ok(Exit::Answered)
}

async fn set(
    secrets: &Secrets,
    wanted: BTreeSet<Use>,
    arguments: &SetArguments,
) -> Result<Exit, CliError> {
    let name = &arguments.name;
    let uses = uses(wanted, arguments).map_err(CliError::NotPossible)?;
    let purposes: Vec<String> = uses.iter().map(purpose).collect();
    let purposes = printable(&purposes.join(", and ")).into_owned();
    let Some(value) = value(name, &purposes)? else {
        return Ok(Exit::Interrupted);
    };
    let keeper = if arguments.file {
        Keeper::File
    } else {
        Keeper::Keyring
    };
    let kept = secrets.set(name, &value, uses, keeper).await;
    let place = place(kept.map_err(not_possible)?);
    print(&format!("`{name}` is kept in {place}, {purposes}\n"))?;
    Ok(Exit::Answered)
}

/// What the secret is stored for: for whoever alone asks for it, or whom the operator names.
fn uses(wanted: BTreeSet<Use>, arguments: &SetArguments) -> Result<BTreeSet<Use>, String> {
    let name = &arguments.name;
    let asking = wanted.into_iter().filter(|it| it.secret.name == *name);
    let asking: BTreeSet<Use> = asking.collect();
    let tools: BTreeSet<&Name> = asking.iter().map(|it| &it.tool).collect();
    if let Some(other) = arguments.tool.iter().find(|tool| !tools.contains(tool)) {
        return Err(format!(
            "`{other}` asks for no secret `{name}`: `forge secret list` tells who asks for what"
        ));
    }
    match (tools.len(), arguments.tool.is_empty()) {
        (0, _) => Err(format!(
            "no tool asks for a secret `{name}`: `forge secret list` tells who asks for what"
        )),
        (1, _) => Ok(asking),
        (_, true) => {
            let purposes: Vec<String> = asking.iter().map(purpose).collect();
            Err(format!(
                "several tools ask for `{name}`, {}: say which may have it, with `--tool`",
                purposes.join(", and ")
            ))
        }
        (_, false) => {
            let is_chosen = |it: &Use| arguments.tool.contains(&it.tool);
            Ok(asking.into_iter().filter(is_chosen).collect())
        }
    }
}

/// `None` when the operator gave up.
fn value(name: &Name, purposes: &str) -> Result<Option<SecretString>, CliError> {
    if !io::stdin().is_terminal() {
        let text = standard_input()?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        return Ok(Some(line.strip_suffix('\r').unwrap_or(line).into()));
    }
    let asked = Password::new(&format!("{name}:"))
        .with_help_message(&format!("it will be sent {purposes}, and shown to nobody"))
        .with_display_mode(PasswordDisplayMode::Masked)
        .without_confirmation()
        .prompt();
    match asked {
        Ok(value) => Ok(Some(value.into())),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(CliError::Input(io::Error::other(error))),
    }
}

/// One secret, stored or only asked for.
#[derive(Debug, Serialize)]
struct Listed {
    name: Name,
    /// Where it is kept; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<Keeper>,
    /// What it is stored for.
    uses: BTreeSet<Use>,
    /// What tools ask it for besides.
    wanted: BTreeSet<Use>,
}

fn listed(secrets: &Secrets, wanted: &BTreeSet<Use>) -> Result<Vec<Listed>, CliError> {
    let mut listed: BTreeMap<Name, Listed> = BTreeMap::new();
    for (name, (keeper, uses)) in secrets.list().map_err(not_possible)? {
        let stored = Listed {
            name: name.clone(),
            kept: Some(keeper),
            uses,
            wanted: BTreeSet::new(),
        };
        listed.insert(name, stored);
    }
    for one in wanted {
        let name = &one.secret.name;
        let entry = listed.entry(name.clone()).or_insert_with(|| Listed {
            name: name.clone(),
            kept: None,
            uses: BTreeSet::new(),
            wanted: BTreeSet::new(),
        });
        if !entry.uses.contains(one) {
            entry.wanted.insert(one.clone());
        }
    }
    Ok(listed.into_values().collect())
}

impl Listed {
    fn shown(&self) -> String {
        let name = &self.name;
        let mut text = match self.kept {
            Some(keeper) => format!("{name}  kept in {}\n", place(keeper)),
            None => format!("{name}  not stored: `forge secret set {name}`\n"),
        };
        for stored in &self.uses {
            text += &format!("  {}\n", purpose(stored));
        }
        for wanted in &self.wanted {
            let not = if self.kept.is_some() {
                "not "
            } else {
                "asked for "
            };
            text += &format!("  {not}{}\n", purpose(wanted));
        }
        text
    }
}

fn purpose(one: &Use) -> String {
    let Use { tool, secret } = one;
    let (prefix, header) = (&secret.prefix, &secret.header);
    format!("for `{tool}` to {} as `{header}: {prefix}…`", secret.origin)
}

fn place(keeper: Keeper) -> &'static str {
    match keeper {
        Keeper::Keyring => "the keyring",
        Keeper::File => "Forge's own file",
    }
}

fn not_possible(error: SecretError) -> CliError {
    CliError::NotPossible(with_causes(&error))
}
