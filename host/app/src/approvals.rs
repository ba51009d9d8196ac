//! Approvals: what is asked, kept in the event log so that any process can answer it, and who is waiting.
//!
//! What an answer means is decided in [`forge_core::approval`]; here it is stored, found again and waited for.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forge_core::approval::{Answer, ApprovalRequest, Event, Ledger, Pending, STREAM, covers};
use forge_core::policy::{Gate, Rule, RuleText};
use forge_core::store::{Appended, EventLog, ReadBound, StoreError, StreamName};
use jiff::Timestamp;
use tokio::sync::oneshot;
use uuid::Uuid;

/// How long a question can be answered, and a yes be used.
const EXPIRY: Duration = Duration::from_secs(3600);
/// How long a turn waits for the answer, where a person is there.
const WAIT: Duration = Duration::from_secs(300);
/// How often it looks whether another process has answered.
const LOOK: Duration = Duration::from_millis(500);
/// How often others may be faster before it is given up.
const TRIES: usize = 16;
const ID_CHARS: usize = 10;

/// The approvals of one store.
pub struct Approvals {
    log: Arc<dyn EventLog>,
    stream: StreamName,
    ledger: tokio::sync::Mutex<Ledger>,
    here: Mutex<Here>,
}

/// What only this process knows.
#[derive(Default)]
struct Here {
    /// Said yes to as long as it runs: hashes of calls, and what was asked about them.
    session: HashMap<String, BTreeSet<Gate>>,
    waiting: HashMap<String, oneshot::Sender<Answer>>,
}

/// Why a question can't be answered.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AnswerError {
    /// There is none, or it is too late.
    #[error(
        "nothing waits under `{id}`: it was answered already, or its hour is over; ask for it again"
    )]
    NotThere {
        /// What was named.
        id: String,
    },
    /// A yes for ever is not possible.
    #[error("`{id}` can't be approved for ever: {reason}")]
    NotAlways {
        /// What was named.
        id: String,
        /// Why.
        reason: &'static str,
    },
    /// The store.
    #[error("the answer can't be stored: {0}")]
    Store(StoreError),
    /// Others were faster each time.
    #[error("the answer was not stored, because other processes write all the time: try again")]
    Contended,
}

impl Approvals {
    pub(crate) fn new(log: Arc<dyn EventLog>) -> Self {
        Self {
            log,
            stream: StreamName::parse(STREAM).expect("the name of the stream is one"),
            ledger: tokio::sync::Mutex::default(),
            here: Mutex::default(),
        }
    }

    /// What waits for an answer, the oldest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn pending(&self) -> Result<Vec<Pending>, StoreError> {
        let ledger = self.refreshed().await?;
        Ok(ledger.pending(now()).into_iter().cloned().collect())
    }

    /// The rules that answers for ever have made.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn rules(&self) -> Result<Vec<RuleText>, StoreError> {
        Ok(self.refreshed().await?.rules().to_vec())
    }

    /// Answers the question under `id`. `proves` says whether a rule satisfies what asked.
    ///
    /// # Errors
    /// When nothing waits there, an answer for ever is not possible, or it can't be stored.
    pub async fn answer(
        &self,
        id: &str,
        answer: Answer,
        proves: impl Fn(&Pending, &RuleText) -> bool,
    ) -> Result<(), AnswerError> {
        for _ in 0..TRIES {
            let mut ledger = self.refreshed().await.map_err(AnswerError::Store)?;
            let asked = ledger.find(id, now()).cloned();
            let asked = asked.ok_or_else(|| AnswerError::NotThere { id: id.to_owned() })?;
            let rule = match answer {
                Answer::Always => Some(lasting_rule(&asked, &proves)?),
                Answer::Once | Answer::Session | Answer::No => None,
            };
            let waits = self.here().waiting.contains_key(id);
            let mut events = vec![Event::Answered {
                id: id.to_owned(),
                answer,
                rule,
            }];
            // Who waits for it uses it at once.
            events.extend(
                (waits && answer == Answer::Once).then(|| Event::Used { id: id.to_owned() }),
            );
            if !self
                .append(&mut ledger, &events)
                .await
                .map_err(AnswerError::Store)?
            {
                continue;
            }
            drop(ledger);
            let mut here = self.here();
            if answer == Answer::Session {
                let gates = asked.asks.iter().map(|ask| ask.gate.clone());
                here.session
                    .entry(asked.hash.clone())
                    .or_default()
                    .extend(gates);
            }
            if let Some(waiting) = here.waiting.remove(id) {
                // Who waited may be gone.
                let _ = waiting.send(answer);
            }
            return Ok(());
        }
        Err(AnswerError::Contended)
    }

    /// Whether there is a yes to this call already; one for once is used up.
    pub(crate) async fn is_given(&self, request: &ApprovalRequest<'_>) -> Result<bool, StoreError> {
        if let Some(gates) = self.here().session.get(&request.hash)
            && covers(gates, request.asks)
        {
            return Ok(true);
        }
        for _ in 0..TRIES {
            let mut ledger = self.refreshed().await?;
            if is_ruled(ledger.rules(), request) {
                return Ok(true);
            }
            let Some(id) = ledger.given_for(request, now()).map(str::to_owned) else {
                return Ok(false);
            };
            if self.append(&mut ledger, &[Event::Used { id }]).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts a question.
    pub(crate) async fn ask(&self, request: &ApprovalRequest<'_>) -> Result<Pending, StoreError> {
        let id = Uuid::new_v4().simple().to_string()[..ID_CHARS].to_owned();
        let asked = Pending {
            id,
            run_id: request.run_id.to_owned(),
            capability: request.capability.clone(),
            operation: request.operation.clone(),
            input: request.input.clone(),
            asks: request.asks.to_vec(),
            hash: request.hash.clone(),
            expires_at: now() + EXPIRY.as_secs(),
        };
        loop {
            let mut ledger = self.refreshed().await?;
            if self
                .append(&mut ledger, &[Event::Asked(asked.clone())])
                .await?
            {
                return Ok(asked);
            }
        }
    }

    /// Will be told of the answer to `id` that comes through this process.
    pub(crate) fn listen(&self, id: &str) -> oneshot::Receiver<Answer> {
        let (sender, receiver) = oneshot::channel();
        self.here().waiting.insert(id.to_owned(), sender);
        receiver
    }

    /// Waits for the answer to `asked`, from wherever it comes; `None` when none comes.
    pub(crate) async fn wait(
        &self,
        asked: &Pending,
        request: &ApprovalRequest<'_>,
        mut told: oneshot::Receiver<Answer>,
    ) -> Option<Answer> {
        let waiting = async {
            loop {
                tokio::select! {
                    answer = &mut told => return answer.ok(),
                    () = tokio::time::sleep(LOOK) => {}
                }
                // Another process may have answered.
                let still_waits = self
                    .refreshed()
                    .await
                    .ok()?
                    .find(&asked.id, now())
                    .is_some();
                if !still_waits {
                    let is_given = self.is_given(request).await.unwrap_or(false);
                    return Some(if is_given { Answer::Once } else { Answer::No });
                }
            }
        };
        let answer = tokio::time::timeout(WAIT, waiting).await;
        self.here().waiting.remove(&asked.id);
        answer.ok().flatten()
    }

    async fn refreshed(&self) -> Result<tokio::sync::MutexGuard<'_, Ledger>, StoreError> {
        let mut ledger = self.ledger.lock().await;
        loop {
            let page = self
                .log
                .read(&self.stream, ledger.head(), ReadBound::default())
                .await?;
            if page.head < ledger.head() {
                // Another store lies there now.
                *ledger = Ledger::default();
                continue;
            }
            for recorded in &page.events {
                ledger.apply(recorded);
            }
            if page.events.is_empty() || ledger.head() >= page.head {
                return Ok(ledger);
            }
        }
    }

    /// Whether they were appended; not, where another process was faster.
    async fn append(&self, ledger: &mut Ledger, events: &[Event]) -> Result<bool, StoreError> {
        let bytes = events.iter().map(|event| {
            serde_json::to_vec(event).expect("texts and numbers can always be written as JSON")
        });
        let appended = self
            .log
            .append(&self.stream, ledger.head(), bytes.collect())
            .await?;
        Ok(matches!(appended, Appended::At { .. }))
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether rules that answers for ever have made answer all that is asked.
fn is_ruled(rules: &[RuleText], request: &ApprovalRequest<'_>) -> bool {
    let (capability, operation) = (request.capability.as_str(), request.operation.as_str());
    let about = rules
        .iter()
        // One of a newer Forge that can't be used says yes to nothing.
        .filter_map(|text| Rule::new(text.clone()).ok())
        .filter(|rule| rule.is_about(capability, operation, Some(request.input)));
    let gates: Vec<Gate> = about
        .flat_map(|rule| rule.text().discharges.clone())
        .collect();
    covers(&gates, request.asks)
}

fn lasting_rule(
    asked: &Pending,
    proves: impl Fn(&Pending, &RuleText) -> bool,
) -> Result<RuleText, AnswerError> {
    let not_always = |reason| AnswerError::NotAlways {
        id: asked.id.clone(),
        reason,
    };
    let rule = asked.rule().ok_or_else(|| {
        not_always("a label asks, or its arguments are too long or hold characters that deceive")
    })?;
    if proves(asked, &rule) {
        Ok(rule)
    } else {
        Err(not_always("the rule would not satisfy what asks"))
    }
}

fn now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
