//! Starting and taking turns with a scripted model and no tools.

use std::collections::BTreeMap;
use std::path::Path;

use forge_core::observer::{Event, Observer};
use forge_core::policy::Mode;

use super::*;
use crate::config::{EnabledTools, Switches, Web};
use crate::providers::scripted::Line;

struct Unwatched;

impl Observer for Unwatched {
    fn observe(&self, _event: Event<'_>) {}
}

fn config(folder: &Path, enabled: &[&str]) -> Config {
    let workspace = folder.join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    Config {
        provider: ProviderConfig::Scripted {
            script: folder.join("unused"),
        },
        max_steps: None,
        enabled_tools: EnabledTools {
            names: enabled
                .iter()
                .map(|name| Name::parse(name).unwrap())
                .collect(),
            is_chosen: true,
        },
        allow: Switches {
            network: true,
            workspace_writes: true,
            subprocess: true,
            llm: true,
        },
        mode: Mode::Full,
        denied: Vec::new(),
        only_words: false,
        rules: Vec::new(),
        grants: BTreeMap::new(),
        workspace,
        data_dir: folder.join("data"),
        cache_dir: folder.join("cache"),
        trace_file: Some(folder.join("data/traces.jsonl")),
        plugins_dir: folder.join("data/plugins"),
        memory: crate::config::Memory {
            enabled: true,
            max_history: 100,
            slack: 20,
        },
        web: Web::default(),
        server: crate::config::Server {
            listen: ([127, 0, 0, 1], 0).into(),
            api_token: None,
            max_body_bytes: 1 << 20,
            allow_unauthenticated: false,
        },
        log: crate::config::Log {
            json: false,
            debug: false,
        },
        inline_output_bytes: 16384,
        warnings: Vec::new(),
        own_files: Vec::new(),
    }
}

async fn start(
    folder: &Path,
    lines: Vec<Line>,
    components: &[(&str, &[u8])],
) -> Result<App, StartError> {
    let provider = Arc::new(Scripted::new(lines));
    App::start_with(&config(folder, &["chat", "web"]), provider, components).await
}

fn hello() -> ChatRequest {
    ChatRequest {
        text: "hello".to_owned(),
        attended: false,
        before: Before::Exchanges(Vec::new()),
        max_steps: None,
        kind: RunKind::Routed,
    }
}

#[tokio::test]
async fn without_tools_the_model_answers_in_words_and_the_run_is_traced() {
    let folder = tempfile::tempdir().unwrap();
    let lines = vec![Line::answer(r#"{"tool":"chat","content":"Hello!"}"#)];
    let app = start(folder.path(), lines, &[]).await.unwrap();
    assert_eq!(app.capabilities(), []);
    assert_eq!(
        app.warnings(),
        [
            "no tools are embedded in this binary, so the model can only answer in words: build it with `cargo xtask build`"
        ]
    );
    let report = app.chat(&hello(), &Unwatched).await.turn;
    assert!(report.ok);
    assert_eq!(report.output, "Hello!");
    let traced = TraceFile::at(folder.path().join("data/traces.jsonl"))
        .last(9)
        .unwrap();
    assert_eq!(traced, [report.record]);
    assert_eq!(traced[0].run_id.len(), 12);
}

#[tokio::test]
async fn a_component_that_is_none_is_named_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let lines = vec![Line::answer(r#"{"tool":"chat","content":"Hello!"}"#)];
    let components: [(&str, &[u8]); 1] = [("web", b"\0asm")];
    let app = start(folder.path(), lines, &components).await.unwrap();
    let warnings = app.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with("embedded `web` is not offered: "),
        "{warnings:?}"
    );
    assert_eq!(app.chat(&hello(), &Unwatched).await.turn.output, "Hello!");
}

#[test]
fn an_enabled_tool_must_be_there() {
    let name = |text: &str| Name::parse(text).unwrap();
    let registry = Registry::default();
    let check = |enabled: &[&str], expected: Option<&str>| {
        let enabled: Vec<Name> = enabled.iter().map(|text| name(text)).collect();
        let error = check_enabled(&enabled, &registry)
            .err()
            .map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{enabled:?}");
    };
    check(&[], None);
    check(&["chat", "code"], None);
    check(
        &["chat", "web", "git"],
        Some("`ENABLED_TOOLS` names `web`, `git`, which no tool offers: there is none"),
    );
}
