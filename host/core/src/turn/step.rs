//! One step: ask, guard, call, and decide whether the run goes on.

use std::time::Duration;

use forge_contract::outcome::{FailureCode, Outcome};
use serde_json::Value;

use super::ask::{Answer, Choice, NoAnswer, ask};
use super::call::{Called, call, refusal};
use super::{Answered, Ending, NO_TOOL, OnFailure, Run, record};
use crate::grounding;
use crate::observer::Event;
use crate::router::json::canonical;
use crate::router::parser::{Content, Decision};
use crate::router::placeholder::Placeholder;
use crate::router::prompt::PastStep;
use crate::router::proposal::propose;
use crate::router::{CHAT, find};
use crate::trace::{CallRecord, LlmRecord, StepRecord};

const CUT_MARK: &str = "\n\n[The answer was cut here, at the model's token limit.]";

/// Takes one step. Returns the run's ending when it was the last.
pub(super) async fn take(run: &mut Run<'_>) -> Option<Ending> {
    let mut step = Step {
        began: run.host.clock.elapsed(),
        shown: String::new(),
        misled: false,
        record: StepRecord::begin(run.step()),
    };
    run.observe(Event::Deciding { step: run.step() });
    let answer = match ask(run).await {
        Ok(answer) => answer,
        Err(no_answer) => return Some(step.no_answer(run, no_answer)),
    };
    let Answer {
        choice,
        shown,
        cost,
    } = answer;
    step.shown = shown;
    step.record.llm = cost;
    match choice {
        Choice::Placeholder(problem) => Some(step.placeholder(run, problem)),
        Choice::Decision(decision) => step.decision(run, decision, "").await,
        Choice::CutAnswer(decision) => step.decision(run, decision, CUT_MARK).await,
        Choice::CutCall { tool } => {
            let whose = tool
                .as_ref()
                .map_or_else(String::new, |tool| format!(" for `{tool}`"));
            let problem = format!(
                "the decision{whose} was cut at the model's token limit: ask for less at once, or raise the limit"
            );
            step.record.router_tool.clone_from(&tool);
            let tool = tool.unwrap_or_else(|| NO_TOOL.to_owned());
            let outcome = Outcome::failed(FailureCode::Failed, problem);
            step.close(run, &tool, &outcome);
            step.failed(run, tool, outcome)
        }
    }
}

/// A step while it is made.
struct Step {
    began: Duration,
    /// What was shown of the answer while it came.
    shown: String,
    /// Whether that is not what the decision turned out to be.
    misled: bool,
    record: StepRecord,
}

impl Step {
    /// The model could not be asked.
    fn no_answer(mut self, run: &mut Run<'_>, no_answer: NoAnswer) -> Ending {
        let error = no_answer.error.to_string();
        self.shown = no_answer.shown;
        self.record.tool_error = Some(error.clone());
        let output = with_last_output(run, format!("The model could not be asked: {error}."));
        self.keep(run);
        self.end(run, NO_TOOL.to_owned(), output, Err(error))
    }

    /// The model answered, and it is no answer.
    fn placeholder(mut self, run: &mut Run<'_>, problem: Placeholder) -> Ending {
        self.record.router_tool = Some(CHAT.to_owned());
        self.record.placeholder = Some(problem.as_str().to_owned());
        self.record.tool_ok = Some(true);
        let outcome = Outcome::text(problem.text());
        self.close(run, CHAT, &outcome);
        self.end(
            run,
            CHAT.to_owned(),
            problem.text().to_owned(),
            Ok(Answered::WithPlaceholder),
        )
    }

    async fn decision(
        mut self,
        run: &mut Run<'_>,
        decision: Decision,
        mark: &str,
    ) -> Option<Ending> {
        let content = content_text(&decision.content);
        self.misled = !self.shown.is_empty() && self.shown != content;
        self.record.router_content_preview = Some(record::preview(&content));
        let kept_from = decision.not_offered.as_deref();
        if let Some((named, called)) =
            kept_from.and_then(|named| Some((named, refusal(run, named)?)))
        {
            self.record.router_tool = Some(named.to_owned());
            return self.called(run, named.to_owned(), called, &decision, mark);
        }
        let tool = decision.tool.clone();
        self.record.router_tool = Some(tool.clone());
        let offer =
            find(run.offers, &tool).expect("a decision names what is offered, and chat always is");
        let proposal = match propose(&decision.content, offer) {
            Ok(proposal) => proposal,
            Err(problem) => {
                let outcome = Outcome::failed(FailureCode::InvalidInput, problem.to_string());
                return self.called(run, tool, Called::without_tool(outcome), &decision, mark);
            }
        };
        self.record.operation = Some(proposal.operation.clone());
        self.record.router_content_preview = Some(record::preview(&input_text(&proposal.input)));
        run.observe(Event::Decided {
            step: run.step(),
            tool: &tool,
            operation: &proposal.operation,
            input: &input_text(&proposal.input),
            done: decision.done,
        });
        let identity = format!(
            "{tool}.{} {}",
            proposal.operation,
            canonical(&proposal.input)
        );
        if !run.made.insert(identity) {
            return Some(self.repeated(run, tool));
        }
        let paths = grounding::paths(&proposal.input).into_iter();
        let paths: Vec<String> = paths
            .map(|(_, path)| grounding::plain(path).to_owned())
            .collect();
        let called = call(run, &tool, proposal).await;
        if called.outcome.is_done() {
            run.looked_at.extend(paths);
        }
        self.called(run, tool, called, &decision, mark)
    }

    /// The loop guard: the same call a second time brings nothing new.
    fn repeated(mut self, run: &mut Run<'_>, tool: String) -> Ending {
        let problem =
            format!("the model asked for the same call of `{tool}` again, so the run was stopped");
        let outcome = Outcome::failed(FailureCode::Failed, problem.clone());
        self.record.tool_error = Some(problem.clone());
        self.close(run, &tool, &outcome);
        let output = with_last_output(run, format!("Stopped: {problem}."));
        self.end(run, tool, output, Err(problem))
    }

    fn called(
        mut self,
        run: &mut Run<'_>,
        tool: String,
        called: Called,
        decision: &Decision,
        mark: &str,
    ) -> Option<Ending> {
        let Called {
            outcome,
            verdict,
            report,
            nested,
        } = called;
        let was_kept_from_running =
            matches!(outcome, Outcome::Denied(_) | Outcome::NeedsApproval(_)) && report.is_none();
        if let Some(report) = &report {
            run.labels.extend(&report.labels);
        }
        self.record.verdict = verdict;
        self.record.tool_ok = (!was_kept_from_running).then(|| outcome.is_done());
        self.record.call = report
            .as_ref()
            .map(|report| CallRecord::new(report, nested));
        self.close(run, &tool, &outcome);
        if !outcome.is_done() {
            return self.failed(run, tool, outcome);
        }
        let output = format!("{outcome}{mark}");
        let is_last = self.record.step >= run.host.settings.max_steps;
        if decision.done || is_last {
            return Some(self.end(run, tool, output, Ok(Answered::Genuinely)));
        }
        run.last_output = Some((tool.clone(), output.clone()));
        self.go_on(run, &tool, &output);
        None
    }

    /// A step without an answer ends a routed turn; an agent is told.
    fn failed(self, run: &mut Run<'_>, tool: String, outcome: Outcome) -> Option<Ending> {
        let text = outcome.to_string();
        let is_last = self.record.step >= run.host.settings.max_steps;
        if let Outcome::NeedsApproval(needed) = outcome {
            // There is nothing to try otherwise: what comes next is a person's.
            run.approval = Some(needed);
            return Some(self.end(run, tool, text.clone(), Err(text)));
        }
        if run.request.on_failure == OnFailure::Stop || is_last {
            return Some(self.end(run, tool, text.clone(), Err(text)));
        }
        self.go_on(run, &tool, &text);
        None
    }

    /// Tells the model in the next step what came of this one.
    fn go_on(&self, run: &mut Run<'_>, tool: &str, text: &str) {
        if !self.shown.is_empty() {
            run.observe(Event::Retract { replacement: "" });
        }
        let operation = self.record.operation.as_deref().unwrap_or_default();
        let has_several = find(run.offers, tool).is_some_and(|offer| offer.names_operation);
        run.past.push(PastStep {
            tool: if has_several {
                format!("{tool}.{operation}")
            } else {
                tool.to_owned()
            },
            result: record::head_and_tail(text, run.host.settings.inline_output_chars),
        });
    }

    /// Tells the observer that the step is over and files its record.
    fn close(&mut self, run: &mut Run<'_>, tool: &str, outcome: &Outcome) {
        if self.record.tool_error.is_none() && !outcome.is_done() {
            self.record.tool_error = Some(outcome.to_string());
        }
        self.keep(run);
        run.observe(Event::Finished {
            step: self.record.step,
            tool,
            outcome,
            duration_ms: self.record.duration_ms,
        });
    }

    /// Files the record of the step.
    fn keep(&mut self, run: &mut Run<'_>) {
        self.record.duration_ms = record::ms_between(self.began, run.host.clock.elapsed());
        run.records.push(self.record.clone());
    }

    /// Ends the run. What was shown as the answer is taken back when it is none.
    fn end(
        self,
        run: &Run<'_>,
        tool: String,
        output: String,
        result: Result<Answered, String>,
    ) -> Ending {
        let is_answer = matches!(result, Ok(Answered::Genuinely)) && !self.misled;
        if !self.shown.is_empty() && !is_answer {
            run.observe(Event::Retract {
                replacement: &output,
            });
        }
        Ending {
            output,
            tool,
            result,
        }
    }
}

impl StepRecord {
    fn begin(step: u32) -> Self {
        Self {
            step,
            router_tool: None,
            operation: None,
            router_content_preview: None,
            verdict: None,
            tool_ok: None,
            tool_error: None,
            placeholder: None,
            call: None,
            llm: LlmRecord::default(),
            duration_ms: 0,
        }
    }
}

/// `text`, with the last answer of this run where there is one: it must not be lost.
fn with_last_output(run: &Run<'_>, text: String) -> String {
    match &run.last_output {
        Some((tool, last)) => format!("{text}\n\nBefore that, `{tool}` answered:\n\n{last}"),
        None => text,
    }
}

fn content_text(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Payload(payload) => payload.to_string(),
    }
}

fn input_text(input: &Value) -> String {
    match input {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
