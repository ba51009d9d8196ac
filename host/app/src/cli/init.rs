//! `forge init`: looks for a model, asks which tools are wanted, and writes a file of settings.
//!
//! Not here: what the file looks like (`config::template`).

use std::fmt;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use inquire::{InquireError, MultiSelect};
use serde::Deserialize;

use super::error::CliError;
use super::print::print;
use super::{Exit, SettingsArguments};
use crate::app::{App, Offered};
use crate::config::{Config, Environment, Overrides, listing, template};

/// The arguments of `forge init`.
#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Ask nothing
    #[arg(long)]
    yes: bool,
    /// Replace the file if there is one; the old one stays as `.bak`
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(super) settings: SettingsArguments,
}

/// How long a server may take that runs on this machine.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Where llama-server is looked for beside the address that is set.
const LLAMA: [&str; 2] = ["http://127.0.0.1:8080", "http://127.0.0.1:8081"];

const OLLAMA: &str = "http://127.0.0.1:11434";

pub(super) async fn run(arguments: &InitArguments) -> Result<Exit, CliError> {
    let environment = Environment::of_this_process()?;
    let overrides = arguments.settings.overrides();
    let listing = listing::list(&environment, &overrides);
    let path = listing.user_file.ok_or(CliError::NoSettingsFolder)?;
    if path.exists() && !arguments.force {
        return Err(CliError::SettingsExist { path });
    }
    let url = listing.rows.iter().find(|row| row.key == "llama_cpp.url");
    let url = url.and_then(|row| row.value.clone()).unwrap_or_default();
    let found = look(&url).await.map_err(CliError::HttpClient)?;
    print_line(&found.told(&url))?;
    let offered = offered(environment, &overrides).await?;
    let Some(tools) = chosen(&offered, arguments.yes)? else {
        return Ok(Exit::Interrupted);
    };
    let mut values = vec![(
        "enabled_tools",
        template::list(tools.iter().map(String::as_str)),
    )];
    if let Some(server) = found.llama.filter(|server| *server != LLAMA[0]) {
        values.push(("llama_cpp.url", template::quoted(&server)));
    }
    let kept = write(&path, &template::file(&values)).map_err(|source| CliError::Settings {
        path: path.clone(),
        source,
    })?;
    if let Some(kept) = kept {
        print_line(&format!("kept the old file as {}", kept.display()))?;
    }
    print_line(&format!("wrote {}\nnext: forge chat hello", path.display()))?;
    Ok(Exit::Answered)
}

/// What answers on this machine.
struct Found {
    /// The address of llama-server.
    llama: Option<String>,
    /// Ollama's models; `None` when it does not answer.
    ollama: Option<Vec<String>>,
}

async fn look(url: &str) -> Result<Found, reqwest::Error> {
    let client = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .no_proxy()
        .build()?;
    let mut llama = None;
    for address in [url].into_iter().chain(LLAMA) {
        // A server that still loads its model answers 503, and is one.
        let answer = client.get(format!("{address}/props")).send().await;
        if let Ok(answer) = answer
            && (answer.status().is_success()
                || answer.status() == reqwest::StatusCode::SERVICE_UNAVAILABLE)
        {
            llama = Some(address.to_owned());
            break;
        }
    }
    Ok(Found {
        llama,
        ollama: models(&client).await,
    })
}

#[derive(Debug, Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
struct Tag {
    name: String,
}

async fn models(client: &reqwest::Client) -> Option<Vec<String>> {
    let answer = client.get(format!("{OLLAMA}/api/tags")).send().await.ok()?;
    let tags: Tags = answer.json().await.ok()?;
    Some(tags.models.into_iter().map(|tag| tag.name).collect())
}

impl Found {
    fn told(&self, url: &str) -> String {
        let llama = match &self.llama {
            Some(address) => format!("llama-server answers at {address}"),
            None => format!(
                "no llama-server answers at {url} or on ports 8080 and 8081: start one with `llama-server -m MODEL.gguf`"
            ),
        };
        match &self.ollama {
            Some(models) => format!(
                "{llama}\nOllama answers with {} models, but this version of Forge speaks to llama-server only",
                models.len()
            ),
            None => llama,
        }
    }
}

/// One tool to choose.
struct Choice {
    name: String,
    requires: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}  (requires {})", self.name, self.requires)
    }
}

/// The tools of this binary. The file that is about to be written has no say.
async fn offered(
    mut environment: Environment,
    overrides: &Overrides,
) -> Result<Vec<Choice>, CliError> {
    environment.user_config_dir = None;
    environment
        .variables
        .remove("FORGE_CONFIG_FILE".as_ref() as &std::ffi::OsStr);
    let overrides = Overrides {
        config_file: None,
        ..overrides.clone()
    };
    let config = Config::read(&environment, &overrides)?;
    let app = App::start(&config).await?;
    let mut choices: Vec<Choice> = Vec::new();
    for Offered { listing, .. } in app.capabilities() {
        let requires = listing
            .requires
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), ToString::to_string);
        let name = listing.capability.to_string();
        match choices.last_mut().filter(|last| last.name == name) {
            Some(last) if last.requires.contains(&requires) => {}
            Some(last) => last.requires = format!("{}, {requires}", last.requires),
            None => choices.push(Choice { name, requires }),
        }
    }
    Ok(choices)
}

/// The names of the tools that are wanted; `None` when whoever was asked left.
fn chosen(offered: &[Choice], is_silent: bool) -> Result<Option<Vec<String>>, CliError> {
    let fallback = ["chat", "code", "files"];
    let defaults: Vec<usize> = (0..offered.len())
        .filter(|&index| fallback.contains(&offered[index].name.as_str()))
        .collect();
    if is_silent || !io::stdin().is_terminal() || offered.is_empty() {
        return Ok(Some(fallback.map(str::to_owned).to_vec()));
    }
    let asked = MultiSelect::new("Which tools may the model use?", offered.iter().collect())
        .with_default(&defaults)
        .prompt();
    match asked {
        Ok(choices) => Ok(Some(
            choices
                .into_iter()
                .map(|choice| choice.name.clone())
                .collect(),
        )),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(CliError::Input(io::Error::other(error))),
    }
}

/// Writes the file, and returns where an older one is kept.
fn write(path: &Path, text: &str) -> io::Result<Option<PathBuf>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut kept = path.as_os_str().to_owned();
    kept.push(".bak");
    let kept = path.exists().then(|| PathBuf::from(kept));
    if let Some(kept) = &kept {
        fs::rename(path, kept)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // It may come to hold a token.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())?;
    Ok(kept)
}

fn print_line(text: &str) -> Result<(), CliError> {
    print(&format!("{text}\n"))
}
