//! One call, whoever asks for it: is its input valid, may it be made, and what comes of it.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;

use forge_contract::label::Label;
use forge_contract::manifest::Operation;
use forge_contract::name::Name;
use forge_contract::outcome::{Denial, Failure, FailureCode, NeedsApproval, Outcome};
use forge_contract::report::CallReport;
use forge_contract::requirements::Access;
use serde_json::{Value, json};

use super::nested::RunningCall;
use super::{Run, record};
use crate::approval::{Approval, ApprovalRequest, call_hash};
use crate::grounding;
use crate::policy::{Ask, Question, Verdict};
use crate::registry::{Capability, InvalidInput};
use crate::router::proposal::Proposal;
use crate::router::{CHAT, CODE};
use crate::tools::Call;
use crate::trace::NestedRecord;

/// What came of a call that was asked for.
pub(super) struct Called {
    pub(super) outcome: Outcome,
    /// What policy said; absent when it was not asked.
    pub(super) verdict: Option<String>,
    /// What the tool left behind; absent when none was run.
    pub(super) report: Option<CallReport>,
    /// The calls that the tool asked for.
    pub(super) nested: Vec<NestedRecord>,
}

/// From where in a run a call is asked for.
pub(super) struct Position<'a> {
    pub(super) run: &'a Run<'a>,
    /// Where what is known there came from.
    pub(super) labels: BTreeSet<Label>,
    /// The capabilities between the model and the call, the model's choice first.
    pub(super) above: Vec<Name>,
    /// Calls that tools have asked for in this step.
    pub(super) asked_for: &'a AtomicU32,
}

/// Makes the call that is proposed for `tool`, if it may be made.
pub(super) async fn call(run: &Run<'_>, tool: &str, proposal: Proposal) -> Called {
    let capability = run.host.registry.get(tool);
    // A model must be able to answer even where policy keeps the plugin for it from running.
    let is_plain_chat = tool == CHAT && refusal(run, CHAT).is_some();
    let Some(capability) = capability.filter(|_| !is_plain_chat) else {
        return Called::without_tool(Outcome::text(in_words(tool, &proposal.input)));
    };
    let position = Position {
        run,
        labels: run.labels.clone(),
        above: Vec::new(),
        asked_for: &AtomicU32::new(0),
    };
    make(&position, capability, &proposal.operation, proposal.input).await
}

/// Makes the call of `operation` of `capability`, if it is one and may be made.
pub(super) async fn make(
    position: &Position<'_>,
    capability: &Capability,
    operation: &str,
    input: Value,
) -> Called {
    let run = position.run;
    let Some(operation) = capability.manifest.operation(operation) else {
        return Called::without_tool(match capability.check_input(operation, &input) {
            Err(invalid) => invalid_input(invalid),
            Ok(()) => Outcome::failed(FailureCode::InvalidInput, "there is no such operation"),
        });
    };
    let name = &capability.manifest.name;
    // A refusal comes before advice on the input: a model should not polish what may not be done.
    let paths = grounding::paths(&input);
    let unnamed = paths
        .iter()
        .map(|(_, path)| *path)
        .find(|path| !run.knows(path));
    let verdict = run.host.policy.verdict(&Question {
        capability: name,
        operation,
        input: Some(&input),
        labels: &position.labels,
        unnamed,
    });
    if let Verdict::Deny(denial) = verdict {
        return Called::denied(denial);
    }
    if let Err(invalid) = capability.check_input(operation.name.as_str(), &input) {
        return Called::without_tool(invalid_input(invalid));
    }
    if changes(operation)
        && let Some((field, path)) = paths.iter().find(|(_, path)| !grounding::has_shape(path))
    {
        return Called::without_tool(invalid_input(InvalidInput {
            field: (*field).to_owned(),
            problem: format!("`{}` is no path of a file", record::preview(path)),
        }));
    }
    let verdict = match verdict {
        Verdict::Allow => "allow".to_owned(),
        Verdict::Ask(asks) => match approved(run, name, operation, &input, &asks).await {
            Ok(()) => format!("approved: {}", gates(&asks)),
            Err(called) => return called,
        },
        Verdict::Deny(denial) => return Called::denied(denial),
    };
    run_tool(position, name, operation, input, verdict).await
}

fn changes(operation: &Operation) -> bool {
    let requires = operation.requires.as_ref();
    requires.is_none_or(|requires| requires.workspace == Some(Access::Write))
}

/// Asks whoever may approve; `Err` is what came of the call without a yes.
async fn approved(
    run: &Run<'_>,
    name: &Name,
    operation: &Operation,
    input: &Value,
    asks: &[Ask],
) -> Result<(), Called> {
    let request = ApprovalRequest {
        run_id: run.request.run_id,
        capability: name,
        operation: &operation.name,
        input,
        asks,
        hash: call_hash(name, &operation.name, input),
    };
    let call = format!("{name}.{}", operation.name);
    let reasons: Vec<String> = asks.iter().map(|ask| ask.reason.clone()).collect();
    match run.host.approver.approve(&request).await {
        Approval::Given => Ok(()),
        Approval::Refused => Err(Called::denied(Denial {
            reason: format!("`{call}` was asked about and not approved"),
            remedy: "ask for something else".to_owned(),
        })),
        Approval::Pending { id, remedy } => Err(Called {
            verdict: Some(format!("needs approval: {}", gates(asks))),
            outcome: Outcome::NeedsApproval(NeedsApproval {
                id,
                call,
                reasons,
                remedy,
            }),
            report: None,
            nested: Vec::new(),
        }),
    }
}

fn gates(asks: &[Ask]) -> String {
    let gates: Vec<String> = asks.iter().map(|ask| ask.gate.to_string()).collect();
    gates.join(", ")
}

/// The refusal of a capability that the model named although it is not offered.
pub(super) fn refusal(run: &Run<'_>, named: &str) -> Option<Called> {
    let capability: &Capability = run.host.registry.get(named)?;
    let verdicts = capability.manifest.operations.iter();
    verdicts
        .map(|operation| {
            run.host
                .policy
                .of_operation(&capability.manifest.name, operation)
        })
        .find_map(|verdict| match verdict {
            Verdict::Deny(denial) => Some(Called::denied(denial)),
            Verdict::Allow | Verdict::Ask(_) => None,
        })
}

async fn run_tool(
    position: &Position<'_>,
    name: &Name,
    operation: &Operation,
    input: Value,
    verdict: String,
) -> Called {
    let host = position.run.host;
    let grant = host.grants.for_call(name, operation.requires.as_ref());
    let call = Call {
        capability: name.clone(),
        operation: operation.name.clone(),
        input,
        labels: position.labels.clone(),
        depth: u32::try_from(position.above.len()).unwrap_or(u32::MAX),
    };
    let caller = RunningCall::new(position, name);
    let report = host.tools.run(&call, &grant, &caller).await;
    let (nested, waiting) = caller.end();
    let outcome = match waiting {
        // What the tool made of it says less than who must say yes to what.
        Some(needed) if !report.outcome.is_done() => Outcome::NeedsApproval(needed),
        _ => report.outcome.clone(),
    };
    Called {
        outcome,
        verdict: Some(verdict),
        report: Some(report),
        nested,
    }
}

impl Called {
    /// What came of a call for which no tool was run.
    pub(super) fn without_tool(outcome: Outcome) -> Self {
        Self {
            outcome,
            verdict: None,
            report: None,
            nested: Vec::new(),
        }
    }

    pub(super) fn denied(denial: Denial) -> Self {
        Self {
            verdict: Some(denial.reason.clone()),
            outcome: Outcome::Denied(denial),
            report: None,
            nested: Vec::new(),
        }
    }
}

fn invalid_input(invalid: InvalidInput) -> Outcome {
    Outcome::Failed(Failure {
        code: FailureCode::InvalidInput,
        details: Some(json!({"field": invalid.field})),
        message: invalid.problem,
    })
}

/// The answer of a capability that no plugin provides: its content.
fn in_words(tool: &str, content: &Value) -> String {
    let text = content.as_str().unwrap_or_default();
    if tool == CODE {
        fenced(text)
    } else {
        text.to_owned()
    }
}

/// `source` in a fence longer than any in it.
fn fenced(source: &str) -> String {
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}\n{}\n{fence}", source.trim_end_matches('\n'))
}
