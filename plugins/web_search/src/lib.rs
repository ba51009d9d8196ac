//! The `web_search` tool: asks a SearXNG server of the operator's. Not here: reading what was found; that is `web_fetch`.

use std::time::Duration;

use forge_sdk::{Error, Hints, Requires, Result, http, settings};
use serde::Deserialize;
use url::Url;

mod results;
#[cfg(test)]
mod tests;

use results::Answer;

forge_sdk::tool! {
    name: "web_search",
    summary: "Searches the web.",
    operations: {
        run(Search) => run {
            summary: "Searches the web and answers titles, links and snippets.",
            requires: Requires::none().network(["http://*:*", "https://*:*"]),
            hints: Hints::none().idempotent(),
            examples: [
                "search the web for rust async traits" => {"query": "rust async traits"},
                "what happened in Lisbon this week?" => {"query": "Lisbon news", "time_range": "week"},
            ],
        },
    },
}

/// What is looked for.
#[forge_sdk::input]
struct Search {
    /// The words.
    #[schemars(length(max = 400))]
    query: String,
    /// How old a page may be.
    time_range: Option<TimeRange>,
    /// The pages' language, such as `de` or `en-US`.
    #[schemars(length(max = 8))]
    language: Option<String>,
}

/// How old a page may be.
#[forge_sdk::input]
#[serde(rename_all = "lowercase")]
enum TimeRange {
    Day,
    Week,
    Month,
    Year,
}

impl TimeRange {
    /// The word that SearXNG has for it.
    fn as_str(&self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// The operator's settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// The server's base address.
    url: String,
    /// The longest search, in seconds.
    timeout_seconds: u64,
    /// The most results.
    max_results: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:8888".to_owned(),
            timeout_seconds: 10,
            max_results: 5,
        }
    }
}

fn run(search: Search) -> Result<String> {
    let settings: Settings = settings::read()?;
    let query = search.query.trim();
    if query.is_empty() {
        return Err(Error::invalid_input(
            "the `query` is blank: say what to look for",
        ));
    }
    let url = address(&settings, &search, query)?;
    let response = http::Request::get(url.as_str())
        .header("accept", "application/json")
        .timeout(Duration::from_secs(settings.timeout_seconds))
        .send()
        .map_err(|error| unreached(&settings, &error))?;
    if response.status != 200 {
        return Err(refused(&settings, response.status));
    }
    let answer: Answer = serde_json_from(&response, &settings)?;
    answer.shown(query, settings.max_results)
}

fn address(settings: &Settings, search: &Search, query: &str) -> Result<Url> {
    let base = format!("{}/search", settings.url.trim_end_matches('/'));
    let unfit = |_| {
        Error::unavailable(format!(
            "`SEARXNG_URL` is `{}`, which is no URL",
            settings.url
        ))
    };
    let mut url = Url::parse(&base).map_err(unfit)?;
    let mut parameters = url.query_pairs_mut();
    parameters
        .append_pair("q", query)
        .append_pair("format", "json");
    if let Some(range) = &search.time_range {
        parameters.append_pair("time_range", range.as_str());
    }
    if let Some(language) = search
        .language
        .as_deref()
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        let is_tag = language
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_tag {
            return Err(Error::invalid_input(format!(
                "`{language}` is no language: use one like `de` or `en-US`"
            )));
        }
        parameters.append_pair("language", language);
    }
    drop(parameters);
    Ok(url)
}

fn unreached(settings: &Settings, error: &Error) -> Error {
    let server = &settings.url;
    let message = format!(
        "the search server `{server}` (`SEARXNG_URL`) does not answer: {}",
        error.message()
    );
    Error::new(error.code(), message)
}

fn refused(settings: &Settings, status: u16) -> Error {
    let server = &settings.url;
    let hint = match status {
        403 => ": SearXNG answers so when `json` is not among `search.formats` in its settings.yml",
        404 => ": is `SEARXNG_URL` the address of a SearXNG server?",
        429 => ": its limiter wants a pause",
        _ => "",
    };
    Error::unavailable(format!(
        "the search server `{server}` answers {status}{hint}"
    ))
}

fn serde_json_from(response: &http::Response, settings: &Settings) -> Result<Answer> {
    response.json().map_err(|error| {
        Error::unavailable(format!(
            "the search server `{}` does not answer in JSON as SearXNG does ({}): `json` must be among `search.formats` in its settings.yml",
            settings.url,
            error.message()
        ))
    })
}
