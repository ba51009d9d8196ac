//! One call: a fresh instance, this operation's grant, an outcome.

use std::sync::Arc;
use std::time::Instant;

use forge_contract::grant::Grant;
use forge_contract::outcome::{Content, Failure, FailureCode, Outcome, Output, Stop};
use forge_contract::report::{CallReport, Progress};
use serde_json::Value;

use crate::bindings::exports::forge::tool::tool as abi;
use crate::bindings::forge::tool::types;
use crate::filesystem::scope::Scope;
use crate::http::{Access, Rules};
use crate::plugin::{Plugin, Prepared};
use crate::powers::capabilities::{Calling, Calls};
use crate::powers::conversation::Keeping;
use crate::powers::http::Web;
use crate::settings::Limits;
use crate::state::{Sandbox, State, empty_wasi};
use crate::workspace::Workspace;

/// Who is told of sub-steps and pieces of the answer while a tool runs. Must not wait.
pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// A call of one operation.
#[derive(Clone)]
pub struct Call<'a> {
    operation: &'a str,
    input: &'a str,
    grant: &'a Grant,
    workspace: Option<&'a Workspace>,
    settings: Option<String>,
    on_progress: Option<OnProgress>,
    keeping: Option<Arc<dyn Keeping>>,
    calling: Option<Arc<dyn Calling>>,
    depth: u32,
}

impl<'a> Call<'a> {
    /// A call of `operation` with `input`, the JSON value that its schema describes. `grant` is cut to
    /// what the operation declares.
    #[must_use]
    pub fn new(operation: &'a str, input: &'a str, grant: &'a Grant) -> Self {
        Self {
            operation,
            input,
            grant,
            workspace: None,
            settings: None,
            on_progress: None,
            keeping: None,
            calling: None,
            depth: 0,
        }
    }

    /// With this folder as the workspace, if the grant opens one.
    #[must_use]
    pub fn in_workspace(self, workspace: &'a Workspace) -> Self {
        Self {
            workspace: Some(workspace),
            ..self
        }
    }

    /// With the plugin's own settings, a JSON object.
    #[must_use]
    pub fn with_settings(self, settings: &Value) -> Self {
        Self {
            settings: Some(settings.to_string()),
            ..self
        }
    }

    /// With what the tool keeps in the conversation that this call belongs to.
    #[must_use]
    pub fn in_conversation(self, keeping: Arc<dyn Keeping>) -> Self {
        Self {
            keeping: Some(keeping),
            ..self
        }
    }

    /// With someone who makes the calls of other tools that it asks for.
    #[must_use]
    pub fn calling(self, calling: Arc<dyn Calling>) -> Self {
        Self {
            calling: Some(calling),
            ..self
        }
    }

    /// As one that tools have asked for: `depth` of them stand between it and the embedder. Such calls have places of
    /// their own, up to [`DEEPEST`](forge_contract::nested::DEEPEST); deeper ones share the last.
    #[must_use]
    pub fn at_depth(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// With someone who is told how far the tool has come.
    #[must_use]
    pub fn on_progress(self, on_progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Self {
        Self {
            on_progress: Some(on_progress),
            ..self
        }
    }
}

/// Runs `call`; whatever happens is an outcome.
pub(crate) async fn run(plugin: &Plugin, call: Call<'_>) -> CallReport {
    let started = Instant::now();
    let mut report = match plugin.prepared(call.operation) {
        Some(operation) => run_operation(plugin, operation, call, started).await,
        None => CallReport::not_run(Outcome::failed(
            FailureCode::NotFound,
            format!(
                "`{}` has no operation `{}`",
                plugin.manifest().name,
                call.operation
            ),
        )),
    };
    report.duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    report
}

async fn run_operation(
    plugin: &Plugin,
    operation: &Arc<Prepared>,
    call: Call<'_>,
    started: Instant,
) -> CallReport {
    let grant = call.grant.limited_to(&operation.declared);
    let form = match plugin.form(operation, &grant.allowed) {
        Ok(form) => form,
        Err(error) => {
            let message = error.root_cause().to_string();
            return CallReport::not_run(Outcome::Stopped(Stop::Contract { message }));
        }
    };
    let limits = plugin.shared().settings.limits;
    let mut state = State::new(empty_wasi(), limits, started);
    if let (Some(access), Some(workspace)) = (grant.allowed.workspace, call.workspace) {
        *state.wasi.filesystem() = workspace.opened(access);
        state.scope = Scope::of(&grant, workspace);
    }
    if !grant.allowed.network.is_empty() {
        let access = Access {
            network: plugin.shared().network.clone(),
            rules: Arc::new(Rules::new(plugin.digest(), &plugin.manifest().name, &grant)),
            response_bytes: limits.response_bytes,
        };
        let notes = state.recorder.note_requests();
        let web = Arc::new(Web::new(access, notes, limits.requests));
        state.wasi_http.open(web.clone());
        state.web = Some(web);
    }
    if !grant.allowed.calls.is_empty() {
        state.calls = Some(Calls {
            granted: grant.allowed.calls.clone(),
            calling: call.calling,
        });
    }
    state.depth = call.depth;
    state.operation = Some(operation.clone());
    state.on_progress = call.on_progress;
    state.keeping = call.keeping;
    state.settings = call.settings;
    let (answer, recorder) = Sandbox::new(plugin.shared(), state)
        .run(async |store| {
            let instance = form.instantiate_async(&mut *store).await?;
            instance
                .forge_tool_tool()
                .call_run(store, call.operation, call.input)
                .await
        })
        .await;
    let outcome = match answer {
        Ok(answer) => outcome(answer, limits),
        Err(ending) => Outcome::Stopped(ending.stop),
    };
    recorder.report(outcome)
}

/// The guest's answer as an outcome; an answer that is too long or not what it says is none.
fn outcome(answer: Result<abi::Output, types::Error>, limits: Limits) -> Outcome {
    let bytes = match &answer {
        Ok(output) => {
            output.content.iter().map(content_bytes).sum::<usize>()
                + output.structured.as_ref().map_or(0, String::len)
        }
        Err(error) => {
            error.code.len() + error.message.len() + error.details.as_ref().map_or(0, String::len)
        }
    };
    if bytes > limits.output_bytes {
        let value = limits.output_bytes as u64;
        return Outcome::Stopped(Stop::Limit {
            limit: "output_bytes".to_owned(),
            value,
        });
    }
    match answer {
        Ok(answer) => match output(answer) {
            Ok(output) => Outcome::Done(output),
            Err(message) => Outcome::Stopped(Stop::Contract { message }),
        },
        Err(error) => Outcome::Failed(failure(error)),
    }
}

fn content_bytes(content: &types::Content) -> usize {
    match content {
        types::Content::Text(text) | types::Content::Json(text) | types::Content::Other(text) => {
            text.len()
        }
        types::Content::Image(blob) => blob.mime.len() + blob.data.len(),
        types::Content::Artifact(document) => {
            document.name.len() + document.mime.len() + document.data.len()
        }
    }
}

fn output(answer: abi::Output) -> Result<Output, String> {
    let parse = |what: &str, json: &str| {
        serde_json::from_str::<Value>(json)
            .map_err(|error| format!("its `{what}` is no JSON: {error}"))
    };
    let content = answer.content.into_iter().map(|content| {
        Ok(match content {
            types::Content::Text(text) => Content::Text { text },
            types::Content::Json(json) => Content::Json {
                value: parse("json", &json)?,
            },
            types::Content::Image(types::Blob { mime, data }) => Content::Image { mime, data },
            types::Content::Artifact(types::Document { name, mime, data }) => {
                Content::Artifact { name, mime, data }
            }
            types::Content::Other(json) => Content::Other {
                block: parse("other", &json)?,
            },
        })
    });
    Ok(Output {
        content: content.collect::<Result<_, String>>()?,
        structured: answer
            .structured
            .map(|json| parse("structured", &json))
            .transpose()?,
    })
}

fn failure(error: types::Error) -> Failure {
    let details = error
        .details
        .map(|json| serde_json::from_str(&json).unwrap_or(Value::String(json)));
    Failure {
        code: FailureCode::parse(&error.code),
        message: error.message,
        details,
    }
}
