//! A server that answers as badly as one can, and listeners that should never hear of anyone.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use flate2::Compression;
use flate2::write::GzEncoder;
use forge_runtime::{Lookup, Resolve};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Bytes of the bomb once it is decompressed.
pub const BOMB_BYTES: usize = 256 << 20;

/// A server on loopback. It ends with its owner.
pub struct Rig {
    address: SocketAddr,
    counts: Arc<Counts>,
    _serving: JoinSet<()>,
}

#[derive(Default)]
struct Counts {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

impl Rig {
    /// Starts one on a free port of `host`.
    ///
    /// # Panics
    /// When it can't listen there.
    pub async fn start(host: &str) -> Self {
        let listener = TcpListener::bind((host, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let counts = Arc::new(Counts::default());
        let mut serving = JoinSet::new();
        let counted = counts.clone();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.connections.fetch_add(1, Ordering::SeqCst);
                let counted = counted.clone();
                connections.spawn(async move { serve(stream, &counted.requests).await });
            }
        });
        Self {
            address,
            counts,
            _serving: serving,
        }
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections it has accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::SeqCst)
    }

    /// How many requests it has read.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::SeqCst)
    }
}

/// Answers the requests of one connection until it is closed.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, requests: &AtomicUsize) {
    let mut bytes = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                let head: Vec<u8> = bytes.drain(..end + 4).collect();
                break String::from_utf8_lossy(&head).into_owned();
            }
            let mut piece = [0; 4096];
            match stream.read(&mut piece).await {
                Ok(0) | Err(_) => return,
                Ok(length) => bytes.extend_from_slice(&piece[..length]),
            }
        };
        requests.fetch_add(1, Ordering::SeqCst);
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        if !answer(&mut stream, &path, &head).await {
            return;
        }
    }
}

/// Whether the connection goes on.
async fn answer<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, path: &str, head: &str) -> bool {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let whole = match path {
        "/leak" => leak(query, head),
        "/hello" => text("hello"),
        "/echo" => text(head),
        "/search" => response(
            "content-type: application/json\r\n",
            br#"{"results": [{"title": "Zig", "url": "http://zig.example/", "content": "A language."}]}"#,
        ),
        "/page" => response(
            "content-type: text/html\r\n",
            b"<h1>Tide table</h1><p>High water at <b>06:12</b>.",
        ),
        "/redirect" => {
            format!("HTTP/1.1 302 Found\r\nlocation: {query}\r\ncontent-length: 0\r\n\r\n")
                .into_bytes()
        }
        "/gzip" => response("content-encoding: gzip\r\n", &gzip(b"hello")),
        "/bomb" => response("content-encoding: gzip\r\n", &gzip(&vec![0; BOMB_BYTES])),
        "/notgzip" => response("content-encoding: gzip\r\n", b"hello"),
        "/unasked" => response("content-encoding: zip\r\n", b"hello"),
        "/badchunk" => {
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n".to_vec()
        }
        "/hugechunk" => {
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n"
                .to_vec()
        }
        "/nohttp" => b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
        "/manyheaders" => response(&"a: b\r\n".repeat(300), b"hello"),
        "/announced" => b"HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n".to_vec(),
        "/short" => b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello".to_vec(),
        "/big" => return flood(stream, b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 1 << 16]).await,
        "/bigchunked" => {
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            let chunk = [&b"10000\r\n"[..], &[b'x'; 1 << 16], b"\r\n"].concat();
            return flood(stream, head, &chunk).await;
        }
        "/headerflood" => {
            return flood(
                stream,
                b"HTTP/1.1 200 OK\r\n",
                b"a: bbbbbbbbbbbbbbbbbbbbbbbb\r\n",
            )
            .await;
        }
        "/drip" => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
            return drip(stream, head, Duration::from_millis(20)).await;
        }
        "/stall" => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
            return drip(stream, head, Duration::from_secs(3600)).await;
        }
        "/silent" => {
            // Until the other side goes.
            let _ = stream.read(&mut [0; 16]).await;
            return false;
        }
        _ => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
    };
    let goes_on = matches!(
        path,
        "/leak" | "/hello" | "/echo" | "/page" | "/redirect" | "/gzip"
    );
    stream.write_all(&whole).await.is_ok() && goes_on
}

/// A secret that nothing else holds, with what servers escape.
pub const CANARY: &str = r#"canary/8f1+e "q\uo" <7>"#;
/// The header that carries it.
pub const CANARY_HEADER: &str = "x-key";

/// The forms in which `/leak?FORM` gives the canary back; `arrived` only tells whether it came.
pub const LEAKS: [&str; 8] = [
    "arrived", "body", "json", "base64", "percent", "head", "pieces", "trailer",
];

/// What was in the header of the canary, given back in some form.
fn leak(form: &str, head: &str) -> Vec<u8> {
    let prefix = format!("{CANARY_HEADER}: ");
    let value = head.lines().find_map(|line| line.strip_prefix(&prefix));
    let value = value.unwrap_or_default();
    match form {
        "arrived" => text(if value == format!("Key {CANARY}") {
            "it arrived"
        } else {
            "it did not arrive"
        }),
        "json" => text(&serde_json::json!({ "sent": value }).to_string()),
        "base64" => text(&base64::engine::general_purpose::STANDARD.encode(head)),
        "percent" => text(&format!(
            "a={}",
            url::form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>()
        )),
        "head" => response(&format!("x-sent: {value}\r\nlocation: /?{value}\r\n"), b"it is above"),
        "pieces" => {
            let chunks = value.as_bytes().chunks(3).map(|piece| {
                let length = format!("{:x}\r\n", piece.len());
                [length.as_bytes(), piece, b"\r\n"].concat()
            });
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
            let chunks: Vec<Vec<u8>> = [head].into_iter().chain(chunks).collect();
            [&chunks.concat()[..], b"0\r\n\r\n"].concat()
        }
        "trailer" => format!(
            "HTTP/1.1 200 OK\r\ntrailer: x-sent\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-sent: {value}\r\n\r\n"
        )
        .into_bytes(),
        "gzip" => response("content-encoding: gzip\r\n", &gzip(value.as_bytes())),
        _ => text(value),
    }
}

fn text(body: &str) -> Vec<u8> {
    response("content-type: text/plain\r\n", body.as_bytes())
}

fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Sends `piece` again and again, until nobody takes it.
async fn flood<S: AsyncWrite + Unpin>(stream: &mut S, head: &[u8], piece: &[u8]) -> bool {
    let mut sent = stream.write_all(head).await;
    while sent.is_ok() {
        sent = stream.write_all(piece).await;
    }
    false
}

async fn drip<S: AsyncWrite + Unpin>(stream: &mut S, head: &[u8], pause: Duration) -> bool {
    let mut sent = stream.write_all(head).await;
    while sent.is_ok() {
        sent = stream.write_all(b"x").await;
        tokio::time::sleep(pause).await;
    }
    false
}

/// A resolver that answers from a table, another answer each time where it has several, and counts how often it is
/// asked.
#[derive(Default)]
pub struct Names {
    answers: BTreeMap<String, Vec<Vec<IpAddr>>>,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl Names {
    /// With `answers` for `name`, each a list of addresses.
    ///
    /// # Panics
    /// When something in it is no address.
    #[must_use]
    pub fn with(mut self, name: &str, answers: &[&[&str]]) -> Self {
        let parsed = answers.iter().map(|answer| {
            answer
                .iter()
                .map(|address| address.parse().expect("an address"))
                .collect()
        });
        self.answers.insert(name.to_owned(), parsed.collect());
        self
    }

    /// How often it was asked for `name`.
    ///
    /// # Panics
    /// Never: nobody panics while it is asked.
    #[must_use]
    pub fn asked(&self, name: &str) -> usize {
        let asked = self.asked.lock().expect("nobody panics here");
        asked.get(name).copied().unwrap_or_default()
    }
}

impl Resolve for Names {
    fn lookup<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        let mut asked = self.asked.lock().expect("nobody panics here");
        let before = asked.entry(host.to_owned()).or_default();
        let answer = self
            .answers
            .get(host)
            .map(|answers| answers[(*before).min(answers.len() - 1)].clone());
        *before += 1;
        Box::pin(async move { answer.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}
