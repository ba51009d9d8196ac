//! `forge grant`: what each tool is let, and less of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use forge_contract::grant::Grant;
use forge_contract::method::Method;
use forge_contract::name::Name;
use forge_contract::origin::OriginPattern;
use forge_contract::path::PathPattern;

use super::error::CliError;
use super::print::print;
use super::printable::printable;
use super::{Exit, SettingsArguments};
use crate::app::{App, Granted};
use crate::config::{Config, Environment, edit, listing};
use crate::grants::narrow::{Field, Narrowing, narrow};

#[derive(Debug, Args)]
pub(super) struct GrantArguments {
    #[command(subcommand)]
    command: GrantCommand,
}

#[derive(Debug, Subcommand)]
enum GrantCommand {
    /// Show what each tool declares and what of it is granted
    Show(ShowArguments),
    /// Grant a tool less
    Narrow(NarrowArguments),
    /// Grant a tool again what it declares, as far as your other settings let it
    Reset(ResetArguments),
}

#[derive(Debug, Args)]
struct ShowArguments {
    /// One tool; without it all
    name: Option<String>,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct NarrowArguments {
    /// The tool
    name: String,
    /// Let it look at the workspace and change nothing
    #[arg(long)]
    read_only_workspace: bool,
    /// Only these files of the workspace, as in `docs/**`; can be given several times
    #[arg(long, value_name = "PATTERN", value_parser = path)]
    only_path: Vec<PathPattern>,
    /// Only this origin, as in `https://api.example.com`; can be given several times
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    only_origin: Vec<OriginPattern>,
    /// Only requests by this method; can be given several times
    #[arg(long, value_name = "METHOD", value_parser = method)]
    only_method: Vec<Method>,
    /// Nothing of this; can be given several times
    #[arg(long, value_name = "WHAT", value_enum)]
    without: Vec<Field>,
    #[command(flatten)]
    settings: SettingsArguments,
}

#[derive(Debug, Args)]
struct ResetArguments {
    /// The tool
    name: String,
    #[command(flatten)]
    settings: SettingsArguments,
}

fn path(text: &str) -> Result<PathPattern, String> {
    PathPattern::parse(text).map_err(|error| error.to_string())
}

fn origin(text: &str) -> Result<OriginPattern, String> {
    OriginPattern::parse(text).map_err(|error| error.to_string())
}

fn method(text: &str) -> Result<Method, String> {
    Method::parse(text).map_err(|error| error.to_string())
}

impl GrantArguments {
    pub(super) fn settings(&self) -> &SettingsArguments {
        match &self.command {
            GrantCommand::Show(arguments) => &arguments.settings,
            GrantCommand::Narrow(arguments) => &arguments.settings,
            GrantCommand::Reset(arguments) => &arguments.settings,
        }
    }
}

pub(super) async fn run(config: &Config, arguments: &GrantArguments) -> Result<Exit, CliError> {
    let granted = App::start(config).await?.granted();
    match &arguments.command {
        GrantCommand::Show(arguments) => {
            let wanted = match &arguments.name {
                Some(name) => vec![find(&granted, name)?],
                None => granted.iter().collect(),
            };
            print(&if arguments.json {
                let json = serde_json::to_string(&wanted);
                json.map_err(|error| CliError::Output(error.into()))? + "\n"
            } else {
                wanted.into_iter().map(shown).collect()
            })?;
        }
        GrantCommand::Narrow(arguments) => {
            let tool = find(&granted, &arguments.name)?;
            let left = narrow(&tool.grant, &arguments.narrowing());
            let name = &tool.capability;
            let left = left.map_err(|problem| {
                CliError::NotPossible(format!("the grant of `{name}` was not changed: {problem}"))
            })?;
            let own = config.grants.get(name);
            let written = Grant {
                // What your other settings open stays theirs.
                private: own.map(|own| own.private.clone()).unwrap_or_default(),
                ..left.clone()
            };
            let file = user_file(&arguments.settings)?;
            edit::set_grant(&file, name, &written).map_err(|source| CliError::Settings {
                path: file.clone(),
                source,
            })?;
            told(name, &left, &file)?;
        }
        GrantCommand::Reset(arguments) => {
            let name = Name::parse(&arguments.name)
                .map_err(|error| CliError::NotPossible(error.to_string()))?;
            let file = user_file(&arguments.settings)?;
            let removed =
                edit::remove_grant(&file, &name).map_err(|source| CliError::Settings {
                    path: file.clone(),
                    source,
                })?;
            let file = file.display();
            print(&if removed {
                format!("`{name}` is granted what it declares: its grant in {file} is gone\n")
            } else {
                format!("there is no grant of `{name}` in {file}: nothing was changed\n")
            })?;
        }
    }
    Ok(Exit::Answered)
}

impl NarrowArguments {
    fn narrowing(&self) -> Narrowing {
        Narrowing {
            only_read: self.read_only_workspace,
            paths: self.only_path.clone(),
            origins: self.only_origin.iter().cloned().collect::<BTreeSet<_>>(),
            methods: self.only_method.iter().cloned().collect::<BTreeSet<_>>(),
            without: self.without.clone(),
        }
    }
}

fn find<'a>(granted: &'a [Granted], name: &str) -> Result<&'a Granted, CliError> {
    let found = granted.iter().find(|tool| tool.capability.as_str() == name);
    found.ok_or_else(|| {
        CliError::NotPossible(format!(
            "there is no tool `{name}`: `forge capabilities` lists what there is"
        ))
    })
}

fn user_file(settings: &SettingsArguments) -> Result<PathBuf, CliError> {
    let environment = Environment::of_this_process()?;
    let listing = listing::list(&environment, &settings.overrides());
    listing.user_file.ok_or(CliError::NoSettingsFolder)
}

fn told(name: &Name, left: &Grant, file: &std::path::Path) -> Result<(), CliError> {
    let (words, file) = (words(left), file.display());
    print(&printable(&format!(
        "`{name}` is granted {words}, by {file}; a Forge that runs already goes on as before\n"
    )))
}

fn shown(tool: &Granted) -> String {
    let narrowed = if tool.is_narrowed {
        "  (narrowed by you)"
    } else {
        ""
    };
    printable(&format!(
        "{} from {}\n  declares  {}\n  granted   {}{narrowed}\n",
        tool.capability,
        tool.source,
        tool.declared,
        words(&tool.grant)
    ))
    .into_owned()
}

/// A grant in one line.
fn words(grant: &Grant) -> String {
    let mut words = grant.allowed.to_string();
    let list = |items: Vec<String>| items.join(", ");
    if !grant.paths.is_empty() {
        let paths = grant.paths.iter().map(ToString::to_string);
        words += &format!("; only in {}", list(paths.collect()));
    }
    if !grant.methods.is_empty() {
        let methods = grant.methods.iter().map(ToString::to_string);
        words += &format!("; only by {}", list(methods.collect()));
    }
    if !grant.private.is_empty() {
        let origins = grant.private.iter().map(ToString::to_string);
        words += &format!("; private addresses at {}", list(origins.collect()));
    }
    words
}
