//! A change as people and models see it: a text or a diff in a Markdown fence, bounded. Not here: what
//! changed.

use diffy::DiffOptions;

/// The most characters of a text or diff that are shown.
const MAX_CHARACTERS: usize = 4000;
/// The largest text that is compared, in bytes; as much as `read` reads whole.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// How many unchanged lines surround a change.
const CONTEXT_LINES: usize = 3;

/// The language of a fence, by a file's suffix.
const LANGUAGES: [(&str, &str); 44] = [
    ("py", "python"),
    ("pyi", "python"),
    ("rs", "rust"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "jsx"),
    ("ts", "typescript"),
    ("tsx", "tsx"),
    ("sh", "bash"),
    ("bash", "bash"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("json", "json"),
    ("jsonl", "json"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("toml", "toml"),
    ("ini", "ini"),
    ("cfg", "ini"),
    ("md", "markdown"),
    ("html", "html"),
    ("htm", "html"),
    ("css", "css"),
    ("scss", "scss"),
    ("sql", "sql"),
    ("c", "c"),
    ("h", "c"),
    ("cpp", "cpp"),
    ("cc", "cpp"),
    ("hpp", "cpp"),
    ("go", "go"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("swift", "swift"),
    ("cs", "csharp"),
    ("rb", "ruby"),
    ("php", "php"),
    ("lua", "lua"),
    ("pl", "perl"),
    ("r", "r"),
    ("xml", "xml"),
    ("diff", "diff"),
    ("patch", "diff"),
];

/// `text`, the content of the file `shown`, in a fence of its language.
pub(crate) fn content(shown: &str, text: &str) -> String {
    fenced(language(shown), text)
}

/// How `before` became `after` in the file `shown`, in a fence; `None` stands for no file.
pub(crate) fn diff(shown: &str, before: Option<&str>, after: Option<&str>) -> String {
    match unified(shown, before, after) {
        Ok(diff) => fenced("diff", &diff),
        Err(note) => note,
    }
}

/// How `before` became `after` as a unified diff, or a note why there is none.
pub(crate) fn unified(
    shown: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Result<String, String> {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let bytes = old.len().max(new.len());
    if bytes > MAX_DIFF_BYTES {
        return Err(format!(
            "[no diff: {bytes} bytes are more than {MAX_DIFF_BYTES}]"
        ));
    }
    let label = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{shown}"),
        None => "/dev/null".to_owned(),
    };
    let mut options = DiffOptions::new();
    options
        .set_context_len(CONTEXT_LINES)
        .set_original_filename(label("a", before))
        .set_modified_filename(label("b", after));
    Ok(options.create_patch(old, new).to_string())
}

/// `text` in a fence that nothing in it can end, cut where it is too long.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let cut = text.char_indices().nth(MAX_CHARACTERS);
    let (body, note) = match cut {
        None => (text.to_owned(), String::new()),
        Some((at, _)) => (
            format!("{}\n…\n", &text[..at]),
            format!(
                "\n[cut: {MAX_CHARACTERS} of {} characters are shown]",
                text.chars().count()
            ),
        ),
    };
    let break_line = if body.is_empty() || body.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let ticks = "`".repeat(longest_run(&body).max(2) + 1);
    format!("{ticks}{language}\n{body}{break_line}{ticks}{note}")
}

fn language(shown: &str) -> &'static str {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    if name == "Dockerfile" || name == "Containerfile" {
        return "dockerfile";
    }
    if name == "Makefile" {
        return "makefile";
    }
    let suffix = name
        .rsplit_once('.')
        .map(|(_, suffix)| suffix.to_ascii_lowercase());
    let known = LANGUAGES
        .iter()
        .find(|(known, _)| Some(*known) == suffix.as_deref());
    known.map_or("", |(_, language)| language)
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
