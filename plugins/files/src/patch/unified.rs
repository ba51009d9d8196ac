//! Reads a unified diff as models write it: the numbers in its headers may be wrong or missing, and white
//! space at the end of empty lines may be lost. Libraries refuse such diffs, so this is Forge's own.

use forge_sdk::{Error, Result};

use crate::place::on_one_line;

/// The changes to one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) path: String,
    /// The old side is `/dev/null`.
    pub(super) is_new: bool,
    /// The new side is `/dev/null`.
    pub(super) is_removed: bool,
    pub(super) hunks: Vec<Hunk>,
}

/// Lines that stand together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line of the old file that it says to start at.
    pub(super) start: Option<usize>,
    pub(super) lines: Vec<Line>,
    /// Whether the new file's last line, which is in it, has no line break.
    pub(super) ends_bare: bool,
}

/// A line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Keep(String),
    Remove(String),
    Add(String),
}

/// The sections of a patch, at least one.
pub(super) fn parse(patch: &str) -> Result<Vec<Section>> {
    let mut lines: Vec<&str> = patch.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let is_crlf = !lines.is_empty() && lines.iter().all(|line| line.ends_with('\r'));
    if is_crlf {
        for line in &mut lines {
            *line = line.trim_end_matches('\r');
        }
    }
    let mut sections: Vec<Section> = Vec::new();
    // The last git header that no `---` and `+++` has followed yet.
    let mut announced = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.starts_with("diff --git ") {
            check_announced(announced.replace(line))?;
            at += 1;
        } else if is_file_header(&lines[at..]) {
            announced = None;
            sections.push(section(line, lines[at + 1])?);
            at += 2;
        } else if line.starts_with("@@") {
            let Some(section) = sections.last_mut() else {
                return Err(no_section());
            };
            let (hunk, next) = hunk(&lines, at)?;
            section.hunks.push(hunk);
            at = next;
        } else {
            check_other(line)?;
            at += 1;
        }
    }
    check_announced(announced)?;
    match sections.iter().find(|section| section.hunks.is_empty()) {
        Some(Section { path, .. }) => Err(Error::invalid_input(format!(
            "`{path}` has no hunk in the patch: a hunk starts with `@@`"
        ))),
        None if sections.is_empty() => Err(no_section()),
        None => Ok(sections),
    }
}

/// A git header alone makes or removes an empty file, which would be passed over.
fn check_announced(header: Option<&str>) -> Result<()> {
    match header {
        None => Ok(()),
        Some(header) => Err(Error::invalid_input(format!(
            "`{}` comes with no lines: make an empty file with `write`, and remove one with `delete`",
            on_one_line(header)
        ))),
    }
}

fn no_section() -> Error {
    Error::invalid_input(
        "the patch names no file: before each file's hunks stand `--- a/path` and `+++ b/path`",
    )
}

/// A removed line may look like `--- a`; a header is followed by its other half.
fn is_file_header(lines: &[&str]) -> bool {
    let starts =
        |index: usize, mark: &str| lines.get(index).is_some_and(|line| line.starts_with(mark));
    starts(0, "--- ") && starts(1, "+++ ") && (lines.len() == 2 || starts(2, "@@"))
}

/// `-- ` and a version, with which git ends a patch that is a mail.
fn is_signature(lines: &[&str]) -> bool {
    let is_version = |line: &str| line.starts_with(|start: char| start.is_ascii_digit());
    match lines {
        ["-- ", version, rest @ ..] => {
            is_version(version) && rest.iter().all(|line| line.is_empty())
        }
        _ => false,
    }
}

/// Refuses what git says beside hunks and what `patch` can't do.
fn check_other(line: &str) -> Result<()> {
    let is = |mark: &str| line.starts_with(mark);
    let line = line.trim_end();
    let is_special =
        (is("new file mode ") && line != "new file mode 100644") || is("deleted file mode 120000");
    if is("old mode 1") || is("new mode 1") || is_special {
        return Err(Error::invalid_input(format!(
            "the patch says `{line}`: only the lines of plain files can be patched"
        )));
    }
    if is("rename from ") || is("rename to ") || is("copy from ") || is("copy to ") {
        return Err(Error::invalid_input(
            "the patch renames or copies a file: use `move` for that, and `patch` for its lines",
        ));
    }
    if is("Binary files ") || is("GIT binary patch") {
        return Err(Error::invalid_input(
            "the patch changes a file that is no text: only text can be patched",
        ));
    }
    Ok(())
}

fn section(old: &str, new: &str) -> Result<Section> {
    let old_name = name(&old["--- ".len()..])?;
    let new_name = name(&new["+++ ".len()..])?;
    let (old, new) = (old_name.as_str(), new_name.as_str());
    let (is_new, is_removed) = (old == "/dev/null", new == "/dev/null");
    let (in_a, in_b) = (old.strip_prefix("a/"), new.strip_prefix("b/"));
    let has_prefixes = (in_a.is_some() || is_new) && (in_b.is_some() || is_removed);
    let (old, new) = if has_prefixes {
        (in_a.unwrap_or(old), in_b.unwrap_or(new))
    } else {
        (old, new)
    };
    if is_new && is_removed {
        return Err(no_section());
    }
    if old != new && !is_new && !is_removed {
        return Err(Error::invalid_input(format!(
            "the patch makes `{old}` to `{new}`: use `move` for that, and `patch` for its lines"
        )));
    }
    let path = if is_new { new } else { old };
    Ok(Section {
        path: path.to_owned(),
        is_new,
        is_removed,
        hunks: Vec::new(),
    })
}

/// A file's name, without the time that some tools put behind a tab.
fn name(header: &str) -> Result<String> {
    let name = header.split('\t').next().unwrap_or(header).trim();
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    match quoted {
        None => Ok(name.to_owned()),
        Some(quoted) => unquoted(quoted).ok_or_else(|| {
            Error::invalid_input(format!(
                "{name} is no name as git quotes it: write it as it is, without quotes"
            ))
        }),
    }
}

/// What stands between the quotes of a name, where git writes `\303\244` for `ä`.
fn unquoted(quoted: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        let meant = match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                plain @ (b'"' | b'\\') => plain,
                first @ b'0'..=b'3' => {
                    let mut digit = || rest.next().filter(|digit| (b'0'..=b'7').contains(digit));
                    let (second, third) = (digit()?, digit()?);
                    (first - b'0') * 64 + (second - b'0') * 8 + (third - b'0')
                }
                _ => return None,
            },
            plain => plain,
        };
        bytes.push(meant);
    }
    String::from_utf8(bytes).ok()
}

/// The hunk whose header is the line `at`, and the line behind it.
fn hunk(lines: &[&str], at: usize) -> Result<(Hunk, usize)> {
    let mut hunk = Hunk {
        start: start(lines[at]),
        ..Hunk::default()
    };
    let mut next = at + 1;
    // Empty lines at the end may be the hunk's or stand between it and what follows.
    let mut trailing = 0;
    while next < lines.len() {
        let line = lines[next];
        let ends = line.starts_with("@@")
            || line.starts_with("diff --git ")
            || line.starts_with("```")
            || is_signature(&lines[next..])
            || is_file_header(&lines[next..]);
        if ends {
            break;
        }
        let rest = line.get(1..).unwrap_or_default().to_owned();
        trailing = if line.is_empty() { trailing + 1 } else { 0 };
        match line.chars().next() {
            None => hunk.lines.push(Line::Keep(String::new())),
            Some(' ') => hunk.lines.push(Line::Keep(rest)),
            Some('-') => hunk.lines.push(Line::Remove(rest)),
            Some('+') => hunk.lines.push(Line::Add(rest)),
            Some('\\') => {
                hunk.ends_bare = matches!(hunk.lines.last(), Some(Line::Add(_) | Line::Keep(_)));
            }
            Some(_) => {
                return Err(Error::invalid_input(format!(
                    "line {} of the patch starts with neither ` `, `+` nor `-`: `{line}`",
                    next + 1
                )));
            }
        }
        next += 1;
    }
    hunk.lines.truncate(hunk.lines.len() - trailing);
    let changes = |line: &Line| !matches!(line, Line::Keep(_));
    if !hunk.lines.iter().any(changes) {
        return Err(Error::invalid_input(format!(
            "the hunk at line {} of the patch changes nothing: it has no line with `+` or `-`",
            at + 1
        )));
    }
    Ok((hunk, next))
}

/// The first number of `@@ -12,3 +12,4 @@`, if there is one.
fn start(header: &str) -> Option<usize> {
    let (_, old) = header.split_once('-')?;
    let digits = old
        .split(|character: char| !character.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
