//! A model, tools, a clock and an observer that follow a script and remember what happened.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_contract::nested::NestedCall;
use forge_contract::outcome::Outcome;
use forge_contract::power::Power;
use forge_contract::report::{CallReport, Progress};
use serde_json::{Value, json};

use super::super::*;
use super::tools::{files, git, shell, text_tool};
use crate::approval::{Approval, ApprovalRequest, call_hash};
use crate::observer::Observer;
use crate::policy::{Mode, Rule};
use crate::provider::Constraint;
use crate::provider::{Completion, CompletionRequest, Finish, Flow, ProviderError, Usage};
use crate::tools::{Call, Caller};

/// One answer of the model, in the pieces in which it comes.
#[derive(Clone)]
pub(super) struct Say {
    pub(super) pieces: Vec<String>,
    pub(super) end: Result<Finish, ProviderError>,
}

/// The model says `text` in one piece.
pub(super) fn say(text: impl Into<String>) -> Say {
    Say {
        pieces: vec![text.into()],
        end: Ok(Finish::Done),
    }
}

/// The model decides for `tool`.
pub(super) fn decide(tool: &str, content: Value) -> Say {
    say(json!({"tool": tool, "content": content}).to_string())
}

/// The model decides for `tool` and asks for another step.
pub(super) fn decide_and_go_on(tool: &str, content: Value) -> Say {
    say(json!({"tool": tool, "content": content, "done": false}).to_string())
}

/// The model's server fails.
pub(super) fn fail() -> Say {
    Say {
        pieces: Vec::new(),
        end: Err(ProviderError::Empty {
            server: "http://llm".to_owned(),
        }),
    }
}

impl Say {
    pub(super) fn in_pieces_of(mut self, chars: usize) -> Self {
        let text: Vec<char> = self.pieces.concat().chars().collect();
        self.pieces = text
            .chunks(chars)
            .map(|piece| piece.iter().collect())
            .collect();
        self
    }

    pub(super) fn cut_at_limit(mut self) -> Self {
        self.end = Ok(Finish::Limit);
        self
    }
}

/// Everything that a turn stands on, and what it left behind.
pub(super) struct Stage {
    script: Mutex<VecDeque<Say>>,
    pub(super) outcomes: Mutex<VecDeque<Outcome>>,
    /// What the calls are labelled with, in their order.
    pub(super) labels: Mutex<VecDeque<Label>>,
    /// What is said to questions, in their order.
    pub(super) approvals: Mutex<VecDeque<Approval>>,
    /// The questions: call, gates and the beginning of the hash.
    pub(super) asked: Mutex<Vec<String>>,
    pub(super) earlier_labels: BTreeSet<Label>,
    pub(super) progress: Vec<Progress>,
    /// What each capability calls when it runs, and what its tools got.
    pub(super) nested: BTreeMap<String, Vec<NestedCall>>,
    pub(super) answers: Mutex<Vec<String>>,
    pub(super) registry: Registry,
    pub(super) policy: Policy,
    pub(super) grants: Grants,
    pub(super) settings: TurnSettings,
    pub(super) history: Vec<Exchange>,
    pub(super) on_failure: OnFailure,
    pub(super) prompts: Mutex<Vec<String>>,
    pub(super) constraints: Mutex<Vec<Option<Constraint>>>,
    pub(super) calls: Mutex<Vec<(Call, Grant)>>,
    pub(super) events: Mutex<Vec<String>>,
    pub(super) records: Mutex<Vec<RunRecord>>,
    ticks: Mutex<u64>,
}

/// The tests' paths are nobody's.
fn anywhere() -> Rule {
    let text =
        json!({"name": "anywhere", "effect": "allow", "capability": "*", "discharges": ["path"]});
    Rule::new(serde_json::from_value(text).unwrap()).unwrap()
}

impl Stage {
    /// A model that follows `script`; tools `files` (read, write, list), `git`, `shell` (which does not say
    /// what it requires), `summary` and `upper` (which take text); everything allowed; four steps.
    pub(super) fn new(script: Vec<Say>) -> Self {
        let entries = [
            files(),
            git(),
            shell(),
            text_tool("summary", &json!({"llm": true})),
            text_tool("upper", &json!({})),
        ];
        let registry = Registry::new(entries.into()).unwrap();
        let grants = registry
            .capabilities()
            .map(|(name, capability)| (name.clone(), Grant::of(&capability.declared())));
        Self {
            script: Mutex::new(script.into()),
            outcomes: Mutex::default(),
            labels: Mutex::default(),
            approvals: Mutex::default(),
            asked: Mutex::default(),
            earlier_labels: BTreeSet::new(),
            progress: Vec::new(),
            nested: BTreeMap::new(),
            answers: Mutex::default(),
            policy: Policy {
                enabled: registry
                    .capabilities()
                    .map(|(name, _)| name.clone())
                    .collect(),
                allow_network: true,
                allow_workspace_writes: true,
                allow_subprocess: true,
                allow_llm: true,
                denied: BTreeSet::new(),
                mode: Mode::Full,
                rules: vec![anywhere()],
                powers: Power::ALL.into(),
            },
            grants: grants.collect(),
            registry,
            settings: TurnSettings {
                max_steps: 4,
                ..TurnSettings::default()
            },
            history: Vec::new(),
            on_failure: OnFailure::Stop,
            prompts: Mutex::default(),
            constraints: Mutex::default(),
            calls: Mutex::default(),
            events: Mutex::default(),
            records: Mutex::default(),
            ticks: Mutex::new(0),
        }
    }

    /// Runs one turn. Whatever happens in it, there is one record of it, which the report repeats.
    pub(super) fn run(&self) -> TurnReport {
        let prepared = Prepared::new(&self.registry, &self.policy);
        let host = Host {
            provider: self,
            tools: self,
            trace: self,
            clock: self,
            observer: self,
            registry: &self.registry,
            policy: &self.policy,
            approver: self,
            grants: &self.grants,
            prepared: &prepared,
            settings: &self.settings,
        };
        let request = TurnRequest {
            run_id: "run-1",
            input: "do it",
            history: &history(&self.history),
            labels: &self.earlier_labels,
            on_failure: self.on_failure,
        };
        let report = pollster::block_on(run(&host, &request));
        let records = self.records.lock().unwrap();
        assert_eq!(
            *records,
            std::slice::from_ref(&report.record),
            "one record per run"
        );
        assert_eq!(report.steps as usize, report.record.steps.len());
        assert!(!report.storable || report.ok);
        report
    }

    pub(super) fn events(&self) -> Vec<String> {
        self.events.lock().unwrap().clone()
    }

    /// The calls that were made, with their grants.
    pub(super) fn calls(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let shown = |(call, grant): &(Call, Grant)| {
            format!(
                "{}.{} {} with {}",
                call.capability, call.operation, call.input, grant.allowed
            )
        };
        calls.iter().map(shown).collect()
    }

    pub(super) fn last_prompt(&self) -> String {
        self.prompts.lock().unwrap().last().unwrap().clone()
    }
}

#[async_trait]
impl Provider for Stage {
    async fn identity(&self) -> Identity {
        Identity {
            provider: "scripted".to_owned(),
            model: Some("script".to_owned()),
        }
    }

    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        self.prompts.lock().unwrap().push(request.prompt.to_owned());
        self.constraints
            .lock()
            .unwrap()
            .push(request.constraint.cloned());
        let say = self
            .script
            .lock()
            .unwrap()
            .pop_front()
            .expect("the script has an answer");
        let mut text = String::new();
        let mut is_stopped = false;
        for piece in &say.pieces {
            text.push_str(piece);
            if on_text(piece) == Flow::Stop {
                is_stopped = true;
                break;
            }
        }
        let finish = say.end?;
        Ok(Completion {
            text,
            finish: if is_stopped {
                Finish::Cancelled
            } else {
                finish
            },
            usage: Usage {
                prompt_tokens: Some(100),
                completion_tokens: Some(10),
                ..Usage::default()
            },
        })
    }
}

#[async_trait]
impl Tools for Stage {
    async fn run(&self, call: &Call, grant: &Grant, caller: &dyn Caller) -> CallReport {
        for progress in &self.progress {
            caller.hear(progress.clone());
        }
        self.calls
            .lock()
            .unwrap()
            .push((call.clone(), grant.clone()));
        let mut brought = BTreeSet::new();
        for nested in self
            .nested
            .get(call.capability.as_str())
            .into_iter()
            .flatten()
        {
            let answer = caller.invoke(nested.clone()).await;
            brought.extend(answer.labels);
            self.answers
                .lock()
                .unwrap()
                .push(answer.outcome.to_string());
        }
        let scripted = self.outcomes.lock().unwrap().pop_front();
        CallReport {
            duration_us: 7,
            labels: self
                .labels
                .lock()
                .unwrap()
                .pop_front()
                .into_iter()
                .chain(brought)
                .collect(),
            ..CallReport::not_run(
                scripted.unwrap_or_else(|| Outcome::text(format!("{} answered", call.capability))),
            )
        }
    }
}

#[async_trait]
impl Approver for Stage {
    async fn approve(&self, request: &ApprovalRequest<'_>) -> Approval {
        let gates: Vec<String> = request
            .asks
            .iter()
            .map(|ask| ask.gate.to_string())
            .collect();
        self.asked.lock().unwrap().push(format!(
            "{}.{} {} {}",
            request.capability,
            request.operation,
            request.input,
            gates.join(",")
        ));
        assert_eq!(
            request.hash,
            call_hash(request.capability, request.operation, request.input)
        );
        let scripted = self.approvals.lock().unwrap().pop_front();
        scripted.expect("nobody should be asked")
    }
}

impl TraceSink for Stage {
    fn record(&self, run: &RunRecord) {
        self.records.lock().unwrap().push(run.clone());
    }
}

impl Clock for Stage {
    fn timestamp(&self) -> String {
        "2026-11-30T20:58:08+01:00".to_owned()
    }

    fn elapsed(&self) -> Duration {
        let mut ticks = self.ticks.lock().unwrap();
        *ticks += 1;
        Duration::from_millis(*ticks)
    }
}

impl Observer for Stage {
    fn observe(&self, event: Event<'_>) {
        let shown = match event {
            Event::Asking { call, .. } => format!("asking {call}"),
            Event::Deciding { step } => format!("deciding {step}"),
            Event::Chosen { step, tool } => format!("chosen {step} {tool}"),
            Event::Delta { text } => format!("delta {text}"),
            Event::Decided {
                step,
                tool,
                operation,
                input,
                done,
            } => {
                format!("decided {step} {tool}.{operation} {input} {done}")
            }
            Event::SubStep { step, name } => format!("sub-step {step} {name}"),
            Event::Finished {
                step,
                tool,
                outcome,
                ..
            } => format!("finished {step} {tool} {}", outcome.kind()),
            Event::Retract { replacement } => format!("retract {replacement}"),
        };
        self.events.lock().unwrap().push(shown);
    }
}

// Names that the tests of this folder share.
pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}
