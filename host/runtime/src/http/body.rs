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
use super::scrub::{Scrubber, Scrubbing};

/// The body of an answer as it comes over the network.
pub(crate) struct AnswerBody {
    incoming: Incoming,
    origin: String,
    limit: u64,
    received: Arc<AtomicU64>,
    between_bytes: Duration,
    silence: Pin<Box<Sleep>>,
    /// Takes out the secrets that were sent, where some were.
    scrubbing: Option<Scrubbing>,
}

impl AnswerBody {
    pub(super) fn new(
        incoming: Incoming,
        origin: String,
        limit: u64,
        between_bytes: Duration,
        scrubber: Option<Arc<Scrubber>>,
    ) -> Self {
        Self {
            incoming,
            origin,
            limit,
            received: Arc::default(),
            between_bytes,
            silence: Box::pin(tokio::time::sleep(between_bytes)),
            scrubbing: scrubber.map(Scrubbing::with),
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

impl AnswerBody {
    /// What of `frame` is passed on; `None` where it is all held back.
    fn passed(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        let Some(scrubbing) = &mut self.scrubbing else {
            return Some(frame);
        };
        // Trailers may be left out (RFC 9110 §6.5.1), and are where a secret could come back in them.
        let data = frame.into_data().ok()?;
        some_data(scrubbing.push(&data))
    }

    /// What was held back to the end.
    fn rest(&mut self) -> Option<Frame<Bytes>> {
        some_data(self.scrubbing.as_mut()?.end())
    }

    fn held(&self) -> u64 {
        self.scrubbing.as_ref().map_or(0, |it| it.held() as u64)
    }
}

fn some_data(bytes: Vec<u8>) -> Option<Frame<Bytes>> {
    (!bytes.is_empty()).then(|| Frame::data(bytes.into()))
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Refusal;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Refusal>>> {
        loop {
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
            let passed = match frame {
                None => return Poll::Ready(self.rest().map(Ok)),
                Some(Err(error)) => Some(Err(Refusal::Broken {
                    origin: self.origin.clone(),
                    problem: root(&error),
                })),
                Some(Ok(frame)) => {
                    let bytes = frame.data_ref().map_or(0, Bytes::len);
                    match self.count(bytes) {
                        Ok(()) => self.passed(frame).map(Ok),
                        Err(refusal) => Some(Err(refusal)),
                    }
                }
            };
            if passed.is_some() {
                return Poll::Ready(passed);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream() && self.held() == 0
    }

    fn size_hint(&self) -> SizeHint {
        let (coming, held) = (self.incoming.size_hint(), self.held());
        let mut hint = SizeHint::new();
        hint.set_lower(coming.lower() + held);
        if let Some(upper) = coming.upper() {
            hint.set_upper(upper + held);
        }
        hint
    }
}
