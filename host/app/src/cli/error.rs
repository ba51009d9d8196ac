//! How a failure outside a turn is told, and with which exit code. The one place that renders them.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use super::Exit;
use super::printable::printable;
use crate::app::StartError;
use crate::causes::with_causes;
use crate::config::ConfigError;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Config(Box<ConfigError>),
    #[error(transparent)]
    Start(#[from] StartError),
    /// Standard input is no text.
    #[error("standard input can't be read")]
    Input(#[source] io::Error),
    #[error(
        "standard input holds more than {limit} bytes: put long text into a file of the workspace"
    )]
    InputTooLong { limit: u64 },
    #[error("there is no text: say what you want, as in `forge chat hello`")]
    NoText,
    #[error("standard output can't be written")]
    Output(#[source] io::Error),
    #[error(
        "`{address}` can't be listened on: is another Forge running? choose another with `--listen` or `FORGE_LISTEN`"
    )]
    Listen {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("signals can't be listened to")]
    Signals(#[source] io::Error),
    #[error(
        "there is `{}` already: change it by hand, or give `--force` to write a new one",
        path.display()
    )]
    SettingsExist { path: PathBuf },
    #[error("the folder of settings is unknown: name a file with `--config`")]
    NoSettingsFolder,
    #[error("`{}` can't be written", path.display())]
    Settings { path: PathBuf, source: io::Error },
    #[error("the HTTP client can't be made")]
    HttpClient(#[source] reqwest::Error),
    #[error("the operator's token in `{}` can't be used", path.display())]
    OperatorToken { path: PathBuf, source: io::Error },
    /// What was asked for can't be done; the text says why.
    #[error("{0}")]
    NotPossible(String),
    #[error("no threads can be started")]
    Threads(#[source] io::Error),
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Config(Box::new(error))
    }
}

const ERROR: Style = AnsiColor::Red.on_default().bold();

impl CliError {
    /// Tells the user, and says how the program ends.
    pub(super) fn report(&self) -> Exit {
        say(&self.text());
        self.exit()
    }

    /// The error with its causes, in one line.
    pub(super) fn text(&self) -> String {
        with_causes(self)
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Config(_)
            | Self::Input(_)
            | Self::InputTooLong { .. }
            | Self::NoText
            | Self::SettingsExist { .. }
            | Self::NoSettingsFolder
            | Self::NotPossible(_)
            | Self::Settings { .. } => Exit::BadUse,
            Self::Start(error) => match error {
                StartError::Workspace { .. }
                | StartError::Script(_)
                | StartError::UnknownDenied { .. }
                | StartError::UnknownTools { .. } => Exit::BadUse,
                StartError::Runtime(_) | StartError::HttpClient(_) => Exit::Internal,
            },
            Self::Listen { .. } => Exit::BadUse,
            Self::OperatorToken { .. }
            | Self::Output(_)
            | Self::Signals(_)
            | Self::Threads(_)
            | Self::HttpClient(_) => Exit::Internal,
        }
    }
}

/// Writes one error to standard error.
pub(super) fn say(text: &str) {
    let mut errors = anstream::stderr();
    // Nobody is left to be told when standard error is closed.
    let _ = io::Write::write_fmt(
        &mut errors,
        format_args!("{ERROR}error:{ERROR:#} {}\n", printable(text)),
    );
}
