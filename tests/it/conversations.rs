//! Conversations, what tools keep in them, long outputs, and tools from the plugins folder, through Forge as
//! every surface calls it.

use std::sync::Arc;

use forge_app::app::Storage;
use forge_app::providers::scripted::{Line, Scripted};
use forge_core::conversation::ConversationId;
use forge_tests::forge::{Forge, Setup};
use forge_tests::place::Place;
use serde_json::json;

async fn forge(lines: Vec<String>, setup: Setup) -> Forge {
    let lines: Vec<Line> = lines.iter().map(String::as_str).map(Line::answer).collect();
    setup.start(Arc::new(Scripted::new(lines))).await
}

fn say(text: &str) -> String {
    json!({"tool": "chat", "content": text}).to_string()
}

fn files(input: serde_json::Value) -> String {
    json!({"tool": "files", "content": input}).to_string()
}

async fn messages(forge: &Forge, conversation: &str) -> Vec<(u64, &'static str, String)> {
    let id = ConversationId::parse(conversation).unwrap();
    let messages = forge.app().messages(&id, 0, 100).await.unwrap();
    messages
        .into_iter()
        .map(|message| (message.id, message.role.as_str(), message.content))
        .collect()
}

#[tokio::test]
async fn only_answers_are_stored_each_in_its_conversation() {
    let lines = vec![
        say("Good day."),
        say(""),
        files(json!({"action": "read", "path": "missing"})),
        say("It is noon."),
        say("Elsewhere."),
    ];
    let forge = forge(lines, Setup::default()).await;
    let check = async |conversation: &str, text: &str, is_stored: bool| {
        let report = forge.say(conversation, text).await;
        assert_eq!(report.storage.is_stored(), is_stored, "{text}: {report:?}");
    };
    check("main", "hello", true).await;
    check("main", "say nothing", false).await;
    check("main", "read what is missing", false).await;
    check("main", "what time is it?", true).await;
    check("other", "and here?", true).await;
    let owned = |list: &[(u64, &'static str, &str)]| {
        let owned = list
            .iter()
            .map(|(id, role, text)| (*id, *role, (*text).to_owned()));
        owned.collect::<Vec<_>>()
    };
    assert_eq!(
        messages(&forge, "main").await,
        owned(&[
            (1, "user", "hello"),
            (2, "assistant", "Good day."),
            (3, "user", "what time is it?"),
            (4, "assistant", "It is noon."),
        ])
    );
    assert_eq!(
        messages(&forge, "other").await,
        owned(&[(1, "user", "and here?"), (2, "assistant", "Elsewhere.")])
    );
    let listed = forge.app().conversations().await.unwrap();
    let mut names: Vec<&str> = listed.iter().map(|listed| listed.id.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["main", "other"]);
}

#[tokio::test]
async fn a_turn_that_can_not_be_stored_still_answers() {
    let forge = forge(vec![say("Good day.")], Setup::default()).await;
    // No store: something else lies where it should be.
    std::fs::write(
        forge.data().join("forge.db"),
        "this is no database, whatever its name",
    )
    .unwrap();
    let report = forge.say("main", "hello").await;
    assert_eq!(
        (report.turn.ok, report.turn.output.as_str()),
        (true, "Good day.")
    );
    let Storage::Failed { reason } = report.storage else {
        panic!("{:?}", report.storage)
    };
    assert!(reason.contains("forge.db"), "{reason}");
    let left = std::fs::read_to_string(forge.data().join("forge.db")).unwrap();
    assert_eq!(left, "this is no database, whatever its name");
}

#[tokio::test]
async fn a_long_output_is_kept() {
    long_output_is_kept().await;
}

/// Reads a file whose text is too long, and returns the name of the artifact that is made of it.
async fn long_output_is_kept() -> String {
    let text: String = (1..=900).map(|line| format!("line {line}\n")).collect();
    let setup = Setup {
        files: vec![("long.txt".to_owned(), text.clone())],
        inline_output_bytes: 2048,
        ..Setup::default()
    };
    let read = files(json!({"action": "read", "path": "long.txt"}));
    let forge = forge(vec![read], setup).await;
    let report = forge.say("main", "read long.txt").await;
    let output = report.turn.output;
    assert!(output.len() <= 2048, "{}", output.len());
    assert!(output.starts_with("line 1\nline 2\n"), "{output}");
    assert!(output.ends_with("line 899\nline 900\n"), "{output}");
    let note = output.lines().find(|line| line.starts_with("[…")).unwrap();
    let bytes = text.len();
    assert!(
        note.contains(&format!("all {bytes} bytes are kept as `artifact:")),
        "{note}"
    );
    let (_, name) = note.split_once("artifact:").unwrap();
    let kept = forge.data().join("artifacts/main").join(&name[..12]);
    assert_eq!(std::fs::read_to_string(kept).unwrap(), text);
    name[..12].to_owned()
}

#[tokio::test]
async fn an_artifact_is_paged_in_its_own_conversation() {
    let text: String = (1..=900).map(|line| format!("line {line}\n")).collect();
    let setup = Setup {
        files: vec![("long.txt".to_owned(), text)],
        inline_output_bytes: 2048,
        ..Setup::default()
    };
    // The artifact is named by what it holds, so that the second answer can name it.
    let name = long_output_is_kept().await;
    let path = format!("artifact:{name}");
    let page = files(json!({"action": "read", "path": path, "from": 400, "to": 402}));
    let lines = vec![
        files(json!({"action": "read", "path": "long.txt"})),
        page.clone(),
        page,
        files(json!({"action": "read", "path": "artifact:../../forge.db"})),
        files(json!({"action": "write", "path": path, "content": "x"})),
    ];
    let forge = forge(lines, setup).await;
    forge.say("main", "read long.txt").await;
    let page = forge.say("main", "go on").await.turn.output;
    assert_eq!(
        page,
        "[lines 400-402 of 900]\nline 400\nline 401\nline 402\n"
    );
    let elsewhere = forge.say("other", "go on").await.turn;
    assert!(!elsewhere.ok);
    assert!(
        elsewhere.output.contains("there is no `artifact:"),
        "{}",
        elsewhere.output
    );
    let outside = forge.say("main", "go on").await.turn;
    assert!(
        outside.output.contains("is no artifact"),
        "{}",
        outside.output
    );
    forge.say("main", "write it").await;
    let kept = forge.data().join("artifacts/main").join(&name);
    assert!(
        std::fs::read_to_string(kept)
            .unwrap()
            .starts_with("line 1\n")
    );
}

#[tokio::test]
async fn what_lies_in_the_plugins_folder_is_offered_if_it_is_enabled() {
    let setup = |enabled: Vec<&'static str>| Setup {
        enabled,
        plugins: vec![
            ("keeper.wasm".to_owned(), Place::Guests.component("keeper")),
            ("broken.wasm".to_owned(), b"\0asm".to_vec()),
            ("files.wasm".to_owned(), Place::Plugins.component("files")),
            ("notes.txt".to_owned(), b"no component".to_vec()),
        ],
        ..Setup::default()
    };
    let keep = json!({"tool": "keeper", "content": {"action": "set", "key": "a", "length": 3}});
    let get = json!({"tool": "keeper", "content": {"action": "get", "key": "a"}});
    let lines = vec![keep.to_string(), get.to_string(), get.to_string()];
    let forge_with = forge(lines, setup(vec!["chat", "keeper"])).await;
    assert_eq!(forge_with.say("main", "keep").await.turn.output, "ok");
    assert_eq!(forge_with.say("main", "and?").await.turn.output, "3");
    assert_eq!(forge_with.say("other", "and?").await.turn.output, "null");

    let without = forge(vec![keep.to_string()], setup(vec!["chat"])).await;
    let report = without.say("main", "keep").await;
    assert!(!report.turn.ok, "{report:?}");

    let folder = without.data().join("plugins");
    let broken: Vec<(String, bool)> = without
        .app()
        .broken()
        .iter()
        .map(|broken| (broken.source.clone(), broken.problem.contains("`files`")))
        .collect();
    let named = |name: &str| format!("`{}`", folder.join(name).display());
    // The tool that ships is not replaced by one of the same name.
    assert_eq!(
        broken,
        [(named("broken.wasm"), false), (named("files.wasm"), true)]
    );
}

#[tokio::test]
async fn the_users_own_settings_are_changed_by_no_tool() {
    let write = |path: &str| files(json!({"action": "write", "path": path, "content": "x"}));
    let names = [".env", "sub/forge.toml", "own.toml"];
    let lines = names.iter().map(|name| write(name)).collect();
    let setup = Setup {
        files: vec![("own.toml".to_owned(), "mine".to_owned())],
        own_files: vec!["own.toml"],
        ..Setup::default()
    };
    let forge = forge(lines, setup).await;
    for name in names {
        let turn = forge.say("main", "write it").await.turn;
        assert!(!turn.ok && turn.output.contains(name), "{}", turn.output);
    }
    assert!(!forge.workspace().join(".env").exists());
    let own = std::fs::read_to_string(forge.workspace().join("own.toml"));
    assert_eq!(own.unwrap(), "mine");
}
