//! A canary as a tool's secret: it arrives, and is found nowhere else.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forge_app::app::RunKind;
use forge_app::config::Web;
use forge_app::providers::scripted::{Line, Scripted};
use forge_app::secrets::Keeper;
use forge_contract::name::Name;
use forge_contract::origin::OriginPattern;
use forge_contract::outcome::Outcome;
use forge_contract::requirements::Secret;
use forge_core::provider::{
    Completion, CompletionRequest, Flow, Identity, Provider, ProviderError,
};
use forge_runtime::{Limits, NetworkSettings, SecretLookup, Secrets};
use forge_tests::forge::Setup;
use forge_tests::guest::{Guest, answered, load_on};
use forge_tests::place::Place;
use forge_tests::rig::{CANARY, LEAKS, Rig};
use serde_json::{Value, json};

const OURS: &str = "http://127.0.0.1:*";

/// Has the canary, or does not.
struct Kept(bool);

impl Secrets for Kept {
    fn value<'a>(&'a self, tool: &'a Name, secret: &'a Secret) -> SecretLookup<'a> {
        let found = match self.0 {
            true => Ok(CANARY.into()),
            false => Err(format!("`{tool}` has no `{}`", secret.name)),
        };
        Box::pin(std::future::ready(found))
    }
}

async fn guest(has_secret: bool) -> Guest {
    let settings = NetworkSettings {
        secrets: Arc::new(Kept(has_secret)),
        ..NetworkSettings::default()
    };
    load_on("secretive", settings, Limits::default()).await
}

fn grant() -> String {
    let canary = json!({"name": "canary", "origin": OURS, "header": "X-Key", "prefix": "Key "});
    let open = json!({"name": "open", "origin": "http://open.test:*", "header": "X-Open"});
    json!({
        "network": ["http://127.0.0.1:*", "http://*:*"],
        "private": [OURS],
        "secrets": [canary, open],
    })
    .to_string()
}

fn input(port: u16, path: &str) -> Value {
    let turned: Vec<u8> = CANARY.bytes().map(|byte| byte ^ 0xff).collect();
    json!({"port": port, "path": path, "turned": turned})
}

/// The middle of the canary, in whatever form it could be in `text`.
fn leaks(text: &str) -> bool {
    let forms = ["canary/8f1", "canary%2F8f1", "canary\\/8f1", "63616e617279"];
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c)));
    let in_base64 = words.any(|word| {
        // Stars may have cut it anywhere.
        (0..4).any(|start| {
            let rest = word.get(start..).unwrap_or_default();
            let rest = &rest[..rest.len() / 4 * 4];
            let decoded = STANDARD.decode(rest).unwrap_or_default();
            String::from_utf8_lossy(&decoded).contains("anary/8f")
        })
    });
    in_base64 || forms.iter().any(|form| text.contains(form))
}

#[tokio::test]
async fn a_guest_never_has_the_secret_that_is_sent_for_it() {
    let rig = Rig::start("127.0.0.1").await;
    let guest = guest(true).await;
    let known = guest.call("known", &input(0, "").to_string(), "{}").await;
    assert_ne!(answered(&known)["found"], 0, "a guest finds what it has");
    for operation in ["run", "streamed"] {
        for form in LEAKS {
            let input = input(rig.port(), &format!("/leak?{form}")).to_string();
            let report = guest.call(operation, &input, &grant()).await;
            let answer = answered(&report);
            assert_eq!(answer["found"], 0, "{operation} {form}");
            let all = serde_json::to_string(&report).unwrap();
            assert!(!leaks(&all), "{operation} {form}: {all}");
            let body = answer["body"].as_str().unwrap();
            let stars = body.contains("***") || answer["headers"].to_string().contains("***");
            assert_eq!(
                stars,
                !["arrived", "trailer"].contains(&form),
                "{operation} {form}: {answer}"
            );
            assert_eq!(body == "it arrived", form == "arrived", "{body}");
        }
    }
}

#[tokio::test]
async fn a_secret_that_can_not_be_guarded_is_not_sent() {
    let rig = Rig::start("127.0.0.1").await;
    let whole = grant();
    let check = async |guest: &Guest, grant: &str, input: &Value, expected: &str| {
        for operation in ["run", "streamed"] {
            let report = guest.call(operation, &input.to_string(), grant).await;
            let Outcome::Failed(failure) = &report.outcome else {
                panic!("{operation} {input}: {}", report.outcome);
            };
            // Through `wasi:http` the reason is in the effect alone.
            let told = format!("{failure} {:?}", report.effects);
            assert!(told.contains(expected), "{operation}: {told}");
            assert!(!leaks(&told), "{told}");
        }
    };
    let asked = input(rig.port(), "/leak?arrived");
    check(
        &guest(false).await,
        &whole,
        &asked,
        "that takes a secret: `secretive` has no `canary`",
    )
    .await;
    let guest = guest(true).await;
    let mut open = asked.clone();
    open["host"] = json!("open.test");
    let by_https = "the secret `open` is sent by https";
    check(&guest, &whole, &open, by_https).await;
    let mut own = asked.clone();
    own["header"] = json!("X-KEY");
    check(
        &guest,
        &whole,
        &own,
        "the header `x-key` carries the secret `canary`",
    )
    .await;
    assert_eq!(rig.connections(), 0);
    let compressed = input(rig.port(), "/leak?gzip");
    check(&guest, &whole, &compressed, "it is compressed, although").await;
    assert_eq!(rig.requests(), 2);

    // Without the grant of the secret the request goes without it.
    let without = json!({"network": ["http://*:*"], "private": ["http://127.0.0.1:*"]});
    let report = guest
        .call("run", &asked.to_string(), &without.to_string())
        .await;
    assert_eq!(answered(&report)["body"], "it did not arrive");
}

/// A model that calls the tool and keeps what it was asked.
struct Model {
    lines: Scripted,
    prompts: Mutex<String>,
}

#[async_trait::async_trait]
impl Provider for Model {
    async fn identity(&self) -> Identity {
        self.lines.identity().await
    }

    async fn complete(
        &self,
        request: &CompletionRequest<'_>,
        on_text: &mut (dyn for<'t> FnMut(&'t str) -> Flow + Send),
    ) -> Result<Completion, ProviderError> {
        self.prompts.lock().unwrap().push_str(request.prompt);
        self.lines.complete(request, on_text).await
    }
}

#[tokio::test]
async fn no_prompt_has_it() {
    let rig = Rig::start("127.0.0.1").await;
    let mut content = input(rig.port(), "/leak?body");
    content["action"] = json!("run");
    let decision = json!({"tool": "secretive", "content": content, "done": false});
    let chat = json!({"tool": "chat", "content": "done"});
    let model = Arc::new(Model {
        lines: Scripted::new([decision, chat].map(|it| Line::answer(it.to_string()))),
        prompts: Mutex::default(),
    });
    let origin = OriginPattern::parse("http://127.0.0.1:*").unwrap();
    let setup = Setup {
        enabled: vec!["chat", "secretive"],
        plugins: vec![(
            "secretive.wasm".to_owned(),
            Place::Guests.component("secretive"),
        )],
        web: Web {
            private_origins: [origin].into(),
            ..Web::default()
        },
        ..Setup::default()
    };
    let forge = setup.start(model.clone()).await;
    let uses = forge.app().secrets_wanted();
    let name = Name::parse("canary").unwrap();
    forge_app::secrets::Secrets::new(&forge.data())
        .set(&name, &CANARY.into(), uses, Keeper::File)
        .await
        .unwrap();
    forge.turn("go", &[], RunKind::Agent).await;
    let prompts = model.prompts.lock().unwrap().clone();
    assert!(prompts.contains("***") && !leaks(&prompts), "{prompts}");
}

/// `forge` in a folder of its own, in which `secretive` lies among the plugins.
struct Machine(tempfile::TempDir);

impl Machine {
    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let path = |name: &str| self.0.path().join(name);
        let mut command = Command::new(Place::Binary.path());
        command
            .args(arguments)
            .current_dir(path("workspace"))
            .env_clear()
            .env("FORGE_PROVIDER", "scripted")
            .env("FORGE_SCRIPT", path("script"))
            .env("FORGE_DATA_DIR", path("data"))
            .env(
                "FORGE_CACHE_DIR",
                Place::Guests.beside("test-cache/program"),
            )
            .env("FORGE_PRIVATE_ORIGINS", "http://127.0.0.1:*")
            .env("ENABLED_TOOLS", "chat,secretive")
            .env("SHOW_DEBUG", "true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        running
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        running.wait_with_output().unwrap()
    }

    fn told(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_stored_sent_and_found_nowhere_else() {
    let rig = Rig::start("127.0.0.1").await;
    let machine = Machine(tempfile::tempdir().unwrap());
    let path = |name: &str| machine.0.path().join(name);
    std::fs::create_dir(path("workspace")).unwrap();
    std::fs::create_dir_all(path("data/plugins")).unwrap();
    std::fs::write(
        path("data/plugins/secretive.wasm"),
        Place::Guests.component("secretive"),
    )
    .unwrap();
    let script = |forms: &[&str]| {
        let lines = forms.iter().map(|form| {
            let input = input(rig.port(), &format!("/leak?{form}"));
            let mut content = json!({"action": "run"});
            content
                .as_object_mut()
                .unwrap()
                .extend(input.as_object().unwrap().clone());
            let decision = json!({"tool": "secretive", "content": content, "done": false});
            json!({ "completion": decision.to_string() }).to_string()
        });
        let last = json!({"completion": json!({"tool": "chat", "content": "done"}).to_string()});
        let lines: Vec<String> = lines.chain([last.to_string()]).collect();
        std::fs::write(path("script"), lines.join("\n")).unwrap();
    };
    script(&["arrived"]);
    let told = machine.told(&["secret", "list"], "");
    assert!(
        told.contains("canary  not stored: `forge secret set canary`"),
        "{told}"
    );
    let told = machine.told(&["chat", "go"], "");
    assert!(
        told.contains("store it with `forge secret set canary`"),
        "{told}"
    );

    let told = machine.told(&["secret", "set", "nobody", "--file"], CANARY);
    assert!(
        told.contains("no tool asks for a secret `nobody`"),
        "{told}"
    );
    let told = machine.told(
        &["secret", "set", "canary", "--file"],
        &format!("{CANARY}\n"),
    );
    let expected = "`canary` is kept in Forge's own file, for `secretive` to http://127.0.0.1:* as `X-Key: Key …`";
    assert!(told.contains(expected), "{told}");
    let mut said = told;
    let forms = ["arrived", "body", "json", "base64", "percent", "head"];
    script(&forms);
    let chat = ["chat", "--json", "--agent", "--conversation", "mine", "go"];
    let told = machine.told(&chat, "");
    assert!(told.contains("done"), "{told}");
    said += &told;
    for arguments in [
        &["secret", "list"][..],
        &["secret", "list", "--json"],
        &["explain", "last"],
    ] {
        said += &machine.told(arguments, "");
    }
    assert!(!leaks(&said), "{said}");
    let mut seen = 0;
    look_through(&path("data"), &mut seen);
    look_through(&path("workspace"), &mut seen);
    assert!(seen >= 3, "the store, the trace and more: {seen}");

    let told = machine.told(&["secret", "remove", "canary"], "");
    assert!(told.contains("`canary` is forgotten"), "{told}");
    let kept = std::fs::read_to_string(path("data/secrets.json")).unwrap();
    assert!(!leaks(&kept), "{kept}");
}

/// No file but the one that keeps it has the secret.
fn look_through(folder: &Path, seen: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            look_through(&path, seen);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let is_kept = leaks(&String::from_utf8_lossy(&bytes));
            assert_eq!(
                is_kept,
                path.ends_with("data/secrets.json"),
                "{}",
                path.display()
            );
            *seen += 1;
        }
    }
}
