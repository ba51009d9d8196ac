//! `wasi:http`: requests of guests with an HTTP library of their own, streamed both ways. Not here: what may be asked
//! and of whom (`crate::http`).
//!
//! The interface has no room for a refusal's reason; it is in the effect of the request.

use std::future::Future;
use std::sync::Arc;

use forge_contract::header::is_of_connection;
use http::HeaderName;
use http_body_util::BodyExt;
use wasmtime::component::Linker;
use wasmtime_wasi_http::p2;
use wasmtime_wasi_http::{
    Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView,
    WasiHttpHooks, WasiHttpView,
};

use super::http::Web;
use crate::http::{Patience, Refusal, Target};
use crate::recorder::requests::RequestNote;
use crate::state::State;

/// The host's side of `wasi:http` in one call.
#[derive(Default)]
pub(crate) struct WasiHttp {
    context: WasiHttpCtx,
    hooks: Hooks,
}

#[derive(Default)]
struct Hooks {
    /// `None` refuses everything.
    web: Option<Arc<Web>>,
}

impl WasiHttp {
    /// Lets requests out.
    pub(crate) fn open(&mut self, web: Arc<Web>) {
        self.hooks.web = Some(web);
    }
}

pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    p2::add_only_http_to_linker_async(linker)
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.wasi_http.hooks,
            table: &mut self.table,
            ctx: &mut self.wasi_http.context,
        }
    }
}

/// What says that a request was written to its end.
type Written = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Hooks {
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        // The library checks a `content-length` against the body itself.
        let is_forbidden = |name: &HeaderName| {
            name != http::header::CONTENT_LENGTH && is_of_connection(name.as_str())
        };
        Arc::new(is_forbidden)
    }

    /// It is set from what is connected to.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _response_ended: Written,
    ) -> Box<dyn Future<Output = Result<(http::Response<WasiBody>, Written), Error>> + Send> {
        let web = self.web.clone();
        Box::new(async move {
            let web = web.ok_or(Error::HttpRequestDenied)?;
            let url = request.uri().to_string();
            let note = web.begin(request.method().as_str(), &url);
            let note = note.ok_or(Error::ConnectionLimitReached)?;
            let response = send(&web, request, options.unwrap_or_default(), &note).await;
            let response = response.map_err(|refusal| told(&note, refusal))?;
            // The client writes the request and keeps the connection by itself.
            let written: Written = Box::new(std::future::ready(Ok(())));
            Ok((response, written))
        })
    }
}

async fn send(
    web: &Web,
    request: http::Request<WasiBody>,
    options: RequestOptions,
    note: &Arc<RequestNote>,
) -> Result<http::Response<WasiBody>, Refusal> {
    let target = Target::parse(&request.uri().to_string())?;
    let patience = Patience {
        first_byte: options.first_byte_timeout,
        between_bytes: options.between_bytes_timeout,
    };
    let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
    let answer = web.access().send(&target, request, patience).await?;
    note.answered(
        answer.address,
        answer.status.as_u16(),
        answer.body.received(),
    );
    let note = note.clone();
    let body = answer.body.map_err(move |refusal| told(&note, refusal));
    let mut response = http::Response::new(body.boxed_unsync());
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    Ok(response)
}

/// Notes the reason, and turns it into what the interface has a word for.
fn told(note: &RequestNote, refusal: Refusal) -> Error {
    note.failed(refusal.to_string());
    match refusal {
        Refusal::Url { .. } | Refusal::NoHost { .. } => Error::HttpRequestUriInvalid,
        Refusal::Scheme { .. } => Error::HttpProtocolError,
        Refusal::BadMethod { .. } => Error::HttpRequestMethodInvalid,
        Refusal::User { .. }
        | Refusal::Header { .. }
        | Refusal::BadHeader { .. }
        | Refusal::SecretHeader { .. }
        | Refusal::SecretInTheOpen { .. }
        | Refusal::NoSecret { .. }
        | Refusal::Method { .. }
        | Refusal::Origin { .. } => Error::HttpRequestDenied,
        Refusal::Address { .. } => Error::DestinationIpProhibited,
        Refusal::Unresolved { .. } => Error::DestinationNotFound,
        Refusal::NoConnection { .. } => Error::ConnectionRefused,
        Refusal::Tls { .. } | Refusal::NoTrust { .. } => Error::TlsCertificateError,
        Refusal::Timeout { .. } | Refusal::Late { .. } => Error::HttpResponseTimeout,
        Refusal::TooLong { limit, .. } => Error::HttpResponseBodySize(Some(limit)),
        Refusal::Broken { .. } => Error::HttpResponseIncomplete,
    }
}
