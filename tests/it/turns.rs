//! Turns with the tools that ship and a scripted model: what a person sees, what is recorded.

use std::sync::Arc;

use forge_app::app::RunKind;
use forge_app::providers::scripted::{Line, Scripted};
use forge_core::turn::Exchange;
use forge_tests::forge::{Forge, Setup};
use serde_json::json;

/// Forge with the file `a.txt` and a model that follows `answers`.
async fn forge(setup: Setup, answers: &[&str]) -> (Forge, Arc<Scripted>) {
    let model = Arc::new(Scripted::new(
        answers.iter().map(|answer| Line::answer(*answer)),
    ));
    let files = vec![("a.txt".to_owned(), "one\ntwo\nthree\n".to_owned())];
    (Setup { files, ..setup }.start(model.clone()).await, model)
}

/// One turn: the model's answer, and what the user reads.
async fn check(answer: &str, expected: &str) {
    let (forge, _) = forge(Setup::default(), &[answer]).await;
    let (report, _) = forge.chat("please", &[]).await;
    assert_eq!(report.output, expected, "{answer}");
}

#[tokio::test]
async fn each_tool_answers() {
    check(r#"{"tool":"chat","content":"Hello!"}"#, "Hello!").await;
    check(r#"{"tool":"code","content":"x = 1"}"#, "```\nx = 1\n```").await;
    check(r#"{"tool":"files","content":{"action":"list"}}"#, "  a.txt").await;
    check(
        r#"{"tool":"files","content":{"action":"read","path":"a.txt"}}"#,
        "one\ntwo\nthree\n",
    )
    .await;
    let outside = r#"{"tool":"files","content":{"action":"read","path":"../secret"}}"#;
    let (forge, _) = forge(Setup::default(), &[outside]).await;
    let (report, _) = forge.chat("please", &[]).await;
    assert!(!report.ok);
    assert!(
        report.output.contains("leads out of the workspace"),
        "{}",
        report.output
    );
}

#[tokio::test]
async fn the_record_tells_what_happened() {
    let (forge, _) = forge(
        Setup::default(),
        &[r#"{"tool":"files","content":{"action":"read","path":"a.txt"}}"#],
    )
    .await;
    let (report, events) = forge.chat("read a.txt", &[]).await;
    assert_eq!(
        events,
        [
            "1 deciding",
            "1 chosen files",
            r#"1 decided files.read {"path":"a.txt"}"#,
            "1 finished files: done"
        ]
    );
    let traces = forge.traces();
    let [trace] = traces.as_slice() else {
        panic!("one record: {traces:?}")
    };
    assert_eq!(trace["run_id"], report.record.run_id);
    assert_eq!(trace["user_input_preview"], "read a.txt");
    assert_eq!(
        (&trace["ok"], &trace["final_tool"]),
        (&json!(true), &json!("files"))
    );
    let step = &trace["steps"][0];
    assert_eq!(
        (&step["operation"], &step["verdict"]),
        (&json!("read"), &json!("allow"))
    );
    assert_eq!(
        step["call"]["effects"],
        json!([{"effect": "file", "action": "open", "path": "/workspace/a.txt", "bytes": 14}])
    );
    assert!(
        !trace.to_string().contains("two"),
        "what was read is nobody's business"
    );
}

#[tokio::test]
async fn without_the_files_component_nothing_touches_the_workspace() {
    let read = r#"{"tool":"files","content":{"action":"read","path":"a.txt"}}"#;
    let setup = Setup {
        components: vec!["chat", "code"],
        enabled: vec!["chat", "code"],
        ..Setup::default()
    };
    let (forge, model) = forge(setup, &[read]).await;
    let (report, _) = forge.chat("read a.txt", &[]).await;
    assert!(!report.output.contains("one"), "{}", report.output);
    assert!(
        !model.requests()[0].prompt.contains("files"),
        "what is not there is not offered"
    );
    assert!(report.record.steps.iter().all(|step| {
        step.call
            .as_ref()
            .is_none_or(|call| call.effects.is_empty())
    }));
}

#[tokio::test]
async fn a_tool_that_is_not_enabled_is_not_offered() {
    let setup = Setup {
        enabled: vec!["chat"],
        ..Setup::default()
    };
    let read = r#"{"tool":"files","content":{"action":"read","path":"a.txt"}}"#;
    let (forge, model) = forge(setup, &[read]).await;
    let (report, _) = forge.chat("read a.txt", &[]).await;
    let asked = &model.requests()[0];
    assert!(!asked.prompt.contains("files"), "{}", asked.prompt);
    assert!(!asked.gbnf.as_ref().unwrap().contains("files"));
    assert!(!report.output.contains("one"), "{}", report.output);
}

#[tokio::test]
async fn an_agent_is_told_what_failed_and_goes_on() {
    let answers = [
        r#"{"tool":"files","content":{"action":"read","path":"b.txt"},"done":false}"#,
        r#"{"tool":"files","content":{"action":"read","path":"a.txt"},"done":false}"#,
        r#"{"tool":"chat","content":"It says one, two, three."}"#,
    ];
    let (forge, model) = forge(Setup::default(), &answers).await;
    let (report, _) = forge
        .turn("what is in the file?", &[], RunKind::Agent)
        .await;
    assert_eq!(
        (report.output.as_str(), report.steps),
        ("It says one, two, three.", 3)
    );
    let prompts = model.requests();
    assert!(
        prompts[1].prompt.contains("not-found"),
        "{}",
        prompts[1].prompt
    );
    assert!(prompts[2].prompt.contains("three"), "{}", prompts[2].prompt);
}

#[tokio::test]
async fn the_prompt_grows_at_its_end_only() {
    let answers = [
        r#"{"tool":"chat","content":"Hi."}"#,
        r#"{"tool":"chat","content":"Yes."}"#,
    ];
    let (forge, model) = forge(Setup::default(), &answers).await;
    forge.chat("hello", &[]).await;
    let history = [Exchange {
        user: "hello".to_owned(),
        answer: "Hi.".to_owned(),
    }];
    forge.chat("really?", &history).await;
    let prompts = model.requests();
    let shared = prompts[0]
        .prompt
        .bytes()
        .zip(prompts[1].prompt.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    // All but the context lines and the user's words, which are the last 200 bytes at most.
    assert!(
        shared + 200 > prompts[0].prompt.len(),
        "{shared} of {}",
        prompts[0].prompt.len()
    );
}

#[tokio::test]
async fn a_turn_that_is_given_up_leaves_its_record() {
    let silence: Line = serde_json::from_str(r#""silence""#).unwrap();
    let forge = Setup::default()
        .start(Arc::new(Scripted::new([silence])))
        .await;
    tokio::select! {
        biased;
        _ = forge.chat("hello?", &[]) => panic!("nobody answered"),
        () = std::future::ready(()) => {}
    }
    let traces = forge.traces();
    assert_eq!(traces.len(), 1);
    assert_eq!(traces[0]["user_input_preview"], "hello?");
    assert_eq!(
        (&traces[0]["ok"], &traces[0]["error"]),
        (&json!(false), &json!("interrupted"))
    );
}

#[tokio::test]
async fn of_two_providers_the_first_is_offered_and_the_other_is_named() {
    let setup = Setup {
        components: vec!["chat", "chat"],
        enabled: vec!["chat"],
        ..Setup::default()
    };
    let (forge, _) = forge(setup, &[r#"{"tool":"chat","content":"Hello!"}"#]).await;
    assert_eq!(
        forge.app().warnings(),
        [
            "embedded `chat` is not offered: `embedded `chat`` and `embedded `chat`` both provide `chat`: remove one of them"
        ]
    );
    assert_eq!(forge.chat("hello", &[]).await.0.output, "Hello!");
}
