//! An HTTP server that answers each connection with the next reply of a script.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex as AsyncMutex, mpsc};

/// A server on a free port of this machine; it stops listening after its last reply.
pub(super) struct Server {
    address: std::net::SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    hung_up: AsyncMutex<mpsc::UnboundedReceiver<()>>,
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) line: String,
    pub(super) body: String,
}

#[derive(Debug, Clone)]
pub(super) struct Reply {
    head: String,
    chunks: Vec<Vec<u8>>,
    ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// As HTTP wants it.
    Proper,
    /// The connection is closed in the middle.
    Abort,
    /// Nothing more comes until the client hangs up.
    Silence,
}

impl Reply {
    pub(super) fn chunked(
        status: u16,
        media_type: &str,
        chunks: impl IntoIterator<Item = Vec<u8>>,
    ) -> Self {
        let framed = |chunk: Vec<u8>| {
            let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
            framed.extend(chunk);
            framed.extend(b"\r\n");
            framed
        };
        Self {
            head: format!(
                "HTTP/1.1 {status} x\r\ncontent-type: {media_type}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
            ),
            chunks: chunks.into_iter().map(framed).collect(),
            ending: Ending::Proper,
        }
    }

    /// The connection is closed without a word.
    pub(super) fn nothing() -> Self {
        Self {
            head: String::new(),
            chunks: Vec::new(),
            ending: Ending::Abort,
        }
    }

    pub(super) fn whole(status: u16, media_type: &str, body: &str) -> Self {
        Self::chunked(status, media_type, [body.as_bytes().to_vec()])
    }

    pub(super) fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }
}

impl Server {
    pub(super) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (sender, receiver) = mpsc::unbounded_channel();
        let kept = Arc::clone(&requests);
        let serving = async move {
            for reply in replies {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                kept.lock().unwrap().push(request);
                send(&mut stream, &reply, &sender).await;
            }
        };
        tokio::spawn(serving);
        Self {
            address,
            requests,
            hung_up: AsyncMutex::new(receiver),
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a client has hung up on a silent reply.
    pub(super) async fn hung_up(&self) {
        self.hung_up.lock().await.recv().await.unwrap();
    }
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    loop {
        stream.read_buf(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse().unwrap());
        if body.len() >= length {
            return Request {
                line: head.lines().next().unwrap_or_default().to_owned(),
                body: body.to_owned(),
            };
        }
    }
}

async fn send(stream: &mut TcpStream, reply: &Reply, hung_up: &mpsc::UnboundedSender<()>) {
    stream.set_nodelay(true).unwrap();
    let mut parts = vec![reply.head.clone().into_bytes()];
    parts.extend(reply.chunks.iter().cloned());
    if reply.ending == Ending::Proper {
        parts.push(b"0\r\n\r\n".to_vec());
    }
    for part in parts {
        // A client that has what it needs may be gone already.
        if stream.write_all(&part).await.is_err() {
            return;
        }
    }
    if reply.ending == Ending::Silence {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        let _ = hung_up.send(());
    }
}
