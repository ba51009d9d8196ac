//! The web page: three files that are part of this binary. It needs nothing from elsewhere, and the browser is
//! told to load nothing from elsewhere.

use axum::http::{HeaderName, header};
use axum::response::IntoResponse;

pub(super) async fn index() -> impl IntoResponse {
    file(
        "text/html; charset=utf-8",
        include_str!("../../assets/index.html"),
    )
}

pub(super) async fn script() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("../../assets/app.js"),
    )
}

pub(super) async fn style() -> impl IntoResponse {
    file(
        "text/css; charset=utf-8",
        include_str!("../../assets/app.css"),
    )
}

/// No inline script or style, nothing from another host, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn file(media: &'static str, content: &'static str) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 5] = [
        (header::CONTENT_TYPE, media),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, content)
}
