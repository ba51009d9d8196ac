//! What stands in for the host when a tool is tested natively: a workspace, settings, and a record of
//! what was logged. All of it is per thread. Not here, and not there natively: powers; they answer
//! `unavailable`, apart from [`crate::files`] in a workspace and [`crate::http`] with a server.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::Value;

use crate::error;
use crate::http::{Request, Response};
use crate::tool::{Operation, Tool};

/// Runs `test` with the workspace at `path`, usually a temporary folder.
pub fn with_workspace<T>(path: impl Into<PathBuf>, test: impl FnOnce() -> T) -> T {
    let path = path.into();
    with(
        |host| host.workspace.replace(path),
        |host, before| host.workspace = before,
        test,
    )
}

/// Runs `test` with `settings`, a JSON object, as the tool's own table.
pub fn with_settings<T>(settings: &Value, test: impl FnOnce() -> T) -> T {
    let json = settings.to_string();
    with(
        |host| host.settings.replace(json),
        |host, before| host.settings = before,
        test,
    )
}

/// Runs `test` with `server` as what answers every request of [`crate::http`].
pub fn with_http<T>(
    server: impl FnMut(&Request) -> error::Result<Response> + 'static,
    test: impl FnOnce() -> T,
) -> T {
    let server: Server = Rc::new(RefCell::new(server));
    with(
        |host| host.server.replace(server),
        |host, before| host.server = before,
        test,
    )
}

/// Runs `test` in a conversation of its own, in which nothing is kept yet.
pub fn in_conversation<T>(test: impl FnOnce() -> T) -> T {
    with(
        |host| std::mem::take(&mut host.kept),
        |host, before| host.kept = before,
        test,
    )
}

/// Runs `test` and returns what it logged and told of its progress, in order. Without this, such
/// lines go nowhere.
pub fn recorded<T>(test: impl FnOnce() -> T) -> (T, Vec<Record>) {
    let mut records = Vec::new();
    let result = with(
        |host| host.records.replace(Vec::new()),
        |host, before| records = std::mem::replace(&mut host.records, before).unwrap_or_default(),
        test,
    );
    (result, records)
}

/// One thing that a tool told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A line of [`crate::log`].
    Log {
        /// `debug`, `info`, `warn` or `error`.
        level: &'static str,
        /// The line.
        message: String,
    },
    /// A step of [`crate::progress`].
    Step(String),
    /// A piece of the answer from [`crate::progress`].
    Delta(String),
}

/// What answers requests.
type Server = Rc<RefCell<dyn FnMut(&Request) -> error::Result<Response>>>;

#[derive(Default)]
struct Host {
    server: Option<Server>,
    workspace: Option<PathBuf>,
    settings: Option<String>,
    kept: BTreeMap<String, String>,
    records: Option<Vec<Record>>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

/// Sets a field, runs `test`, and puts the field back. A test that panics ends its thread, so there
/// is nothing to put back then.
fn with<F, T>(
    set: impl FnOnce(&mut Host) -> F,
    put_back: impl FnOnce(&mut Host, F),
    test: impl FnOnce() -> T,
) -> T {
    let before = HOST.with_borrow_mut(set);
    let result = test();
    HOST.with_borrow_mut(|host| put_back(host, before));
    result
}

pub(crate) fn workspace() -> Option<PathBuf> {
    HOST.with_borrow(|host| host.workspace.clone())
}

pub(crate) fn fetch(request: &Request) -> Option<error::Result<Response>> {
    let server = HOST.with_borrow(|host| host.server.clone())?;
    let answer = server.borrow_mut()(request);
    Some(answer)
}

pub(crate) fn settings() -> String {
    HOST.with_borrow(|host| host.settings.clone())
        .unwrap_or_else(|| "{}".to_owned())
}

pub(crate) fn kept(key: &str) -> Option<String> {
    HOST.with_borrow(|host| host.kept.get(key).cloned())
}

pub(crate) fn keep(key: &str, value: Option<&str>) {
    HOST.with_borrow_mut(|host| match value {
        Some(value) => host.kept.insert(key.to_owned(), value.to_owned()),
        None => host.kept.remove(key),
    });
}

pub(crate) fn record(record: impl FnOnce() -> Record) {
    HOST.with_borrow_mut(|host| {
        if let Some(records) = &mut host.records {
            records.push(record());
        }
    });
}

/// The test that `tool!` adds.
///
/// # Panics
/// When the manifest breaks a rule that the host checks as it loads a tool.
#[doc(hidden)]
pub fn check_manifest(tool: &Tool) {
    if let Err(fault) = sound(tool) {
        panic!("{fault}");
    }
}

fn sound(tool: &Tool) -> Result<(), String> {
    check_name(tool.name)?;
    check_text("the tool's summary", tool.summary)?;
    let mut names = BTreeSet::new();
    for operation in tool.operations {
        check_name(operation.name)?;
        if !names.insert(operation.name) {
            return Err(format!("there are two operations `{}`", operation.name));
        }
        check_operation(operation)?;
    }
    Ok(())
}

fn check_operation(operation: &Operation) -> Result<(), String> {
    let Operation { name, summary, .. } = operation;
    check_text(&format!("the summary of `{name}`"), summary)?;
    let schema = (operation.schema)();
    if schema["type"] != "object" && schema["type"] != "string" {
        return Err(format!(
            "the input of `{name}` must be a struct or a `String`: its schema is {schema}"
        ));
    }
    for example in (operation.examples)() {
        check_text(&format!("an example of `{name}`"), example.user)?;
        (operation.check)(&example.input.to_string())
            .map_err(|error| format!("the example {:?} of `{name}`: {error}", example.user))?;
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), String> {
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_name.then_some(()).ok_or_else(|| {
        format!("`{name}` is no name: use up to 64 lower-case letters, digits and `_`, the first a letter")
    })
}

fn check_text(what: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        Err(format!("{what} is blank"))
    } else if text.chars().count() > 1000 {
        Err(format!("{what} has more than 1000 characters"))
    } else if text.chars().any(char::is_control) {
        Err(format!(
            "{what} holds a line break or another control character"
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
