//! What is written from the table of settings: the file of `forge init`, in which everything is commented
//! out unless it was chosen, the lines of the help, and `.env.example`.

use super::kind::Kind;
use super::table::{Fallback, SETTINGS, Setting};

/// What was chosen for a setting: its key, and its value as TOML.
pub type Chosen<'a> = (&'a str, String);

/// The text of the file, in which what is `chosen` is set.
#[must_use]
pub fn file(chosen: &[Chosen<'_>]) -> String {
    let mut text = "\
# Forge's settings. What is commented out is what holds without it; `forge config` shows what holds and why.
# Variables and flags go over this file, and a project's `forge.toml` may only narrow it.
"
    .to_owned();
    let mut table = "";
    for setting in SETTINGS {
        let (own, name) = setting.key.split_once('.').unwrap_or(("", setting.key));
        if own != table {
            text += &format!("\n[{own}]\n");
            table = own;
        }
        text += &format!("\n# {}{}\n", setting.doc, without(setting));
        text += &match chosen.iter().find(|(key, _)| *key == setting.key) {
            Some((_, value)) => format!("{name} = {value}\n"),
            None => format!("# {name} = {}\n", literal(setting)),
        };
    }
    text
}

/// The settings as lines of the help.
#[must_use]
pub fn help() -> String {
    let lines = SETTINGS.iter().map(|setting| {
        format!(
            "  {} [{}]\n          {}\n",
            setting.variable,
            setting.fallback_shown().replace('`', ""),
            setting.doc.replace('`', ""),
        )
    });
    lines.collect()
}

/// What `.env.example` holds.
#[must_use]
pub fn example() -> String {
    let mut text = "\
# Every setting as a variable, with what holds without it. Copy what you change into a file and name it with
# `--env-file`, or put it into `.env` in Forge's folder of settings (`~/.config/forge`). From a `.env` in the
# current folder only what narrows is taken.
"
    .to_owned();
    for setting in SETTINGS {
        let value = match setting.fallback {
            Fallback::Value(value) => format!("# {}={value}\n", setting.variable),
            Fallback::Told(told) => {
                format!("# {}=   ({})\n", setting.variable, told.replace('`', ""))
            }
        };
        text += &format!("\n# {}\n{value}", setting.doc);
    }
    text
}

/// `texts` as a list of TOML.
#[must_use]
pub fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = texts.map(quoted).collect();
    format!("[{}]", quoted.join(", "))
}

/// `text` as a text of TOML.
#[must_use]
pub fn quoted(text: &str) -> String {
    // TOML's quoted texts know every escape that JSON's have.
    serde_json::Value::from(text).to_string()
}

/// What holds where no value can say it.
fn without(setting: &Setting) -> String {
    match setting.fallback {
        Fallback::Told(told) => format!(" (without it: {told})"),
        Fallback::Value(_) => String::new(),
    }
}

fn literal(setting: &Setting) -> String {
    match (setting.kind, setting.fallback) {
        (Kind::Switch | Kind::Number { .. }, Fallback::Value(value)) => value.to_owned(),
        (Kind::List(_), Fallback::Value(value)) => {
            list(value.split(',').filter(|text| !text.is_empty()))
        }
        (_, Fallback::Value(value)) => quoted(value),
        (Kind::Number { least, .. }, Fallback::Told(_)) => least.to_string(),
        (_, Fallback::Told(_)) => "\"…\"".to_owned(),
    }
}
