//! What is shown while the model writes, and what is taken back.

use forge_contract::report::Progress;

use super::scripted::Say;
use super::*;

/// The events of a turn; pieces of the answer are put together.
fn events(stage: &Stage) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for event in stage.events() {
        match (joined.last_mut(), event.strip_prefix("delta ")) {
            (Some(last), Some(piece)) if last.starts_with("delta ") => last.push_str(piece),
            _ => joined.push(event),
        }
    }
    joined
}

fn check_events(script: Vec<Say>, expected: &[&str]) {
    let stage = Stage::new(script);
    stage.run();
    assert_eq!(events(&stage), expected);
}

#[test]
fn an_answer_is_shown_while_it_comes() {
    let expected = [
        "deciding 1",
        "chosen 1 chat",
        "delta a \"b\" \u{1f600}\né",
        "decided 1 chat.run a \"b\" \u{1f600}\né true",
        "finished 1 chat done",
    ];
    for size in 1..20 {
        let raw = r#"{"tool":"chat","content":"a \"b\" \ud83d\ude00\né"}"#;
        check_events(vec![say(raw).in_pieces_of(size)], &expected);
    }
}

#[test]
fn a_tools_news_are_passed_on() {
    let mut stage = Stage::new(vec![decide("git", json!({"x": 1})).in_pieces_of(3)]);
    stage.progress = vec![
        Progress::Step("looking".to_owned()),
        Progress::Delta("one".to_owned()),
    ];
    stage.run();
    let expected = [
        "deciding 1",
        "chosen 1 git",
        "decided 1 git.run {\"x\":1} true",
        "sub-step 1 looking",
        "delta one",
        "finished 1 git done",
    ];
    assert_eq!(events(&stage), expected);
}

#[test]
fn a_decision_that_is_understood_only_at_its_end_is_told_then() {
    check_events(
        vec![say(r#"Sure: {"tool":"git","content":{}}"#)],
        &[
            "deciding 1",
            "chosen 1 git",
            "decided 1 git.run {} true",
            "finished 1 git done",
        ],
    );
}

#[test]
fn a_loop_stops_the_model_and_is_taken_back() {
    let looping = json!({"tool": "chat", "content": "ha ".repeat(5000)}).to_string();
    let stage = Stage::new(vec![say(looping).in_pieces_of(7)]);
    let report = stage.run();
    assert!(report.ok && !report.storable);
    assert_eq!(
        report.record.steps[0].placeholder.as_deref(),
        Some("repeated")
    );
    let events = events(&stage);
    assert!(
        events[2].len() < 700,
        "the model was stopped early: {} bytes",
        events[2].len()
    );
    assert_eq!(
        events[3..],
        [
            "finished 1 chat done".to_owned(),
            format!("retract {}", report.output)
        ]
    );
}

#[test]
fn a_placeholder_is_taken_back_and_not_stored() {
    let check = |content: &str, kind: &str| {
        let stage = Stage::new(vec![decide("chat", json!(content)).in_pieces_of(5)]);
        let report = stage.run();
        assert!(report.ok && !report.storable, "{content}");
        assert_eq!(
            report.record.steps[0].placeholder.as_deref(),
            Some(kind),
            "{content}"
        );
        assert_eq!(
            events(&stage).last(),
            Some(&format!("retract {}", report.output)),
            "{content}"
        );
    };
    check("Well. The conversation begins here.", "leaked");
    check("no no no no no no no no no no", "repeated");
}

#[test]
fn an_answer_that_is_not_the_last_is_taken_back() {
    let stage = Stage::new(vec![
        decide_and_go_on("chat", json!("first")),
        decide("chat", json!("second")),
    ]);
    check(&stage, "chat ok storable 2: second");
    let events = events(&stage);
    assert!(events.contains(&"retract ".to_owned()), "{events:?}");
    assert_eq!(events.last().unwrap(), "finished 2 chat done");
}

#[test]
fn what_turns_out_to_be_another_answer_is_replaced() {
    let stage = Stage::new(vec![say(
        r#"{"tool":"chat","content":"old"} {"tool":"chat","content":"new"}"#,
    )]);
    check(&stage, "chat ok storable 1: new");
    assert_eq!(events(&stage).last().unwrap(), "retract new");
}

#[test]
fn a_server_that_breaks_off_takes_its_answer_back() {
    let mut broken = fail();
    broken.pieces = vec![r#"{"tool":"chat","content":"The ans"#.to_owned()];
    let stage = Stage::new(vec![broken]);
    let report = stage.run();
    let expected = [
        "deciding 1".to_owned(),
        "chosen 1 chat".to_owned(),
        "delta The ans".to_owned(),
        format!("retract {}", report.output),
    ];
    assert_eq!(events(&stage), expected);
}

#[test]
fn an_answer_that_is_cut_says_so() {
    const MARK: &str = "\n\n[The answer was cut here, at the model's token limit.]";
    let check = |raw: &str, expected: &str| {
        check(&Stage::new(vec![say(raw).cut_at_limit()]), expected);
    };
    check(
        r#"{"tool":"chat","content":"The ans"#,
        &format!("chat ok storable 1: The ans{MARK}"),
    );
    check(
        r#"{"tool":"code","content":"fn main(){"#,
        &format!("code ok storable 1: ```\nfn main(){{\n```{MARK}"),
    );
    check(
        r#"{"tool":"upper","content":"abc"#,
        &format!("upper ok storable 1: upper answered{MARK}"),
    );
    check(
        "plain words that",
        &format!("chat ok storable 1: plain words that{MARK}"),
    );
    check(
        r#"{"tool":"chat","content":"whole"}"#,
        "chat ok storable 1: whole",
    );
}

#[test]
fn a_call_that_is_cut_is_not_made() {
    let check = |raw: &str, tool: &str| {
        let stage = Stage::new(vec![say(raw).cut_at_limit()]);
        let whose = if tool == NO_TOOL {
            String::new()
        } else {
            format!(" for `{tool}`")
        };
        let expected = format!(
            "{tool} not ok not storable 1: failed: the decision{whose} was cut at the model's token limit: ask for less at once, or raise the limit"
        );
        let report = check(&stage, &expected);
        assert_eq!(stage.calls(), [""; 0]);
        assert_eq!(report.record.steps[0].tool_ok, None);
    };
    check(
        r#"{"tool":"files","content":{"action":"write","path":"a","text":"hal"#,
        "files",
    );
    // Its text is an order to someone: half of it is another order.
    check(r#"{"tool":"summary","content":"all but the fi"#, "summary");
    check(r#"{"tool":"gi"#, NO_TOOL);
}
