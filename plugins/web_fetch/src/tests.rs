//! Pages, and servers that answer in every way.

use forge_sdk::{Error, Result, http, json, testing};
use serde_json::Value;
use url::Url;

use super::*;

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

#[test]
fn a_page_becomes_markdown() {
    let base = Url::parse("https://x.com/a/b").unwrap();
    let check =
        |html: &str, expected: &str| assert_eq!(page::markdown(html, &base), expected, "{html}");
    check(
        "<p>a <a href='c?d'>link</a> <a href='javascript:x()'>no</a> <a href='#top'>up</a>",
        "a [link](https://x.com/a/c?d) no up",
    );
    check(
        "<base href='/z/'><a href='y'>z</a>",
        "[z](https://x.com/z/y)",
    );
    check("<pre>a\n  b</pre>", "```\na\n  b\n```");
    check(
        "<pre><code class='language-rust'>fn a() {}\n\n\n}</code></pre>",
        "```rust\nfn a() {}\n\n\n}\n```",
    );
    check("<title>T &amp; U</title><p>x", "# T & U\n\nx");
    check("<title>T</title><h1>H</h1>x", "# H\n\nx");
    check("<title>T</title>", "");
    check(
        "<nav>menu</nav><main><header>by me</header>text</main><footer>f</footer>",
        "by me\n\ntext",
    );
    check(
        "<p>a<p hidden>b<p style='display: none'>c<p aria-hidden=true>d",
        "a",
    );
    check(
        "<table><tr><th>A<th>B<tr><td>1<td>2</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
    );
    check(
        "<table><tr><th>A<td>1<tr><th>B<td>2|3</table>",
        "| A | 1 |\n| --- | --- |\n| B | 2\\|3 |",
    );
    check(
        "<table><caption>C</caption><tr><td colspan=2>1<tr><td>2<td>3</table>",
        "C\n\n| 1 |  |\n| --- | --- |\n| 2 | 3 |",
    );
    check(
        "<table><tr><td rowspan=2>1<td>2<tr><td>3</table>",
        "| 1 | 2 |\n| --- | --- |\n|  | 3 |",
    );
    check(
        "<table><tr><td>menu<td><h2>Head</h2>text</table>",
        "menu\n\n## Head\n\ntext",
    );
    check("<p>snake_case_name _x_</p>", "snake_case_name \\_x\\_");
    check(
        "<ul><li>a<ul><li>b</ul><li>c</ul><ol><li>d<li>e</ol>",
        "- a\n  - b\n- c\n\n1. d\n2. e",
    );
    check(
        "<img src='x.png' alt='A cat'><img src='y.png'>",
        "![A cat](https://x.com/a/x.png)",
    );
    check("<noscript>Turn it on</noscript>", "Turn it on");
    check(
        "<iframe src='/f'></iframe>",
        "The page shows other pages in frames:\n\n- <https://x.com/f>",
    );
    check("\u{0}<p>a", "a");
}

#[test]
fn what_lies_deep_is_no_danger() {
    let base = Url::parse("https://x.com/").unwrap();
    for tag in ["div", "b", "ul><li", "table><tr><td", "blockquote"] {
        let html = format!("<{tag}>").repeat(3000) + "deep";
        assert!(page::markdown(&html, &base).contains("deep"), "{tag}");
    }
}

/// The Markdown of each page is looked at by a person, and kept.
#[test]
fn pages_of_all_shapes_are_read_as_they_were() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let pages = [
        ("news", "text/html; charset=utf-8"),
        ("docs", "text/html"),
        ("forum", "text/html"),
        ("shop", "text/html"),
        ("shell", "text/html"),
        ("table", "text/html"),
        ("code", "text/html"),
        ("japanese", "text/html"),
        ("frames", "text/html"),
        ("malformed", "text/html"),
    ];
    for (name, media) in pages {
        let body = std::fs::read(folder.join(format!("{name}.html"))).unwrap();
        let answer = response(200, &[("content-type", media)], body);
        let settings = json!({"max_chars": 100_000});
        let text = ask("https://site.example/dir/page", &settings, move |_| {
            Ok(answer.clone())
        });
        let text = text.unwrap() + "\n";
        let kept = folder.join(format!("{name}.md"));
        if std::env::var_os("FORGE_KEEP_PAGES").is_some() {
            std::fs::write(&kept, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&kept).unwrap_or_default();
        assert_eq!(
            text, expected,
            "{name}: look at it, and keep it with `FORGE_KEEP_PAGES=1 cargo test`"
        );
    }
}
