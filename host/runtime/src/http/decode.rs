//! The whole body of an answer, decompressed within bounds.

use std::io;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder};
use futures_util::TryStreamExt;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_body_util::BodyDataStream;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

use super::body::AnswerBody;
use super::refusal::{Refusal, cause, root};

/// The encodings that [`collect`] reads, as a request offers them.
pub(crate) const ENCODINGS: &str = "gzip, deflate, br";

/// How much of a body is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The most bytes, decompressed.
    pub(crate) max_bytes: u64,
    /// What that is called.
    pub(crate) name: &'static str,
    /// Whether a longer one is cut there, and no error.
    pub(crate) truncate: bool,
    /// Whether it is decompressed.
    pub(crate) decodes: bool,
}

/// Reads `body` as far as it is wanted, and takes out of `headers` what was true of its compressed form.
pub(crate) async fn collect(
    body: AnswerBody,
    headers: &mut HeaderMap,
    wanted: Wanted,
) -> Result<Vec<u8>, Refusal> {
    let origin = body.origin().to_owned();
    let too_long = || Refusal::TooLong {
        origin: origin.clone(),
        limit: wanted.max_bytes,
        name: wanted.name,
    };
    // Who announces too much need not send it.
    let announced = http_body::Body::size_hint(&body).lower();
    let is_plain = !headers.contains_key(CONTENT_ENCODING);
    if announced > wanted.max_bytes && is_plain && !wanted.truncate {
        return Err(too_long());
    }
    let mut reader = decoder(body, headers, wanted.decodes)?;
    let mut bytes = Vec::new();
    loop {
        let room = wanted.max_bytes.saturating_sub(bytes.len() as u64);
        // One more, to see whether there is more.
        let piece = (&mut reader).take(room.saturating_add(1).min(PIECE_BYTES));
        let length = read(piece, &mut bytes, &origin).await?;
        if length == 0 {
            return Ok(bytes);
        }
        if bytes.len() as u64 > wanted.max_bytes {
            bytes.truncate(usize::try_from(wanted.max_bytes).unwrap_or(usize::MAX));
            return if wanted.truncate {
                Ok(bytes)
            } else {
                Err(too_long())
            };
        }
    }
}

/// How much is read at once: what is decompressed is never far ahead of the limit.
const PIECE_BYTES: u64 = 64 << 10;

async fn read(
    mut piece: impl AsyncRead + Unpin,
    bytes: &mut Vec<u8>,
    origin: &str,
) -> Result<usize, Refusal> {
    piece.read_to_end(bytes).await.map_err(|error| {
        cause::<Refusal>(&error)
            .cloned()
            .unwrap_or_else(|| Refusal::Broken {
                origin: origin.to_owned(),
                problem: root(&error),
            })
    })
}

fn decoder(
    body: AnswerBody,
    headers: &mut HeaderMap,
    decodes: bool,
) -> Result<Pin<Box<dyn AsyncRead + Send>>, Refusal> {
    let raw = |body| StreamReader::new(BodyDataStream::new(body).map_err(io::Error::other));
    if !decodes {
        return Ok(Box::pin(raw(body)));
    }
    let encoding = headers.remove(CONTENT_ENCODING);
    let encoding = encoding
        .as_ref()
        .map_or(Ok("identity"), |value| value.to_str())
        .unwrap_or("?")
        .trim()
        .to_ascii_lowercase();
    let origin = body.origin().to_owned();
    let raw = raw(body);
    if encoding != "identity" && !encoding.is_empty() {
        headers.remove(CONTENT_LENGTH);
    }
    Ok(match encoding.as_str() {
        "" | "identity" => Box::pin(raw),
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(raw);
            decoder.multiple_members(true);
            Box::pin(decoder)
        }
        "deflate" => Box::pin(ZlibDecoder::new(raw)),
        "br" => Box::pin(BrotliDecoder::new(raw)),
        other => {
            return Err(Refusal::Broken {
                origin,
                problem: format!("it is encoded as `{other}`, which was not asked for"),
            });
        }
    })
}
