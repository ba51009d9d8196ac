//! `forge serve`: the HTTP API and the web page.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::Exit;
use super::error::CliError;
use crate::app::App;
use crate::config::Config;
use crate::http::{self, Served, Settings};
use crate::operator;

pub(super) async fn run(config: &Config) -> Result<Exit, CliError> {
    let operator = operator::token(&config.data_dir);
    let (operator, _) = operator.map_err(|source| CliError::OperatorToken {
        path: config.data_dir.join("operator-token"),
        source,
    })?;
    let settings = settings(config, operator.clone());
    // First of all: who can't listen need not start the rest.
    let listener = listen(settings.listen).await?;
    let address = listener.local_addr().map_err(CliError::Signals)?;
    let signals = signals().map_err(CliError::Signals)?;
    let app = Arc::new(App::start(config).await?);
    for warning in app.warnings() {
        tracing::warn!("{warning}");
    }
    if let Err(error) = app.open_store().await {
        tracing::warn!("turns are taken and not stored: {}", error.with_cause());
    }
    let mut errors = anstream::stderr();
    // Who closed standard error does not want to know.
    let _ = io::Write::write_fmt(
        &mut errors,
        format_args!(
            "Forge listens on http://{address}  (Ctrl-C ends it)\nTo answer what it asks, open http://{address}/#operator={operator}\n"
        ),
    );
    let served = http::serve(
        app,
        listener,
        settings,
        reached(signals.clone(), 1),
        reached(signals, 2),
    )
    .await;
    Ok(match served {
        Served::ToTheEnd => Exit::Answered,
        Served::Stopped => Exit::Interrupted,
    })
}

async fn listen(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| CliError::Listen { address, source })
}

/// Counts the signals that ask this process to end.
fn signals() -> io::Result<watch::Receiver<u32>> {
    let (count, counted) = watch::channel(0);
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
            count.send_modify(|count| *count += 1);
        }
    });
    Ok(counted)
}

async fn reached(mut signals: watch::Receiver<u32>, number: u32) {
    // The sender lives as long as the process.
    let _ = signals.wait_for(|count| *count >= number).await;
}

fn settings(config: &Config, operator: String) -> Settings {
    Settings {
        listen: config.server.listen,
        api_token: config
            .server
            .api_token
            .as_ref()
            .map(|token| token.expose().to_owned()),
        operator_token: Some(operator),
        max_body_bytes: config.server.max_body_bytes,
    }
}
