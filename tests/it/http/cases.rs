//! Request after request against one server: what each is answered, case by case.

use std::collections::BTreeMap;
use std::sync::Arc;

use forge_app::providers::scripted::{FailureKind, Line, Scripted};
use forge_tests::forge::Setup;
use serde_json::{Map, Value};

use super::client::{Api, Response, answer};

const CASES: &str = include_str!("../../cases/http.jsonl");
const TOKEN: &str = "sekret";

/// Paths that this Forge does not have yet, by what they wait for.
const LATER: [(&str, &str); 10] = [
    ("/context", "an estimate of tokens"),
    ("/drawer", "pinned messages"),
    ("/history/clear", "conversations that can be cleared"),
    ("/compact", "summaries"),
    ("/jobs", "jobs"),
    ("/memory", "the memory of facts"),
    ("/remember", "the memory of facts"),
    ("/search", "the memory of facts"),
    ("/review", "reviews"),
    ("/run", "graphs"),
];

/// Rows of other paths that build on those.
const LATER_ROWS: [&str; 1] = ["http-072"];

/// Rows that are answered with another status than their case says, and why.
const OURS: [(&str, u16, &str); 7] = [
    (
        "http-040",
        200,
        "what was said before is the conversation's; `history` is ignored like any field that is not known",
    ),
    ("http-041", 400, "the body is no JSON, so it has no shape"),
    ("http-042", 415, "nothing says that it is JSON"),
    (
        "http-044",
        415,
        "a foreign page can send `text/plain` unasked",
    ),
    ("http-047", 404, "each path has one spelling"),
    ("http-048", 200, "HEAD goes wherever GET goes"),
    ("http-108", 422, "no records are no page of records"),
];

#[tokio::test]
async fn requests_are_answered_as_their_cases_say() {
    let all: Vec<Value> = CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (later, cases): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|case| is_later(case));
    assert_eq!((cases.len(), later.len()), (35, 60));
    let lines: Vec<Line> = cases.iter().flat_map(|case| lines(case)).collect();
    let setup = Setup {
        max_steps: Some(4),
        ..Setup::default()
    };
    let api = Api::with_model(Arc::new(Scripted::new(lines)), setup, Some(TOKEN)).await;
    let mut ours: BTreeMap<&str, u16> = OURS
        .into_iter()
        .map(|(id, status, _)| (id, status))
        .collect();
    for case in cases {
        let status = ours.remove(case["id"].as_str().unwrap());
        check(&api, case, status).await;
    }
    assert!(ours.is_empty(), "there are no such cases: {ours:?}");
}

fn is_later(case: &Value) -> bool {
    let path = case["path"].as_str().unwrap();
    let path = path.split('?').next().unwrap();
    let is_below = |later: &str| {
        path.strip_prefix(later)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    LATER_ROWS.contains(&case["id"].as_str().unwrap())
        || LATER.iter().any(|(later, _)| is_below(later))
}

/// What the model answers in `case`.
fn lines(case: &Value) -> Vec<Line> {
    if case["id"] == "http-040" {
        // The case knows no answer, since the old system refused it.
        return vec![Line::answer(answer("ok"))];
    }
    let outputs = case["model_outputs"].as_array().cloned();
    let outputs = outputs.unwrap_or_default();
    outputs
        .iter()
        .map(|output| match output.as_str() {
            Some(text) => Line::answer(text),
            None => Line::failure(FailureKind::Refused {
                status: u16::try_from(output["status"].as_u64().unwrap()).unwrap(),
                message: output["body"].as_str().unwrap().to_owned(),
            }),
        })
        .collect()
}

/// Sends the request of `case`, which has this `status` where we differ.
async fn check(api: &Api, case: &Value, status: Option<u16>) {
    let id = &case["id"];
    let response = api.raw(&request(case)).await;
    let mut expected = case["expect"].as_object().unwrap().clone();
    let is_ours = status.is_some();
    let was = expected["status"].clone();
    expected.extend(case["better"].as_object().cloned().unwrap_or_default());
    let expected_status = status.map_or_else(|| expected["status"].clone(), Value::from);
    assert_eq!(
        Value::from(response.status),
        expected_status,
        "{id}: {response:?}"
    );
    if response.status >= 400 {
        check_problem(id, &response);
    } else if !is_ours && was == expected_status {
        check_content(id, &response, &expected);
    }
    if let Some(allowed) = expected.get("allow").filter(|_| response.status == 405) {
        assert_eq!(
            response.header("allow").as_deref(),
            allowed.as_str(),
            "{id}"
        );
    }
}

fn check_problem(id: &Value, response: &Response) {
    let media = response.header("content-type");
    assert_eq!(media.as_deref(), Some("application/problem+json"), "{id}");
    let problem: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(problem["status"], response.status, "{id}");
    assert!(problem["detail"].is_string(), "{id}: {problem}");
}

fn check_content(id: &Value, response: &Response, expected: &Map<String, Value>) {
    let media = response.header("content-type");
    assert_eq!(media.as_deref(), expected["content_type"].as_str(), "{id}");
    if let Some(json) = expected.get("json") {
        let found: Value = serde_json::from_str(&response.body).unwrap();
        check_value(&format!("{id}"), "", json, &found);
    }
}

/// Fields whose values must be the same; of the others the kind must be, for the name of a model, a list of tools
/// and counts of tokens are the old system's own.
const SAME: [&str; 7] = [
    "output",
    "tool",
    "ok",
    "steps",
    "error",
    "status",
    "estimated",
];

fn check_value(at: &str, field: &str, expected: &Value, found: &Value) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected {
                let found = found.get(name);
                let found = found.unwrap_or_else(|| panic!("{at} lacks `{name}`"));
                check_value(&format!("{at}.{name}"), name, value, found);
            }
        }
        (Value::String(text), found) if text == "<text>" => {
            assert!(found.is_string(), "{at}: {found}");
        }
        (Value::String(text), found) if text == "<int>" => assert!(found.is_u64(), "{at}: {found}"),
        (Value::String(text), Value::Array(records)) if text.ends_with(" record(s)>") => {
            assert_eq!(*text, format!("<{} record(s)>", records.len()), "{at}");
        }
        (Value::Array(expected), Value::Array(found)) if expected.is_empty() => {
            assert!(found.is_empty(), "{at}: {found:?}");
        }
        (expected, found) if SAME.contains(&field) => assert_eq!(expected, found, "{at}"),
        (Value::Number(_), Value::Null) => {
            // The scripted model counts no tokens.
        }
        (expected, found) => assert_eq!(
            std::mem::discriminant(expected),
            std::mem::discriminant(found),
            "{at}: {expected} {found}"
        ),
    }
}

fn request(case: &Value) -> String {
    let (method, path) = (
        case["method"].as_str().unwrap(),
        case["path"].as_str().unwrap(),
    );
    let authorization = match case["auth"].as_str().unwrap() {
        "no header" => String::new(),
        "valid token" => format!("authorization: Bearer {TOKEN}\r\n"),
        other => format!("authorization: {other}\r\n"),
    };
    let body = match (case["raw_body"].as_str(), case.get("body")) {
        (Some(raw), _) => Some(raw.to_owned()),
        (None, body) => body.map(Value::to_string),
    };
    let media = case["headers"]["Content-Type"].as_str();
    let content = body.as_ref().map_or_else(String::new, |body| {
        let (media, length) = (media.unwrap_or("application/json"), body.len());
        format!("content-type: {media}\r\ncontent-length: {length}\r\n")
    });
    let body = body.unwrap_or_default();
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}{content}\r\n{body}")
}
