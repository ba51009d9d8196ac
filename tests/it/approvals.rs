//! Calls about which policy asks, in whole turns and over HTTP: nothing runs without the operator's yes to just that call.

use std::sync::Arc;
use std::time::Duration;

use forge_app::app::{Before, ChatRequest, RunKind};
use forge_app::providers::scripted::{Line, Scripted};
use forge_contract::label::Label;
use forge_core::approval::Answer;
use forge_core::conversation::ConversationId;
use forge_core::observer::{Event, Observer};
use forge_core::policy::{Mode, Rule};
use forge_tests::forge::{Forge, SHIPPED, Setup, anywhere};
use forge_tests::rig::Rig;
use serde_json::{Value, json};

fn write(text: &str) -> Value {
    json!({"tool": "files", "content": {"action": "write", "path": "a.txt", "content": text}})
}

async fn start(decisions: &[Value], setup: Setup) -> Forge {
    let lines = decisions
        .iter()
        .map(|decision| Line::answer(decision.to_string()));
    setup.start(Arc::new(Scripted::new(lines))).await
}

fn asking() -> Setup {
    Setup {
        mode: Mode::Ask,
        ..Setup::default()
    }
}

#[tokio::test]
async fn without_anybody_there_it_ends_at_once_and_can_be_approved_later() {
    let forge = start(&[write("x"), write("y"), write("x"), write("x")], asking()).await;
    // Nobody is there, so it must not wait for anybody.
    let report = tokio::time::timeout(Duration::from_secs(60), forge.say("main", "please")).await;
    let report = report.expect("it ends at once");
    let needed = report.turn.approval.clone().unwrap();
    assert!(
        report
            .turn
            .output
            .contains(&format!("forge approve {}", needed.id)),
        "{}",
        report.turn.output
    );
    assert!(!report.storage.is_stored());
    let file = forge.workspace().join("a.txt");
    assert!(!file.exists());
    forge
        .app()
        .answer_approval(&needed.id, Answer::Once)
        .await
        .unwrap();
    // One byte is another call.
    let other = forge.say("main", "please").await;
    assert!(
        other
            .turn
            .approval
            .is_some_and(|other| other.id != needed.id)
    );
    assert!(!file.exists());
    assert!(forge.say("main", "please").await.turn.ok);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
    // Once is once.
    let again = forge.say("main", "please").await;
    assert!(again.turn.approval.is_some());
}

/// Says yes or no as soon as it is asked.
struct Operator<'a> {
    forge: &'a Forge,
    answer: Answer,
    asked: std::sync::Mutex<Vec<String>>,
}

impl Observer for Operator<'_> {
    fn observe(&self, event: Event<'_>) {
        let Event::Asking {
            id, call, input, ..
        } = event
        else {
            return;
        };
        self.asked.lock().unwrap().push(format!("{call} {input}"));
        let (app, id, answer) = (self.forge.app().clone(), id.to_owned(), self.answer);
        tokio::spawn(async move { app.answer_approval(&id, answer).await.unwrap() });
    }
}

#[tokio::test]
async fn with_somebody_there_it_waits_for_the_answer() {
    for (answer, asked) in [
        (Answer::Once, 2),
        (Answer::No, 2),
        (Answer::Session, 1),
        (Answer::Always, 1),
    ] {
        let forge = start(&[write("x"), write("x")], asking()).await;
        let operator = Operator {
            forge: &forge,
            answer,
            asked: std::sync::Mutex::default(),
        };
        for _ in 0..2 {
            let request = ChatRequest {
                text: "please".to_owned(),
                before: Before::Exchanges(Vec::new()),
                kind: RunKind::Routed,
                max_steps: None,
                attended: true,
            };
            let report = forge.app().chat(&request, &operator).await;
            assert_eq!(report.turn.approval, None);
            let was_written = forge.workspace().join("a.txt").exists();
            assert_eq!(
                was_written,
                answer != Answer::No,
                "{answer:?}: {}",
                report.turn.output
            );
            // A file that is there is not written over unseen, whoever approves.
            let _ = std::fs::remove_file(forge.workspace().join("a.txt"));
        }
        assert_eq!(operator.asked.lock().unwrap().len(), asked, "{answer:?}");
    }
}

#[tokio::test]
async fn what_was_fetched_makes_a_write_ask_also_in_a_later_run() {
    let rig = Rig::start("127.0.0.1").await;
    let origin = format!("http://127.0.0.1:{}", rig.port());
    let fetch = json!({"tool": "web_fetch", "content": {"url": format!("{origin}/page")}});
    let mut setup = Setup {
        components: SHIPPED.to_vec(),
        enabled: SHIPPED.to_vec(),
        ..Setup::default()
    };
    setup.web.private_origins.extend([origin.parse_pattern()]);
    let read = json!({"tool": "files", "content": {"action": "read", "path": "a.txt"}});
    let decisions = [fetch, write("x"), write("x"), read, write("x")];
    let forge = start(&decisions, setup).await;
    let fetched = forge.say("main", "fetch it").await;
    assert!(fetched.turn.ok && fetched.turn.labels.contains(&Label::External));
    let report = forge.say("main", "write it down").await;
    let needed = report.turn.approval.unwrap();
    assert!(
        needed.reasons[0].contains("data from outside is in this run"),
        "{needed:?}"
    );
    assert_eq!(
        report.turn.record.steps[0].verdict.as_deref(),
        Some("needs approval: label")
    );
    // Nobody says yes for ever to what came from outside.
    let always = forge
        .app()
        .answer_approval(&needed.id, Answer::Always)
        .await
        .unwrap_err();
    assert!(always.to_string().contains("a label asks"), "{always}");
    forge
        .app()
        .answer_approval(&needed.id, Answer::Once)
        .await
        .unwrap();
    assert!(forge.say("main", "write it down").await.turn.ok);
    // Who reads it elsewhere reads data from outside.
    let read = forge.say("third", "read it").await;
    assert!(
        read.turn.labels.contains(&Label::External),
        "{:?}",
        read.turn.labels
    );
    // Where nothing came from outside nobody is asked.
    std::fs::remove_file(forge.workspace().join("a.txt")).unwrap();
    let other = forge.say("other", "write it down").await;
    assert!(other.turn.ok, "{}", other.turn.output);
    assert_eq!(ConversationId::default().as_str(), "main");
}

/// An origin as a pattern.
trait ParsePattern {
    fn parse_pattern(&self) -> forge_contract::origin::OriginPattern;
}

impl ParsePattern for String {
    fn parse_pattern(&self) -> forge_contract::origin::OriginPattern {
        forge_contract::origin::OriginPattern::parse(self).unwrap()
    }
}

#[tokio::test]
async fn rules_hold_in_turns() {
    let rule = |text: Value| Rule::new(serde_json::from_value(text).unwrap()).unwrap();
    let setup = Setup {
        rules: vec![
            anywhere(),
            rule(
                json!({"name": "no-secrets", "effect": "deny", "capability": "files", "arguments": {"path": "secret/**"}, "reason": "they stay"}),
            ),
            rule(
                json!({"name": "ask-a", "effect": "ask", "capability": "files", "operation": "write"}),
            ),
        ],
        ..Setup::default()
    };
    let denied = json!({"tool": "files", "content": {"action": "write", "path": "x/../secret/a", "content": "x"}});
    let read = json!({"tool": "files", "content": {"action": "list"}});
    let forge = start(&[denied, write("x"), read], setup).await;
    let report = forge.say("main", "please").await;
    assert!(
        report
            .turn
            .output
            .contains("denied by the rule `no-secrets` (they stay)"),
        "{}",
        report.turn.output
    );
    let report = forge.say("main", "please").await;
    assert!(report.turn.approval.unwrap().reasons[0].contains("the rule `ask-a` asks"));
    assert!(forge.say("main", "please").await.turn.ok);
    assert!(!forge.workspace().join("secret").exists());
}
