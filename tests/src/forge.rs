//! Forge with the tools that ship, a workspace of its own and whatever model a test brings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use forge_app::app::{App, Before, ChatReport, ChatRequest, RunKind};
use forge_app::config::{Config, EnabledTools, Log, Memory, ProviderConfig, Server, Switches, Web};
use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_core::conversation::ConversationId;
use forge_core::observer::{Event, Observer};
use forge_core::policy::{Mode, Rule};
use forge_core::provider::Provider;
use forge_core::turn::{Exchange, TurnReport};
use tempfile::TempDir;

use crate::place::Place;

/// The tools that ship.
pub const SHIPPED: [&str; 5] = ["chat", "code", "files", "web_fetch", "web_search"];

/// Those of them that are enabled while nobody sets anything.
const ENABLED: [&str; 3] = ["chat", "code", "files"];

/// The paths of tests are nobody's: nobody shall be asked about them.
///
/// # Panics
/// Never: the rule is one.
#[must_use]
pub fn anywhere() -> Rule {
    let text = serde_json::json!({"name": "anywhere", "effect": "allow", "capability": "*", "discharges": ["path"]});
    Rule::new(serde_json::from_value(text).expect("a rule")).expect("a rule")
}

/// A Forge of its own.
pub struct Forge {
    app: Arc<App>,
    folder: TempDir,
}

/// How it is set up. `Setup::default()` is what a person has who sets nothing, with the tools that are enabled then.
pub struct Setup {
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// The components, from those that ship.
    pub components: Vec<&'static str>,
    /// The tools that are enabled.
    pub enabled: Vec<&'static str>,
    /// Files of the workspace.
    pub files: Vec<(String, String)>,
    /// What is allowed unasked.
    pub mode: Mode,
    /// The longest output that is handed on whole, in bytes.
    pub inline_output_bytes: usize,
    /// Those of them that hold the user's own settings.
    pub own_files: Vec<&'static str>,
    /// Files of the plugins folder: names and bytes.
    pub plugins: Vec<(String, Vec<u8>)>,
    /// How tools reach others.
    pub web: Web,
    /// The operator's rules.
    pub rules: Vec<Rule>,
    /// What tools are granted, where it is not what they declare.
    pub grants: BTreeMap<Name, Grant>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            max_steps: None,
            components: ENABLED.to_vec(),
            enabled: ENABLED.to_vec(),
            files: Vec::new(),
            mode: Mode::Full,
            inline_output_bytes: 65536,
            own_files: Vec::new(),
            plugins: Vec::new(),
            web: Web::default(),
            rules: vec![anywhere()],
            grants: BTreeMap::new(),
        }
    }
}

impl Setup {
    /// Starts it with this model.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(self, provider: Arc<dyn Provider>) -> Forge {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = folder.path().join("workspace");
        std::fs::create_dir(&workspace).expect("a folder");
        for (path, text) in &self.files {
            std::fs::write(workspace.join(path), text).expect("a file");
        }
        std::fs::create_dir_all(folder.path().join("data/plugins")).expect("a folder");
        for (name, bytes) in &self.plugins {
            std::fs::write(folder.path().join("data/plugins").join(name), bytes).expect("a file");
        }
        let components: Vec<(&str, Vec<u8>)> = self
            .components
            .iter()
            .map(|name| (*name, Place::Plugins.component(name)))
            .collect();
        let components: Vec<(&str, &[u8])> = components
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()))
            .collect();
        let app = App::start_with(&self.config(folder.path()), provider, &components).await;
        Forge {
            app: Arc::new(app.expect("Forge starts")),
            folder,
        }
    }

    fn config(&self, folder: &Path) -> Config {
        Config {
            provider: ProviderConfig::Scripted {
                script: folder.join("unused"),
            },
            max_steps: self.max_steps,
            enabled_tools: EnabledTools {
                names: self
                    .enabled
                    .iter()
                    .map(|name| Name::parse(name).expect("a name"))
                    .collect(),
                is_chosen: true,
            },
            allow: Switches {
                network: true,
                workspace_writes: true,
                subprocess: true,
                llm: true,
            },
            mode: self.mode,
            denied: Vec::new(),
            only_words: false,
            rules: self.rules.clone(),
            grants: self.grants.clone(),
            workspace: folder.join("workspace"),
            data_dir: folder.join("data"),
            // Shared, so that each component is compiled once for all tests.
            cache_dir: Place::Plugins.beside("test-cache"),
            trace_file: Some(folder.join("data/traces.jsonl")),
            plugins_dir: folder.join("data/plugins"),
            memory: Memory {
                enabled: true,
                max_history: 100,
                slack: 20,
            },
            web: self.web.clone(),
            server: Server {
                listen: ([127, 0, 0, 1], 0).into(),
                api_token: None,
                max_body_bytes: 1 << 20,
                allow_unauthenticated: false,
            },
            log: Log {
                json: false,
                debug: false,
            },
            inline_output_bytes: self.inline_output_bytes,
            warnings: Vec::new(),
            own_files: self
                .own_files
                .iter()
                .map(|name| folder.join("workspace").join(name))
                .collect(),
        }
    }
}

impl Forge {
    /// Takes one routed turn and returns it with its events in short.
    pub async fn chat(&self, text: &str, history: &[Exchange]) -> (TurnReport, Vec<String>) {
        self.turn(text, history, RunKind::Routed).await
    }

    /// [`Forge::chat`] for any kind of run.
    ///
    /// # Panics
    /// When an observer panicked.
    pub async fn turn(
        &self,
        text: &str,
        history: &[Exchange],
        kind: RunKind,
    ) -> (TurnReport, Vec<String>) {
        let events = Events::default();
        let request = ChatRequest {
            text: text.to_owned(),
            attended: false,
            before: Before::Exchanges(history.to_vec()),
            kind,
            max_steps: None,
        };
        let report = self.app.chat(&request, &events).await.turn;
        (report, events.0.into_inner().expect("no observer panicked"))
    }

    /// Takes one routed turn in a conversation.
    ///
    /// # Panics
    /// When `conversation` is no name of one.
    pub async fn say(&self, conversation: &str, text: &str) -> ChatReport {
        let id = ConversationId::parse(conversation).expect("a name");
        let request = ChatRequest {
            text: text.to_owned(),
            attended: false,
            before: Before::Conversation(id),
            kind: RunKind::Routed,
            max_steps: None,
        };
        self.app.chat(&request, &Events::default()).await
    }

    /// Forge itself.
    #[must_use]
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The workspace's folder.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// The data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The records of the trace, as JSON.
    ///
    /// # Panics
    /// When the file holds something else.
    #[must_use]
    pub fn traces(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.folder.path().join("data/traces.jsonl"))
            .unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }
}

/// The events of a turn, in short.
#[derive(Default)]
struct Events(Mutex<Vec<String>>);

impl Observer for Events {
    fn observe(&self, event: Event<'_>) {
        let text = match event {
            Event::Asking { call, .. } => format!("asking {call}"),
            Event::Deciding { step } => format!("{step} deciding"),
            Event::Chosen { step, tool } => format!("{step} chosen {tool}"),
            Event::Delta { text } => format!("delta {text:?}"),
            Event::Decided {
                step,
                tool,
                operation,
                input,
                done,
            } => {
                format!(
                    "{step} decided {tool}.{operation} {input}{}",
                    if done { "" } else { " and goes on" }
                )
            }
            Event::SubStep { step, name } => format!("{step} sub-step {name}"),
            Event::Finished {
                step,
                tool,
                outcome,
                ..
            } => format!("{step} finished {tool}: {}", outcome.kind()),
            Event::Retract { replacement } => format!("retract {replacement:?}"),
        };
        self.0.lock().expect("no observer panicked").push(text);
    }
}
