//! A page of HTML as Markdown. Not here: what of the page is taken (`tree`).

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use url::Url;

use crate::table;
use crate::tree::Taken;

/// The Markdown of `html`, which came from `url`; empty where there is no text.
pub(crate) fn markdown(html: &str, url: &Url) -> String {
    let converter = HtmlToMarkdown::builder()
        .options(Options {
            bullet_list_marker: BulletListMarker::Dash,
            ul_bullet_spacing: 1,
            ol_number_spacing: 1,
            ..Options::default()
        })
        .add_handler(vec!["table"], table::write)
        // No script is run: what is for those without is for us.
        .scripting_enabled(false)
        .build();
    let Ok(tree) = converter.html_to_tree(html) else {
        return String::new();
    };
    let taken = Taken::from(&tree, url);
    let body = tidied(&converter.tree_to_markdown(&taken.tree));
    let mut parts = Vec::new();
    if let Some(title) = taken.title.filter(|_| !taken.has_heading) {
        parts.push(format!("# {title}"));
    }
    parts.extend(Some(body).filter(|body| !body.is_empty()));
    if !taken.frames.is_empty() {
        let lines: Vec<String> = taken
            .frames
            .iter()
            .map(|frame| format!("- <{frame}>"))
            .collect();
        parts.push(format!(
            "The page shows other pages in frames:\n\n{}",
            lines.join("\n")
        ));
    }
    if parts.len() == 1 && parts[0].starts_with("# ") && !taken.has_heading {
        // A title alone is no text.
        return String::new();
    }
    parts.join("\n\n")
}

/// Whether a script is on the page.
pub(crate) fn has_script(html: &str) -> bool {
    html.to_ascii_lowercase().contains("<script")
}

/// Without spaces at the ends of lines and without more than one blank line in a row, but for what is in fences.
fn tidied(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    let mut blank = 0;
    for line in markdown.lines() {
        let marks = line.trim_start();
        let opening = marks
            .starts_with("```")
            .then(|| &marks[..marks.len() - marks.trim_start_matches('`').len()]);
        match (fence, opening) {
            (None, Some(_)) => fence = opening,
            (Some(open), Some(closing))
                if marks.trim_end() == closing && closing.len() >= open.len() =>
            {
                fence = None
            }
            _ => {}
        }
        let line = if fence.is_some() {
            line
        } else {
            line.trim_end()
        };
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank > 1 && fence.is_none() {
            continue;
        }
        if fence.is_some() {
            text.push_str(line);
        } else {
            text.push_str(&with_plain_underscores(line));
        }
        text.push('\n');
    }
    text.trim().to_owned()
}

/// Between letters an underscore means nothing in Markdown, so it needs no mark.
fn with_plain_underscores(line: &str) -> String {
    let parts: Vec<&str> = line.split("\\_").collect();
    let mut text = parts[0].to_owned();
    for part in &parts[1..] {
        let is_within =
            text.ends_with(char::is_alphanumeric) && part.starts_with(char::is_alphanumeric);
        text.push_str(if is_within { "_" } else { "\\_" });
        text.push_str(part);
    }
    text
}
