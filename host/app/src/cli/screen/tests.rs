//! What stands on a terminal while an answer comes in.

use std::sync::Arc;

use forge_contract::outcome::FailureCode;

use super::*;

/// What was written to both streams, in one, as a terminal gets it. `{` begins what went to standard
/// error, `}` ends it.
#[derive(Clone, Default)]
struct Terminal {
    text: Arc<Mutex<String>>,
}

struct Stream {
    terminal: Terminal,
    is_error: bool,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = std::str::from_utf8(bytes).unwrap();
        let mut text = self.terminal.text.lock().unwrap();
        if self.is_error {
            if text.ends_with('}') {
                text.pop();
            } else {
                text.push('{');
            }
            text.push_str(piece);
            text.push('}');
        } else {
            text.push_str(piece);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Goes on by 3 ms whenever it is asked.
#[derive(Default)]
struct Ticking {
    asked: Mutex<u64>,
}

impl Clock for Ticking {
    fn timestamp(&self) -> String {
        String::new()
    }

    fn elapsed(&self) -> Duration {
        let mut asked = self.asked.lock().unwrap();
        *asked += 1;
        Duration::from_millis(*asked * 3)
    }
}

const DONE: &str = "done";

fn observe(screen: &Screen, script: &[&str]) {
    for line in script {
        let (event, rest) = line.split_once(' ').unwrap_or((line, ""));
        let outcome = match rest.split_once(' ') {
            Some((_, DONE)) => Outcome::text("x"),
            Some((_, problem)) => Outcome::failed(FailureCode::NotFound, problem),
            None => Outcome::text("x"),
        };
        let tool = rest.split(' ').next().unwrap_or_default();
        screen.observe(match event {
            "deciding" => Event::Deciding { step: 1 },
            "chosen" => Event::Chosen { step: 1, tool },
            "delta" => Event::Delta { text: rest },
            "decided" => Event::Decided {
                step: 1,
                tool,
                operation: "read",
                input: r#"{"path":"a"}"#,
                done: true,
            },
            "substep" => Event::SubStep {
                step: 1,
                name: rest,
            },
            "finished" => Event::Finished {
                step: 1,
                tool,
                outcome: &outcome,
                duration_ms: 900,
            },
            "retract" => Event::Retract { replacement: rest },
            other => panic!("{other}"),
        });
    }
}

/// Plays `script` and the `answer` (`None`: the turn failed), and returns what was written.
fn play(answer_for: Answer, notes: Notes, script: &[&str], answer: Option<&str>) -> String {
    let terminal = Terminal::default();
    let stream = |is_error| -> Box<dyn Write + Send> {
        let stream: Box<dyn Write + Send> = Box::new(Stream {
            terminal: terminal.clone(),
            is_error,
        });
        Box::new(anstream::StripStream::new(stream))
    };
    let screen = Screen::new(
        Box::new(Ticking::default()),
        (answer_for, stream(false)),
        (notes, stream(true)),
    );
    observe(&screen, script);
    match answer {
        Some(answer) => screen.finish(answer).unwrap(),
        None => screen.abandon(),
    }
    terminal.text.lock().unwrap().clone()
}

fn check(notes: Notes, script: &[&str], answer: Option<&str>, expected: &str) {
    assert_eq!(
        play(Answer::Live, notes, script, answer),
        expected,
        "{script:?}"
    );
}

const TALK: [&str; 6] = [
    "deciding",
    "chosen chat",
    "delta Hello",
    "delta  there",
    "decided chat",
    "finished chat done",
];

#[test]
fn an_answer_in_words_is_only_its_words() {
    check(
        Notes::WholeLines,
        &TALK,
        Some("Hello there"),
        "Hello there\n",
    );
    check(
        Notes::WholeLines,
        &TALK,
        Some("Hello there\n"),
        "Hello there\n",
    );
    check(
        Notes::WholeLines,
        &TALK,
        Some("Hello there\n\n[cut]"),
        "Hello there\n\n[cut]\n",
    );
    check(
        Notes::WholeLines,
        &TALK,
        Some("```\nHello there\n```"),
        "Hello there\n",
    );
    check(
        Notes::WholeLines,
        &TALK,
        Some("Other"),
        "Hello there\nOther\n",
    );
    check(
        Notes::Live { columns: 80 },
        &TALK,
        Some("Hello there"),
        "{· thinking …\r              \r}Hello there\n",
    );
}

#[test]
fn a_step_is_one_line() {
    let script = [
        "deciding",
        "chosen files",
        "decided files",
        "substep look",
        "finished files done",
    ];
    check(
        Notes::WholeLines,
        &script,
        Some("a\nb"),
        "{  › look\n· files.read {\"path\":\"a\"} · 3 ms\n}a\nb\n",
    );
    check(Notes::Off, &script, Some("a\nb"), "a\nb\n");
}

#[test]
fn an_unfinished_line_never_fills_the_terminal() {
    let check = |line: &str, columns: usize, expected: &str| {
        assert_eq!(cut_to_width(line, columns), expected);
        assert!(expected.width() <= columns);
    };
    check("· files", 7, "· files");
    check("· files", 6, "· fil…");
    check("日本語", 6, "日本語");
    check("日本語", 5, "日本…");
    check("日本語", 4, "日…");
}

#[test]
fn why_a_step_failed_is_told_once() {
    let failed = ["deciding", "decided files", "finished files no file `a`"];
    check(
        Notes::WholeLines,
        &failed,
        None,
        "{· files.read {\"path\":\"a\"} · 3 ms · failed\n}",
    );
    let went_on = [&failed[..], &["deciding", "delta Sorry"]].concat();
    check(
        Notes::WholeLines,
        &went_on,
        Some("Sorry"),
        "{· files.read {\"path\":\"a\"} · 3 ms · failed: not-found: no file `a`\n}Sorry\n",
    );
}

#[test]
fn what_is_withdrawn_is_marked_and_replaced() {
    let script = ["deciding", "delta User: User:", "retract I have no answer"];
    check(
        Notes::WholeLines,
        &script,
        Some("I have no answer"),
        "User: User:\n{· what stands above is no answer and is withdrawn\n}I have no answer\n",
    );
    check(
        Notes::WholeLines,
        &["deciding", "retract I have no answer"],
        Some("I have no answer"),
        "I have no answer\n",
    );
}

#[test]
fn a_pipe_gets_the_final_answer_and_nothing_else() {
    let script = ["deciding", "delta User:\u{1b}[1m", "retract No"];
    let piped = |answer| play(Answer::AtTheEnd, Notes::Off, &script, answer);
    assert_eq!(piped(Some("No\r\n")), "No\r\n");
    assert_eq!(piped(None), "");
}

#[test]
fn a_terminal_is_not_steered_by_an_answer() {
    check(
        Notes::WholeLines,
        &["deciding", "delta a\u{1b}[2J"],
        Some("a\u{1b}[2Jb\u{7}"),
        "a␛[2Jb␇\n",
    );
}
