//! The `web_fetch` tool: a page of the web as text that a model can read. Not here: whom it may ask; the sandbox lets
//! no request out that was not granted, whatever this code does.

use forge_sdk::{Hints, Requires, Result, settings};
use serde::Deserialize;

mod fetch;
mod content;
mod charset;
mod page;
mod tree;
mod table;
mod part;
#[cfg(test)]
mod tests;

use part::Part;

forge_sdk::tool! {
    name: "web_fetch",
    summary: "Reads a page of the web.",
    operations: {
        run(Page) => run {
            summary: "Fetches a URL and answers its text, a page of HTML as Markdown.",
            requires: Requires::none().network(["http://*:*", "https://*:*"]),
            hints: Hints::none().idempotent(),
            examples: [
                "what does https://example.com/news say?" => {"url": "https://example.com/news"},
                "read on in that page" => {"url": "https://example.com/news", "from": 6000},
            ],
        },
    },
}

/// Which page, and from where on.
#[forge_sdk::input]
struct Page {
    /// The whole URL.
    #[schemars(length(max = 2000))]
    url: String,
    /// The character to go on at, where an earlier answer was cut.
    #[schemars(range(max = 100_000_000))]
    from: Option<u64>,
}

/// The operator's settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// The longest time for a page, in seconds.
    timeout_seconds: u64,
    /// How much of it is read, in bytes.
    max_bytes: u64,
    /// How much of its text is answered at once, in characters.
    max_chars: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout_seconds: 15,
            max_bytes: 2 << 20,
            max_chars: 6000,
        }
    }
}

fn run(page: Page) -> Result<String> {
    let settings: Settings = settings::read()?;
    let fetched = fetch::follow(&page.url, &settings)?;
    let was_cut = fetched.was_cut;
    let moved = fetched.moved();
    let text = content::text(&fetched)?;
    let part = Part {
        from: usize::try_from(page.from.unwrap_or_default()).unwrap_or(usize::MAX),
        most: settings.max_chars,
        was_cut,
    };
    let shown = part.of(&text)?;
    Ok(match moved {
        Some(url) => format!("[moved to {url}]\n\n{shown}"),
        None => shown,
    })
}
