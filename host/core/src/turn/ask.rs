//! Asks the model for a decision, and tells the observer what is certain while it is written.

use forge_contract::manifest::Operation;

use super::{Run, record};
use crate::observer::Event;
use crate::provider::{CompletionRequest, Finish, Flow, ProviderError};
use crate::router::parser::{Content, Decision, Parsed, parse};
use crate::router::placeholder::Placeholder;
use crate::router::stream::{DecisionStream, Heard};
use crate::router::{CHAT, Offer, find, prompt};
use crate::trace::LlmRecord;

/// What the model answered.
pub(super) struct Answer {
    pub(super) choice: Choice,
    /// What was shown of it while it came.
    pub(super) shown: String,
    pub(super) cost: LlmRecord,
}

/// No completion came.
pub(super) struct NoAnswer {
    pub(super) error: ProviderError,
    /// What was shown before that was known.
    pub(super) shown: String,
}

/// What to make of it.
pub(super) enum Choice {
    Decision(Decision),
    /// An answer in words that the token limit cut: what there is of it.
    CutAnswer(Decision),
    /// A call that the token limit cut: nothing that could be run.
    CutCall {
        tool: Option<String>,
    },
    Placeholder(Placeholder),
}

/// Asks for the decision of this step.
pub(super) async fn ask(run: &Run<'_>) -> Result<Answer, NoAnswer> {
    let step = run.step();
    let live = prompt::live(&run.timestamp, &run.past, run.request.input);
    let prompt = [run.question.fixed.as_str(), run.request.history, &live].concat();
    let request = CompletionRequest {
        prompt: &prompt,
        constraint: run
            .host
            .settings
            .constrain
            .then_some(&run.question.constraint),
        max_tokens: None,
    };
    let observer = run.host.observer;
    let mut stream = DecisionStream::new(run.offers);
    let mut has_chosen = false;
    let mut on_text = |piece: &str| {
        stream.push(piece, &mut |heard| match heard {
            Heard::Chosen(tool) => {
                has_chosen = true;
                observer.observe(Event::Chosen { step, tool });
            }
            Heard::Text(text) => observer.observe(Event::Delta { text }),
        });
        if stream.loops() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    };
    let asked = run.host.clock.elapsed();
    let completion = run.host.provider.complete(&request, &mut on_text).await;
    let took = run.host.clock.elapsed().saturating_sub(asked);
    let shown = if stream.has_told() {
        stream.text().to_owned()
    } else {
        String::new()
    };
    let completion = match completion {
        Ok(completion) => completion,
        Err(error) => return Err(NoAnswer { error, shown }),
    };
    let choice = if stream.loops() {
        Choice::Placeholder(Placeholder::Repeated)
    } else {
        choose(run, &completion.text, completion.finish)
    };
    if !has_chosen && let Choice::Decision(decision) | Choice::CutAnswer(decision) = &choice {
        observer.observe(Event::Chosen {
            step,
            tool: &decision.tool,
        });
    }
    Ok(Answer {
        choice,
        shown,
        cost: record::cost(&completion.usage, took),
    })
}

fn choose(run: &Run<'_>, text: &str, finish: Finish) -> Choice {
    let parsed = parse(text, run.offers);
    if finish != Finish::Limit {
        return match parsed {
            Parsed::Decision(decision) => Choice::Decision(decision),
            Parsed::Placeholder(problem) => Choice::Placeholder(problem),
        };
    }
    match parsed {
        Parsed::Placeholder(Placeholder::Unfinished) => cut(run, text),
        Parsed::Placeholder(problem) => Choice::Placeholder(problem),
        // Plain text that reaches the limit is cut like an answer in an envelope.
        Parsed::Decision(decision) if decision.tool == CHAT && !begins_as_decision(run, text) => {
            Choice::CutAnswer(decision)
        }
        Parsed::Decision(decision) => Choice::Decision(decision),
    }
}

fn begins_as_decision(run: &Run<'_>, text: &str) -> bool {
    let mut stream = DecisionStream::new(run.offers);
    stream.push(text, &mut |_| {});
    stream.tool().is_some()
}

/// A decision that breaks off at the token limit.
fn cut(run: &Run<'_>, text: &str) -> Choice {
    let mut stream = DecisionStream::new(run.offers);
    stream.push(text, &mut |_| {});
    let tool = stream.tool().map(str::to_owned);
    let takes_text = |tool: &str| find(run.offers, tool).is_some_and(Offer::takes_text);
    let Some(tool) = tool.filter(|tool| takes_text(tool) && !acts(run, tool)) else {
        return Choice::CutCall {
            tool: stream.tool().map(str::to_owned),
        };
    };
    if tool == CHAT
        && let Some(problem) = Placeholder::of_answer(stream.text())
    {
        return Choice::Placeholder(problem);
    }
    if stream.text().trim().is_empty() {
        return Choice::Placeholder(Placeholder::Empty);
    }
    Choice::CutAnswer(Decision {
        tool,
        not_offered: None,
        content: Content::Text(stream.text().to_owned()),
        done: true,
    })
}

/// Whether the text of `tool` does something, so that half of it must not be run.
fn acts(run: &Run<'_>, tool: &str) -> bool {
    let capability = run.host.registry.get(tool);
    let operations = capability.map_or_else(Default::default, |c| c.manifest.operations.as_slice());
    let needs_something =
        |operation: &Operation| operation.requires.as_ref().is_none_or(|r| !r.is_empty());
    operations.iter().any(needs_something)
}
