//! Accepts connections and, at the end, lets running turns finish. Not here: what is answered.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::{Settings, router};
use crate::app::App;

/// The longest time for the head of a request, and between two requests of one connection.
const HEAD_PATIENCE: Duration = Duration::from_secs(60);
/// How long accepting rests after a failure, such as too many open files.
const REST: Duration = Duration::from_millis(100);

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// Every running turn was finished.
    ToTheEnd,
    /// The second signal came first.
    Stopped,
}

/// Serves `app` on `listener` until `shutdown`; then no connection is accepted any more, and what runs is
/// finished unless `stop` comes first.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    settings: Settings,
    shutdown: impl Future<Output = ()>,
    stop: impl Future<Output = ()>,
) -> Served {
    let router = router(app, settings);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE);
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("a connection can't be accepted: {error}");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        // An answer must not wait for the next one to fill a packet.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("a connection ended: {error}");
            }
        });
    }
    drop(listener);
    let running = graceful.count();
    if running > 0 {
        tracing::info!("waiting for {running} connections to finish");
    }
    tokio::select! {
        () = graceful.shutdown() => Served::ToTheEnd,
        () = stop => Served::Stopped,
    }
}
