//! One call: is its input valid, may it be made, and what comes of it.

use forge_contract::manifest::Operation;
use forge_contract::name::Name;
use forge_contract::outcome::{Denial, Failure, FailureCode, NeedsApproval, Outcome};
use forge_contract::report::{CallReport, Progress};
use forge_contract::requirements::Access;
use serde_json::{Value, json};

use super::{Run, record};
use crate::approval::{Approval, ApprovalRequest, call_hash};
use crate::grounding;
use crate::observer::Event;
use crate::policy::{Ask, Question, Verdict};
use crate::registry::{Capability, InvalidInput};
use crate::router::proposal::Proposal;
use crate::router::{CHAT, CODE};
use crate::tools::Call;

/// What came of a proposal.
pub(super) struct Called {
    pub(super) outcome: Outcome,
    /// What policy said; absent when it was not asked.
    pub(super) verdict: Option<String>,
    /// What the tool left behind; absent when none was run.
    pub(super) report: Option<CallReport>,
}

/// Makes the call that is proposed for `tool`, if it may be made.
pub(super) async fn call(run: &Run<'_>, tool: &str, proposal: Proposal) -> Called {
    let capability = run.host.registry.get(tool);
    // A model must be able to answer even where policy keeps the plugin for it from running.
    let is_plain_chat = tool == CHAT && refusal(run, CHAT).is_some();
    let Some(capability) = capability.filter(|_| !is_plain_chat) else {
        return Called::without_tool(Outcome::text(in_words(tool, &proposal.input)));
    };
    let Some(operation) = capability.manifest.operation(&proposal.operation) else {
        return Called::without_tool(
            match capability.check_input(&proposal.operation, &proposal.input) {
                Err(invalid) => invalid_input(invalid),
                Ok(()) => Outcome::failed(FailureCode::InvalidInput, "there is no such operation"),
            },
        );
    };
    let name = &capability.manifest.name;
    // A refusal comes before advice on the input: a model should not polish what may not be done.
    let paths = grounding::paths(&proposal.input);
    let unnamed = paths
        .iter()
        .map(|(_, path)| *path)
        .find(|path| !run.knows(path));
    let verdict = run.host.policy.verdict(&Question {
        capability: name,
        operation,
        input: Some(&proposal.input),
        labels: &run.labels,
        unnamed,
    });
    if let Verdict::Deny(denial) = verdict {
        return Called::denied(denial);
    }
    if let Err(invalid) = capability.check_input(&proposal.operation, &proposal.input) {
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
        Verdict::Ask(asks) => match approved(run, name, operation, &proposal.input, &asks).await {
            Ok(()) => format!("approved: {}", gates(&asks)),
            Err(called) => return called,
        },
        Verdict::Deny(denial) => return Called::denied(denial),
    };
    run_tool(run, name, operation, proposal.input, verdict).await
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
    run: &Run<'_>,
    name: &Name,
    operation: &Operation,
    input: Value,
    verdict: String,
) -> Called {
    let grant = run.host.grants.for_call(name, operation.requires.as_ref());
    let call = Call {
        capability: name.clone(),
        operation: operation.name.clone(),
        input,
        labels: run.labels.clone(),
    };
    let step = run.step();
    let observer = run.host.observer;
    let on_progress = move |progress: Progress| match progress {
        Progress::Step(name) => observer.observe(Event::SubStep { step, name: &name }),
        Progress::Delta(text) => observer.observe(Event::Delta { text: &text }),
    };
    let report = run.host.tools.run(&call, &grant, &on_progress).await;
    Called {
        outcome: report.outcome.clone(),
        verdict: Some(verdict),
        report: Some(report),
    }
}

impl Called {
    /// What came of a call for which no tool was run.
    pub(super) fn without_tool(outcome: Outcome) -> Self {
        Self {
            outcome,
            verdict: None,
            report: None,
        }
    }

    fn denied(denial: Denial) -> Self {
        Self {
            verdict: Some(denial.reason.clone()),
            outcome: Outcome::Denied(denial),
            report: None,
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
