//! Who says yes to the calls of one turn, and the answers that come from elsewhere. Not here: how questions and
//! answers are kept (`crate::approvals`).

use std::collections::BTreeSet;
use std::path::Path;

use async_trait::async_trait;
use forge_contract::label::Label;
use forge_core::approval::{Answer, Approval, ApprovalRequest, Approver, Pending};
use forge_core::observer::{Event, Observer};
use forge_core::policy::{Gate, Question, Rule, RuleText, Verdict};
use serde_json::Value;

use super::App;
use super::memory::{Memory, MemoryError};
use crate::approvals::AnswerError;
use crate::preview;

/// The approver of one turn.
pub(super) struct TurnApprover<'a> {
    pub(super) memory: &'a Memory,
    /// The workspace on this machine.
    pub(super) root: &'a Path,
    pub(super) observer: &'a dyn Observer,
    /// Whether somebody sees the question while the turn waits.
    pub(super) attended: bool,
}

#[async_trait]
impl Approver for TurnApprover<'_> {
    async fn approve(&self, request: &ApprovalRequest<'_>) -> Approval {
        self.found_or_asked(request).await.unwrap_or_else(|error| {
            let reason = error.with_cause();
            tracing::warn!("nobody can be asked: {reason}");
            Approval::Pending {
                id: String::new(),
                remedy: format!("nobody can be asked: {reason}"),
            }
        })
    }
}

impl TurnApprover<'_> {
    async fn found_or_asked(&self, request: &ApprovalRequest<'_>) -> Result<Approval, MemoryError> {
        let approvals = self.memory.approvals().await?;
        if approvals
            .is_given(request)
            .await
            .map_err(MemoryError::Store)?
        {
            return Ok(Approval::Given);
        }
        let asked = approvals.ask(request).await.map_err(MemoryError::Store)?;
        if self.attended {
            let told = approvals.listen(&asked.id);
            self.show(&asked);
            match approvals.wait(&asked, request, told).await {
                Some(Answer::No) => return Ok(Approval::Refused),
                Some(_) => return Ok(Approval::Given),
                None => {}
            }
        }
        let id = asked.id;
        Ok(Approval::Pending {
            remedy: format!(
                "approve it with `forge approve {id}`, or with `POST /approvals/{id}` and the operator's token, and ask again"
            ),
            id,
        })
    }

    fn show(&self, asked: &Pending) {
        self.observer.observe(Event::Asking {
            id: &asked.id,
            call: &asked.call(),
            input: &asked.input,
            diff: preview::diff(self.root, asked).as_deref(),
            reasons: &asked.reasons(),
            may_be_always: asked.rule().is_some(),
        });
    }
}

fn asked_path(asked: &Pending) -> Option<&str> {
    let asks = asked.asks.iter().any(|ask| ask.gate == Gate::Path);
    asks.then_some("a path")
}

impl App {
    /// What waits for an answer, the oldest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn pending_approvals(&self) -> Result<Vec<Pending>, MemoryError> {
        let approvals = self.memory.approvals().await?;
        approvals.pending().await.map_err(MemoryError::Store)
    }

    /// What `asked` would change in a file of the workspace, as a unified diff, where that can be told.
    #[must_use]
    pub fn preview(&self, asked: &Pending) -> Option<String> {
        preview::diff(self.plugins.root(), asked)
    }

    /// Answers the question under `id`.
    ///
    /// # Errors
    /// When nothing waits there, an answer for ever is not possible, or it can't be stored.
    pub async fn answer_approval(&self, id: &str, answer: Answer) -> Result<(), AnswerError> {
        let approvals = match self.memory.approvals().await {
            Ok(approvals) => approvals,
            Err(MemoryError::Store(error)) => return Err(AnswerError::Store(error)),
            Err(MemoryError::Conversation(_)) => return Err(AnswerError::Contended),
        };
        let proves = |asked: &Pending, rule: &RuleText| self.satisfies(asked, rule);
        approvals.answer(id, answer, proves).await
    }

    /// The rules that answers for ever have made.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn lasting_rules(&self) -> Result<Vec<RuleText>, MemoryError> {
        let approvals = self.memory.approvals().await?;
        approvals.rules().await.map_err(MemoryError::Store)
    }

    /// What policy says to a call in a run with these labels; `None` where there is no such operation.
    #[must_use]
    pub fn verdict(
        &self,
        capability: &str,
        operation: &str,
        input: &Value,
        labels: &BTreeSet<Label>,
    ) -> Option<Verdict> {
        let found = self.registry.get(capability)?;
        Some(self.policy.verdict(&Question {
            capability: &found.manifest.name,
            operation: found.manifest.operation(operation)?,
            input: Some(input),
            labels,
            unnamed: None,
        }))
    }

    /// Whether the call would be made without a question if `rule` held too.
    fn satisfies(&self, asked: &Pending, rule: &RuleText) -> bool {
        let Ok(rule) = Rule::new(rule.clone()) else {
            return false;
        };
        let capability = self.registry.get(asked.capability.as_str());
        let operation = capability.and_then(|it| it.manifest.operation(asked.operation.as_str()));
        let Some(operation) = operation else {
            return false;
        };
        let mut policy = self.policy.clone();
        policy.rules.push(rule);
        let verdict = policy.verdict(&Question {
            capability: &asked.capability,
            operation,
            input: Some(&asked.input),
            labels: &BTreeSet::new(),
            // The rule must also answer where a path asks, if that asked.
            unnamed: asked_path(asked),
        });
        verdict == Verdict::Allow
    }
}
