//! The HTTP API and the web page, over the same [`App`] as every other surface.
//!
//! Here are the routes and the order of the checks. Each request passes, from outside in: its id and its
//! line in the log; who may ask (`Host`, `Origin`, token); the route. Not here: what a turn does.

mod chat;
mod approvals;
mod events;
mod listings;
mod page;
mod guard;
mod body;
mod problem;
mod server;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;

use crate::app::App;

pub use server::{Served, serve};

/// How the server behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What a request must bring as a bearer token, if anything.
    pub api_token: Option<String>,
    /// What a request must bring to answer what policy asks; without one nobody can over HTTP.
    pub operator_token: Option<String>,
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
}

/// Turns that run at once; more wait for a place.
const RUNNING_TURNS: usize = 64;
/// Turns that may wait; more are told to come back.
const WAITING_TURNS: usize = 256;

/// What every request needs.
struct Shared {
    app: Arc<App>,
    settings: Settings,
    running: Semaphore,
    /// Places of turns that run or wait.
    admitted: Semaphore,
}

/// The API, for a server that listens where `settings` say.
pub fn router(app: Arc<App>, settings: Settings) -> Router {
    let shared = Arc::new(Shared {
        app,
        settings,
        running: Semaphore::new(RUNNING_TURNS),
        admitted: Semaphore::new(RUNNING_TURNS + WAITING_TURNS),
    });
    let open = Router::new()
        .route("/", get(page::index))
        .route("/app.js", get(page::script))
        .route("/app.css", get(page::style))
        .route("/health", get(listings::health));
    let closed = Router::new()
        .route("/chat", post(chat::chat))
        .route("/tools", get(listings::tools))
        .route("/capabilities", get(listings::capabilities))
        .route("/traces", get(listings::traces))
        .route("/conversations", get(listings::conversations))
        .route("/history", get(listings::history))
        .route("/artifacts/{digest}", get(listings::artifact))
        .route_layer(from_fn_with_state(shared.clone(), guard::token));
    let operators = Router::new()
        .route("/approvals", get(approvals::list))
        .route("/approvals/{id}", post(approvals::answer))
        .route_layer(from_fn_with_state(shared.clone(), guard::operator));
    open.merge(closed)
        .merge(operators)
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn_with_state(shared.clone(), guard::origin))
        .layer(from_fn(guard::identified))
        .with_state(shared)
}
