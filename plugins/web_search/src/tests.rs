//! Searches, and servers that answer in every way.

use std::cell::RefCell;
use std::rc::Rc;

use forge_sdk::{Value, json, testing};

use super::*;

const CASES: &str = include_str!("../../../tests/cases/web_search.jsonl");

fn search(query: &str) -> Search {
    Search {
        query: query.to_owned(),
        time_range: None,
        language: None,
    }
}

fn response(status: u16, body: &Value) -> http::Response {
    http::Response {
        status,
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
    }
}

#[test]
fn searches_end_as_their_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        count += 1;
        let server = case["searxng"].clone();
        let told = testing::with_http(
            move |_| match server["transport_error"].as_str() {
                Some("Timeout") => Err(Error::timeout("no answer came")),
                Some(_) => Err(Error::unavailable("nobody listens")),
                None => Ok(response(
                    u16::try_from(server["status"].as_u64().unwrap()).unwrap(),
                    &server["body"],
                )),
            },
            || run(search(case["query"].as_str().unwrap())),
        );
        if let Some(difference) = difference(&case, &told) {
            wrong.push(format!("{}: {difference}: {told:?}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(count, 14, "each case is run");
}

fn difference(case: &Value, told: &Result<String>) -> Option<&'static str> {
    let expected = case.get("better").unwrap_or(&case["expect"]);
    let text = match told {
        Ok(text) => text.as_str(),
        Err(error) => error.message(),
    };
    let engines = expected["engines_down"].as_array().into_iter().flatten();
    for engine in engines {
        if !text.contains(engine.as_str().unwrap()) {
            return Some("does not name an engine");
        }
    }
    // Where the first version crashed there is an error now.
    let class = expected["class"].as_str().unwrap_or("error");
    match (class, told) {
        ("error", Err(_)) => None,
        ("no results", Ok(text)) => {
            (!text.starts_with("[nothing was found")).then_some("finds something")
        }
        ("text", Ok(text)) => {
            let tail = expected["output_tail"].as_str().unwrap_or_default();
            let lines = expected["lines"]
                .as_u64()
                .unwrap_or(text.lines().count() as u64);
            (!text.ends_with(tail) || text.lines().count() as u64 != lines)
                .then_some("is another text")
        }
        _ => Some("is of another class"),
    }
}

#[test]
fn a_search_asks_for_what_was_said() {
    let check = |search: Search, expected: &str| {
        let asked = Rc::new(RefCell::new(String::new()));
        let server = {
            let asked = asked.clone();
            move |request: &http::Request| {
                *asked.borrow_mut() = request.url().to_owned();
                Ok(response(200, &json!({"results": []})))
            }
        };
        let settings = json!({"url": "https://search.example/base/"});
        let told = testing::with_http(server, || testing::with_settings(&settings, || run(search)));
        let told = told
            .map(|_| asked.take())
            .unwrap_or_else(|error| error.message().to_owned());
        assert_eq!(told, expected);
    };
    let base = "https://search.example/base/search";
    check(search(" a b&c "), &format!("{base}?q=a+b%26c&format=json"));
    check(
        Search {
            time_range: Some(TimeRange::Week),
            language: Some("en-US".to_owned()),
            ..search("x")
        },
        &format!("{base}?q=x&format=json&time_range=week&language=en-US"),
    );
    check(
        Search {
            language: Some("e&n".to_owned()),
            ..search("x")
        },
        "`e&n` is no language: use one like `de` or `en-US`",
    );
}

#[test]
fn results_are_plain_and_each_page_comes_once() {
    let body = json!({
        "results": [
            {"title": "<b>A</b> &amp; B", "url": " http://a/ ", "content": "1 < 2 &lt;p&gt;\n next <i>line</i>"},
            {"title": "again", "url": " http://a/ ", "content": "x"},
            {"title": "C", "url": "http://c/", "content": null},
        ],
        "unresponsive_engines": [["bing", "timeout"]],
    });
    let told = testing::with_http(move |_| Ok(response(200, &body)), || run(search("q")));
    assert_eq!(
        told.unwrap(),
        "Results for `q`:\n1. A & B\n   http://a/\n   1 < 2 <p> next line\n2. C\n   http://c/\n   \n[these engines did not answer: bing]"
    );
}

#[test]
fn what_to_do_is_said() {
    let check = |status: u16, body: Value, expected: &str| {
        let told = testing::with_http(move |_| Ok(response(status, &body)), || run(search("q")));
        let told = told.unwrap_err();
        assert!(told.message().contains(expected), "{told}");
    };
    check(403, json!({}), "`json` is not among `search.formats`");
    check(404, json!({}), "is `SEARXNG_URL` the address");
    check(200, json!([]), "`json` must be among `search.formats`");
    check(200, json!({"results": null}), "answers without `results`");
    let refused = Error::unavailable("nobody listens");
    let told = testing::with_http(move |_| Err(refused.clone()), || run(search("q")));
    assert_eq!(
        told.unwrap_err().message(),
        "the search server `http://127.0.0.1:8888` (`SEARXNG_URL`) does not answer: nobody listens"
    );
}
