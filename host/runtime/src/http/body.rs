//! The body of an answer, guarded: it has a longest silence and a greatest length.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

use super::refusal::{Refusal, root};

/// The body of an answer as it comes over the network.
pub(crate) struct AnswerBody {
    incoming: Incoming,
    origin: String,
    limit: u64,
    received: Arc<AtomicU64>,
    between_bytes: Duration,
    silence: Pin<Box<Sleep>>,
}

impl AnswerBody {
    pub(super) fn new(
        incoming: Incoming,
        origin: String,
        limit: u64,
        between_bytes: Duration,
    ) -> Self {
        Self {
            incoming,
            origin,
            limit,
            received: Arc::default(),
            between_bytes,
            silence: Box::pin(tokio::time::sleep(between_bytes)),
        }
    }

    /// The origin that it comes from.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// How many bytes have come, also while it is being read.
    pub(crate) fn received(&self) -> Arc<AtomicU64> {
        self.received.clone()
    }

    /// Counts `bytes`; past the limit the body ends with an error.
    fn count(&self, bytes: usize) -> Result<(), Refusal> {
        let bytes = bytes as u64;
        let received = self.received.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if received > self.limit {
            return Err(Refusal::TooLong {
                origin: self.origin.clone(),
                limit: self.limit,
                name: "response_bytes",
            });
        }
        Ok(())
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Refusal;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Refusal>>> {
        let frame = match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                ready!(self.silence.as_mut().poll(context));
                return Poll::Ready(Some(Err(Refusal::Timeout {
                    origin: self.origin.clone(),
                    what: "nothing more of its answer came",
                    limit_ms: self.between_bytes.as_millis(),
                })));
            }
        };
        let until = Instant::now() + self.between_bytes;
        self.silence.as_mut().reset(until);
        Poll::Ready(match frame {
            None => None,
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                Some(self.count(bytes).map(|()| frame))
            }
            Some(Err(error)) => Some(Err(Refusal::Broken {
                origin: self.origin.clone(),
                problem: root(&error),
            })),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
