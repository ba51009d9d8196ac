//! Pages of HTML as Markdown.

use forge_sdk::json;
use url::Url;

use super::{ask, response};
use crate::page;

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
        #[expect(
            clippy::disallowed_methods,
            reason = "a person asks for it, for this one run"
        )]
        let keeps = std::env::var_os("FORGE_KEEP_PAGES").is_some();
        if keeps {
            std::fs::write(&kept, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&kept).unwrap_or_default();
        assert_eq!(
            text, expected,
            "{name}: look at it, and keep it with `FORGE_KEEP_PAGES=1 cargo test`"
        );
    }
}
