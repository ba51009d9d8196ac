//! The line from a running tool to whoever called it. What a tool holds must not borrow, and its caller does: news
//! therefore go through a channel. Not here: who answers.

use async_trait::async_trait;
use forge_contract::nested::{NestedAnswer, NestedCall};
use forge_contract::outcome::{FailureCode, Outcome};
use forge_contract::report::Progress;
use forge_runtime::Calling;
use tokio::sync::{mpsc, oneshot};

/// What a tool says while it runs.
pub(super) enum News {
    /// How far it has come.
    Progress(Progress),
    /// It asks for a call.
    Call(NestedCall, oneshot::Sender<NestedAnswer>),
}

/// The tool's end.
pub(super) struct Line {
    sender: mpsc::UnboundedSender<News>,
}

impl Line {
    /// A line, and its caller's end.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<News>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender }, receiver)
    }

    pub(super) fn tell(&self, progress: Progress) {
        // Nobody listens any more once the call is given up.
        let _ = self.sender.send(News::Progress(progress));
    }
}

#[async_trait]
impl Calling for Line {
    async fn invoke(&self, call: NestedCall) -> NestedAnswer {
        let (sender, answer) = oneshot::channel();
        let _ = self.sender.send(News::Call(call, sender));
        answer.await.unwrap_or_else(|_closed| {
            let message = "the call that asked for it was given up";
            NestedAnswer::not_made(Outcome::failed(FailureCode::Unavailable, message))
        })
    }
}
