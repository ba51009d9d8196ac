//! What was found, within bounds, and what was not looked at. Not here: finding it.

/// The longest line that is shown, in characters.
const MAX_LINE_CHARS: usize = 200;
/// The longest answer, in bytes, without the notes at its end.
const MAX_BYTES: usize = 64 * 1024;

/// The rows, and what is said below them.
pub(super) struct Report {
    /// How many files were met.
    pub(super) files: u64,
    /// How many of them were binary, too large, or could not be read.
    pub(super) binary: u64,
    pub(super) large: u64,
    pub(super) unreadable: u64,
    rows: Vec<String>,
    bytes: usize,
    max_rows: usize,
    are_cut: bool,
}

/// Whether there is room for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Left,
    Full,
}

/// A line that was found, in one row.
pub(super) fn row(shown: &str, number: usize, line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    let mut chars = line
        .trim()
        .chars()
        .filter(|c| *c == '\t' || !c.is_control());
    let text: String = chars.by_ref().take(MAX_LINE_CHARS).collect();
    let mark = if chars.next().is_some() { "…" } else { "" };
    format!("{shown}:{number}: {text}{mark}")
}

impl Report {
    pub(super) fn new(max_rows: usize) -> Self {
        Self {
            files: 0,
            binary: 0,
            large: 0,
            unreadable: 0,
            rows: Vec::new(),
            bytes: 0,
            max_rows,
            are_cut: false,
        }
    }

    /// Adds a row if there is room for it.
    pub(super) fn add(&mut self, row: String) -> Room {
        self.bytes += row.len() + 1;
        if self.rows.len() == self.max_rows || self.bytes > MAX_BYTES {
            self.are_cut = true;
            return Room::Full;
        }
        self.rows.push(row);
        Room::Left
    }

    pub(super) fn render(self) -> String {
        let mut rows = self.rows;
        if rows.is_empty() {
            rows.push(format!(
                "(nothing found; {} searched)",
                count(self.files, "file", "files")
            ));
        }
        if self.are_cut {
            rows.push(format!(
                "[there are more than these {}: narrow the search with `path`, `name` or `text`]",
                rows.len()
            ));
        }
        let skipped = [
            (self.binary, "binary"),
            (self.large, "over 1 MiB"),
            (self.unreadable, "unreadable"),
        ];
        let skipped: Vec<String> = skipped
            .iter()
            .filter(|(files, _)| *files > 0)
            .map(|(files, why)| format!("{files} {why}"))
            .collect();
        if !skipped.is_empty() {
            rows.push(format!("[skipped: {}]", skipped.join(", ")));
        }
        rows.join("\n")
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
