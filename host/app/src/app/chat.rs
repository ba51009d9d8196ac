//! A turn as every surface takes it: in a conversation or by itself, recorded, and stored if it brought an answer.

use forge_core::clock::Clock;
use forge_core::conversation::{ConversationId, Exchange, NewExchange, Stored};
use forge_core::observer::Observer;
use forge_core::turn::{self, Host, OnFailure, TurnReport, TurnRequest, TurnSettings};
use tracing::Instrument;
use uuid::Uuid;

use super::App;
use super::approving::TurnApprover;
use super::memory::MemoryError;
use super::spans::Spans;
use super::tools::{Place, TurnTools};
use crate::conversations::Turn;

/// What a turn is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatRequest {
    /// The user's words.
    pub text: String,
    /// What was said before.
    pub before: Before,
    /// What kind of run it is.
    pub kind: RunKind,
    /// The most steps, in place of the operator's setting. Surfaces bound it.
    pub max_steps: Option<u32>,
    /// Whether somebody watches who can be asked; else what policy asks about ends the turn at once.
    pub attended: bool,
}

/// What was said before a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// What is in this conversation, to which the turn is added.
    Conversation(ConversationId),
    /// This, oldest first; the turn is stored nowhere.
    Exchanges(Vec<Exchange>),
}

/// What kind of run a turn is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunKind {
    /// The model chooses a tool, and that one's answer is the answer. A failure ends the turn.
    #[default]
    Routed,
    /// The model goes on until it is done, and is told what failed.
    Agent,
}

impl RunKind {
    /// The most steps of such a run, where the operator set nothing.
    #[must_use]
    pub fn default_steps(self) -> u32 {
        match self {
            Self::Routed => 1,
            Self::Agent => 8,
        }
    }
}

/// How a turn ended, and whether it is in its conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReport {
    /// How it ended.
    pub turn: TurnReport,
    /// Whether it is stored.
    pub storage: Storage,
}

/// Whether a turn is in its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// It is, under these ids.
    Stored(Stored),
    /// It does not belong there: it brought no answer, or it has no conversation, or nothing is remembered.
    None,
    /// It should be, and is not.
    Failed {
        /// Why not.
        reason: String,
    },
}

impl Storage {
    /// Whether it is stored.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self, Self::Stored(_))
    }
}

impl App {
    /// Takes one turn. In a conversation it waits for its place first. Dropping it stops the model and the
    /// tool. Whatever fails is in the report.
    pub async fn chat(&self, request: &ChatRequest, observer: &dyn Observer) -> ChatReport {
        let run_id = Uuid::new_v4().simple().to_string();
        let run_id = &run_id[..RUN_ID_CHARS];
        let span = tracing::info_span!("turn", run.id = run_id);
        let turn = self.take_turn(run_id, request, observer, span.clone());
        turn.instrument(span).await
    }

    async fn take_turn(
        &self,
        run_id: &str,
        request: &ChatRequest,
        observer: &dyn Observer,
        span: tracing::Span,
    ) -> ChatReport {
        let (place, given) = match &request.before {
            Before::Conversation(id) => (self.memory.begin(id).await, String::new()),
            Before::Exchanges(exchanges) => (Ok(None), turn::history(exchanges)),
        };
        let seat = place.as_ref().ok().and_then(Option::as_ref);
        let history = seat.map_or(given.as_str(), Turn::history);
        let labels = seat.map(Turn::labels).cloned().unwrap_or_default();
        let settings = self.settings(request);
        let spans = Spans::new(span, observer);
        let tools = TurnTools {
            plugins: &self.plugins,
            spans: &spans,
            memory: &self.memory,
            place: seat.and_then(|turn| {
                Some(Place {
                    id: turn.id(),
                    notes: turn.notes(),
                    artifacts: self.memory.artifacts()?,
                })
            }),
            // A model that takes several steps reads what the earlier ones brought.
            inline_bytes: if settings.max_steps > 1 {
                self.inline_output_bytes.min(settings.inline_output_chars)
            } else {
                self.inline_output_bytes
            },
        };
        let approver = TurnApprover {
            memory: &self.memory,
            root: self.plugins.root(),
            observer,
            attended: request.attended,
        };
        let host = Host {
            provider: self.provider.as_ref(),
            tools: &tools,
            trace: self.trace(),
            clock: &self.clock,
            observer: &spans,
            registry: &self.registry,
            policy: &self.policy,
            approver: &approver,
            grants: &self.grants,
            prepared: &self.prepared,
            settings: &settings,
        };
        let turn_request = TurnRequest {
            run_id,
            input: &request.text,
            history,
            labels: &labels,
            on_failure: match request.kind {
                RunKind::Routed => OnFailure::Stop,
                RunKind::Agent => OnFailure::FeedBack,
            },
        };
        let report = turn::run(&host, &turn_request).await;
        tracing::info!(
            run.ok = report.ok,
            run.tool = report.tool,
            run.steps = report.steps,
            run.total_ms = report.record.total_ms,
            "turn ended by `{}` after {} ms",
            report.tool,
            report.record.total_ms
        );
        let storage = match place {
            Ok(Some(turn)) => self.store(turn, request, &report).await,
            Ok(None) => Storage::None,
            Err(error) => failed(&error),
        };
        ChatReport {
            turn: report,
            storage,
        }
    }

    /// Adds the turn to its conversation, if it brought an answer; else what tools have kept meanwhile.
    async fn store(&self, turn: Turn, request: &ChatRequest, report: &TurnReport) -> Storage {
        let now = self.clock.timestamp();
        let stored = if report.storable {
            let exchange = NewExchange {
                user: request.text.clone(),
                answer: report.output.clone(),
                asked_at: report.record.timestamp.clone(),
                answered_at: now,
                run_id: report.record.run_id.clone(),
                tool: report.tool.clone(),
                labels: report.labels.clone(),
            };
            turn.commit(&exchange).await.map(Storage::Stored)
        } else {
            turn.commit_notes(&now).await.map(|()| Storage::None)
        };
        stored.unwrap_or_else(|error| failed(&MemoryError::Conversation(error)))
    }

    fn settings(&self, request: &ChatRequest) -> TurnSettings {
        let max_steps = request.max_steps.or(self.max_steps);
        TurnSettings {
            max_steps: max_steps.unwrap_or(request.kind.default_steps()),
            ..TurnSettings::default()
        }
    }
}

const RUN_ID_CHARS: usize = 12;

fn failed(error: &MemoryError) -> Storage {
    let reason = error.with_cause();
    tracing::warn!("the turn is not stored: {reason}");
    Storage::Failed { reason }
}
