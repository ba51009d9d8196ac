//! `forge:tool/capabilities`: lets a tool call others that it was granted.
//!
//! Not here: whether such a call may be made, and how deep and how often; that is the embedder's matter ([`Calling`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use forge_contract::effect::CallEffect;
use forge_contract::name::Name;
use forge_contract::nested::{NestedAnswer, NestedCall};
use forge_contract::outcome::{Content, FailureCode, Outcome, Output};
use serde_json::json;

use crate::bindings::forge::tool::capabilities::Host;
use crate::bindings::forge::tool::types;
use crate::http::shortened;
use crate::state::State;

/// Makes the calls that a tool asks for.
#[async_trait]
pub trait Calling: Send + Sync {
    /// Makes `call`, if it may be made. The caller's own time stands still meanwhile.
    async fn invoke(&self, call: NestedCall) -> NestedAnswer;
}

/// The calls that one call may ask for.
pub(crate) struct Calls {
    pub(crate) granted: BTreeSet<Name>,
    /// Who makes them; nobody, where the embedder makes none.
    pub(crate) calling: Option<Arc<dyn Calling>>,
}

/// How much of a name is noted.
const MOST_NAME_CHARS: usize = 64;

impl Host for State {
    async fn invoke(
        &mut self,
        capability: String,
        operation: String,
        input: String,
    ) -> wasmtime::Result<Result<types::Output, types::Error>> {
        // None is made without a note.
        self.recorder.before_change()?;
        let mut effect = CallEffect {
            capability: shortened(&capability, MOST_NAME_CHARS),
            operation: shortened(&operation, MOST_NAME_CHARS),
            outcome: String::new(),
        };
        let answer = self.answer(capability, operation, &input).await;
        answer.outcome.kind().clone_into(&mut effect.outcome);
        self.recorder.called(effect, &answer.labels);
        Ok(handed_over(answer.outcome))
    }
}

impl State {
    async fn answer(&mut self, capability: String, operation: String, input: &str) -> NestedAnswer {
        let no_answer =
            |code, message: String| NestedAnswer::not_made(Outcome::failed(code, message));
        let Some(calls) = &self.calls else {
            let message = "the power was linked without its grant";
            return no_answer(FailureCode::Denied, message.to_owned());
        };
        if !calls.granted.iter().any(|name| name.as_str() == capability) {
            let capability = shortened(&capability, MOST_NAME_CHARS);
            let message = format!(
                "this call may not call `{capability}`: it is not declared under `calls`, or not granted"
            );
            return no_answer(FailureCode::Denied, message);
        }
        let input = match serde_json::from_str(input) {
            Ok(input) => input,
            Err(problem) => {
                let message = format!("the input is no JSON: {problem}");
                return no_answer(FailureCode::InvalidInput, message);
            }
        };
        let Some(calling) = &calls.calling else {
            let message = "nobody makes calls for tools here";
            return no_answer(FailureCode::Unavailable, message.to_owned());
        };
        let call = NestedCall {
            capability,
            operation,
            input,
            labels: self.recorder.labels(),
        };
        let (calling, patience) = (calling.clone(), self.patience.clone());
        let _paused = patience.pause();
        calling.invoke(call).await
    }
}

/// `outcome` in the words of the contract.
fn handed_over(outcome: Outcome) -> Result<types::Output, types::Error> {
    let error = |code: FailureCode, message: String| types::Error {
        code: code.as_str().to_owned(),
        message,
        details: None,
    };
    match outcome {
        Outcome::Done(output) => Ok(self::output(output)),
        Outcome::Failed(failure) => Err(types::Error {
            details: failure.details.map(|details| details.to_string()),
            ..error(failure.code, failure.message)
        }),
        Outcome::Stopped(stop) => Err(error(FailureCode::Failed, stop.to_string())),
        Outcome::Denied(denial) => Err(error(FailureCode::Denied, denial.to_string())),
        Outcome::NeedsApproval(needed) => Err(types::Error {
            details: Some(json!({"approval": needed.id}).to_string()),
            ..error(FailureCode::Denied, needed.to_string())
        }),
    }
}

fn output(output: Output) -> types::Output {
    let content = output.content.into_iter().map(|content| match content {
        Content::Text { text } => types::Content::Text(text),
        Content::Json { value } => types::Content::Json(value.to_string()),
        Content::Image { mime, data } => types::Content::Image(types::Blob { mime, data }),
        Content::Artifact { name, mime, data } => {
            types::Content::Artifact(types::Document { name, mime, data })
        }
        Content::Other { block } => types::Content::Other(block.to_string()),
    });
    types::Output {
        content: content.collect(),
        structured: output.structured.map(|value| value.to_string()),
    }
}
