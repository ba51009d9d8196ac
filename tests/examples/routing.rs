//! Measures how a real model routes: `cargo run --release --example routing`.
//!
//! Each request of `tests/cases/routing.jsonl` is one turn in a workspace with a few files. What the model
//! answered must be valid under the form that it was asked for; whether it chose what a person would have
//! meant is reported. Where the server, the model and the tools are is told as to the tests.
//!
//! The prompt tells the time to the minute, so two runs differ by a row or two: compare several.

use std::process::ExitCode;
use std::sync::Arc;

use forge_app::providers::llama::LlamaCpp;
use forge_core::provider::{Completion, Constraint, Finish};
use forge_tests::forge::{Forge, Setup};
use forge_tests::model::{Kept, Server, invalid};
use serde_json::Value;

const REQUESTS: &str = include_str!("../cases/routing.jsonl");

/// What came of one request.
struct Row {
    message: String,
    intended: String,
    chosen: String,
    /// `valid`, `cut` (valid once its string is closed) or `invalid`.
    form: &'static str,
    answered: bool,
    error: Option<String>,
    ms: u64,
    prompt_tokens: u64,
    cached_tokens: u64,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
async fn main() -> ExitCode {
    let server = Server::start().await;
    let model = Arc::new(Kept::new(server.provider()));
    let forge = workspace().start(model.clone()).await;
    let mut rows = Vec::new();
    for line in REQUESTS.lines() {
        let row = ask(&forge, &model, line).await;
        let mark = if row.chosen == row.intended {
            ' '
        } else {
            '≠'
        };
        println!(
            "{mark} {:14} {:14} {:7} {:6} {}",
            row.intended,
            row.chosen,
            row.form,
            if row.answered { "ok" } else { "failed" },
            row.message
        );
        if let Some(error) = &row.error {
            println!("    {error}");
        }
        rows.push(row);
    }
    let answers = model.answers();
    let invalid: Vec<String> = answers
        .iter()
        .filter_map(|(form, answer)| invalid(form, answer))
        .collect();
    for problem in &invalid {
        println!("invalid: {problem}");
    }
    let count = |is: fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let all = rows.len();
    let cut = count(|row| row.form == "cut");
    let valid = count(|row| row.form != "invalid");
    println!("\nvalid {valid} of {all}, of them {cut} cut: too long, or going in circles");
    println!(
        "routed as intended {} of {all}",
        count(|row| row.chosen == row.intended)
    );
    println!(
        "answered without failure {} of {all}",
        count(|row| row.answered)
    );
    let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
    println!(
        "prompt tokens {}, of them cached {}",
        sum(|row| row.prompt_tokens),
        sum(|row| row.cached_tokens)
    );
    let mut times: Vec<u64> = rows.iter().map(|row| row.ms).collect();
    times.sort_unstable();
    println!("median turn {} ms", times[all / 2]);
    if valid == all {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn ask(forge: &Forge, model: &Kept<LlamaCpp>, line: &str) -> Row {
    let request: Value = serde_json::from_str(line).expect("a request");
    let text = |key: &str| request[key].as_str().expect("a text").to_owned();
    let before = model.answers().len();
    let (report, _) = forge.chat(&text("message"), &[]).await;
    let step = &report.record.steps[0];
    let chosen = match (&step.router_tool, &step.operation) {
        (Some(tool), Some(operation)) => format!("{tool}.{operation}"),
        _ => match &step.placeholder {
            Some(problem) => format!("({problem})"),
            None => "nothing".to_owned(),
        },
    };
    Row {
        message: text("message"),
        intended: format!("{}.{}", text("tool"), text("operation")),
        chosen,
        form: form(&model.answers()[before..]),
        answered: report.ok && report.storable,
        error: report.error,
        ms: report.record.total_ms,
        prompt_tokens: report.usage.prompt_tokens.unwrap_or_default(),
        cached_tokens: report.usage.cached_tokens.unwrap_or_default(),
    }
}

/// How the answers of one turn look. A turn without any is invalid.
fn form(answers: &[(Constraint, Completion)]) -> &'static str {
    let is_valid = |(form, answer): &(Constraint, Completion)| invalid(form, answer).is_none();
    let is_whole = |(_, answer): &(Constraint, Completion)| answer.finish == Finish::Done;
    if answers.is_empty() || !answers.iter().all(is_valid) {
        "invalid"
    } else if answers.iter().all(is_whole) {
        "valid"
    } else {
        "cut"
    }
}

fn workspace() -> Setup {
    let files = [
        (
            "notes.txt",
            "buy apples\nbuy pears\ncall Ann\npay the rent\n",
        ),
        (
            "README.md",
            "# Fruit shop\n\nA small shop.\n\nRun it with `cargo run`.\nTODO: prices.\n",
        ),
        ("todo.md", "- [ ] paint the door\n- [x] water the plants\n"),
        ("main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    Setup {
        files: files.to_vec(),
        ..Setup::default()
    }
}
