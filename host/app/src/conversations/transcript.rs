//! Reads what was said in a conversation from the log, beginning where it has to. Not here: conversations in memory,
//! which hold only what a prompt sees.

use forge_core::conversation::{ConversationId, Message, Summary, Transcript};
use forge_core::store::{EventLog, ReadBound, StoreError, StreamName};

use super::tell;

/// The messages whose id is above `after`, oldest first, at most `limit`.
pub(super) async fn read(
    log: &dyn EventLog,
    id: &ConversationId,
    after: u64,
    limit: usize,
) -> Result<Vec<Message>, StoreError> {
    let stream = id.stream();
    let (mut position, messages) = place(log, &stream, after).await?;
    let mut transcript = Transcript::after(messages);
    let mut found = Vec::new();
    while found.len() < limit {
        let page = log.read(&stream, position, ReadBound::default()).await?;
        for recorded in &page.events {
            position = recorded.position;
            match transcript.apply(recorded) {
                Ok(messages) => found.extend(messages.into_iter().flatten()),
                Err(skipped) => tell(id, &skipped),
            }
        }
        if page.events.is_empty() || position >= page.head {
            break;
        }
    }
    found.retain(|message| message.id > after);
    found.truncate(limit);
    Ok(found)
}

/// A position as late as can be up to which there are no messages whose id is above `after`, and how many messages
/// there are up to it. No event counts fewer messages than the one before it.
async fn place(
    log: &dyn EventLog,
    stream: &StreamName,
    after: u64,
) -> Result<(u64, u64), StoreError> {
    let one = ReadBound {
        events: 1,
        ..ReadBound::default()
    };
    let (mut found, mut messages) = (0, 0);
    if after == 0 {
        return Ok((found, messages));
    }
    let mut end = log.head(stream).await? + 1;
    while found + 1 < end {
        let middle = found + (end - found) / 2;
        let page = log.read(stream, middle - 1, one).await?;
        // What can't be read tells nothing: the search goes on before it.
        match page.events.first().and_then(Summary::of_last) {
            Some(summary) if summary.messages <= after => {
                (found, messages) = (middle, summary.messages);
            }
            _ => end = middle,
        }
    }
    Ok((found, messages))
}
