//! A server of its own and a client that speaks plain HTTP to it.

use std::net::SocketAddr;
use std::sync::Arc;

use forge_app::http::{self, Served, Settings};
use forge_app::providers::scripted::{Line, Scripted};
use forge_core::provider::Provider;
use forge_tests::forge::{Forge, Setup};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The operator's token.
pub(super) const OPERATOR: &str = "the operator's own";

/// A model's answer in words.
pub(super) fn answer(text: &str) -> String {
    json!({"tool": "chat", "content": text}).to_string()
}

/// A model's call of `files`.
pub(super) fn files(input: &Value) -> String {
    json!({"tool": "files", "content": input}).to_string()
}

/// A running server.
pub(super) struct Api {
    pub(super) forge: Forge,
    address: SocketAddr,
    shutdown: Option<oneshot::Sender<()>>,
    served: JoinHandle<Served>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Response {
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.clone())
    }
}

impl Api {
    pub(super) async fn start(lines: Vec<String>, setup: Setup, token: Option<&str>) -> Self {
        let lines: Vec<Line> = lines.iter().map(String::as_str).map(Line::answer).collect();
        Self::with_model(Arc::new(Scripted::new(lines)), setup, token).await
    }

    pub(super) async fn with_model(
        model: Arc<dyn Provider>,
        setup: Setup,
        token: Option<&str>,
    ) -> Self {
        let forge = setup.start(model).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let settings = Settings {
            listen: address,
            api_token: token.map(str::to_owned),
            operator_token: Some(OPERATOR.to_owned()),
            max_body_bytes: 1 << 20,
        };
        let (shutdown, asked) = oneshot::channel::<()>();
        let app = forge.app().clone();
        let served = tokio::spawn(async move {
            let asked = async {
                let _ = asked.await;
            };
            http::serve(app, listener, settings, asked, std::future::pending()).await
        });
        Self {
            forge,
            address,
            shutdown: Some(shutdown),
            served,
        }
    }

    /// A connection to it.
    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends these bytes on a connection of their own and returns the one response to them.
    pub(super) async fn raw(&self, request: &str) -> Response {
        let mut stream = self.connect().await;
        // Refused early, the server may close while the rest is still being sent.
        let _ = stream.write_all(request.as_bytes()).await;
        if request.starts_with("HEAD ") {
            read(&mut stream, &mut Vec::new(), Body::Never).await
        } else {
            response(&mut stream).await
        }
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let response = self.raw(&request).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        serde_json::from_str(&response.body).unwrap()
    }

    pub(super) async fn chat(&self, body: &Value) -> Value {
        let response = self.raw(&chat_request(body, "application/json")).await;
        assert_eq!(response.status, 200, "{response:?}");
        serde_json::from_str(&response.body).unwrap()
    }

    /// Asks it to end, as a signal does.
    pub(super) fn shut_down(&mut self) {
        self.shutdown.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has ended.
    pub(super) async fn ended(self) -> Served {
        self.served.await.unwrap()
    }
}

/// A request for a turn whose answer is to be of the media type `accept`.
pub(super) fn chat_request(body: &Value, accept: &str) -> String {
    let body = body.to_string();
    format!(
        "POST /chat HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads one response with a `content-length`, or one that ends with its last chunk.
pub(super) async fn response(stream: &mut TcpStream) -> Response {
    read(stream, &mut Vec::new(), Body::AsAnnounced).await
}

/// Reads responses to `count` requests that were sent at once.
pub(super) async fn responses(stream: &mut TcpStream, count: usize) -> Vec<Response> {
    let (mut bytes, mut responses) = (Vec::new(), Vec::new());
    while responses.len() < count {
        responses.push(read(stream, &mut bytes, Body::AsAnnounced).await);
    }
    assert!(bytes.is_empty(), "{}", String::from_utf8_lossy(&bytes));
    responses
}

/// Whether a body follows the head.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    AsAnnounced,
    Never,
}

/// Takes one response from `bytes`, which `stream` fills.
async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>, body: Body) -> Response {
    let mut piece = [0; 4096];
    loop {
        if let Some((response, length)) = whole(bytes, body) {
            bytes.drain(..length);
            return response;
        }
        let length = stream.read(&mut piece).await.unwrap();
        assert!(
            length > 0,
            "it ended early: {}",
            String::from_utf8_lossy(bytes)
        );
        bytes.extend_from_slice(&piece[..length]);
    }
}

/// The response at the beginning of `bytes`, and how many of them it takes.
fn whole(bytes: &[u8], body: Body) -> Option<(Response, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let rest = &bytes[end + 4..];
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let announced = headers.iter().find(|(name, _)| name == "content-length");
    let length = match (body, announced) {
        (Body::Never, _) => 0,
        (Body::AsAnnounced, Some((_, length))) => length.parse().ok()?,
        // Nothing else is sent on such a connection meanwhile.
        (Body::AsAnnounced, None) if rest.ends_with(b"0\r\n\r\n") => rest.len(),
        (Body::AsAnnounced, None) => return None,
    };
    let body = String::from_utf8_lossy(rest.get(..length)?).into_owned();
    let response = Response {
        status,
        headers,
        body,
    };
    Some((response, end + 4 + length))
}
