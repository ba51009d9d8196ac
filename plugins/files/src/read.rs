//! `read`: a text file, whole or some of its lines. Not here: files that are no text; what they are is
//! said, and nothing more.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};

use forge_sdk::{Error, Result, json};

use crate::place::Place;
use crate::seen::{self, Fingerprinting};

/// The longest answer, and the largest file that is read whole, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// The largest file of which lines are read, in bytes.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Which file, and which of its lines.
#[forge_sdk::input]
pub(crate) struct Read {
    /// The file, relative to the workspace.
    #[schemars(length(max = 400))]
    path: String,
    /// The first line, counted from 1. For a part of a file.
    #[schemars(range(min = 1))]
    from: Option<u64>,
    /// The last line.
    #[schemars(range(min = 1))]
    to: Option<u64>,
}

pub(crate) fn read(input: Read) -> Result<String> {
    let place = Place::to_read(&input.path)?;
    let shown = &place.shown;
    let metadata = place.metadata()?;
    if metadata.is_dir() {
        return Err(Error::invalid_input(format!(
            "`{shown}` is a folder: use `list`"
        )));
    }
    if !metadata.is_file() {
        return Err(Error::invalid_input(format!(
            "`{shown}` is neither a file nor a folder: only files can be read"
        )));
    }
    let is_whole = input.from.is_none() && input.to.is_none();
    let max_bytes = if is_whole {
        MAX_BYTES as u64
    } else {
        MAX_FILE_BYTES
    };
    if metadata.len() > max_bytes {
        let way_out = if metadata.len() <= MAX_FILE_BYTES {
            "read a part with `from` and `to`, such as 1 and 200"
        } else {
            "it is too large for `read`; `search` skips it too"
        };
        let bytes = metadata.len();
        let message = format!("`{shown}` has {bytes} bytes, more than {max_bytes}: {way_out}");
        return Err(Error::invalid_input(message)
            .with_details(json!({ "bytes": bytes, "max_bytes": max_bytes })));
    }
    let file = File::open(&place.path).map_err(|error| place.explain(&error))?;
    let mut fingerprinting = Fingerprinting::new(file.take(max_bytes));
    let mut file = BufReader::new(&mut fingerprinting);
    let head = file.fill_buf().map_err(|error| place.explain(&error))?;
    let kind = infer::get(head)
        .map(|kind| kind.mime_type())
        .filter(|kind| !kind.starts_with("text/"));
    let read = if is_whole {
        whole(file, shown)
    } else {
        let (from, to) = (input.from.unwrap_or(1), input.to.unwrap_or(u64::MAX));
        check_range(from, to)?;
        excerpt(file, from, to).and_then(|excerpt| excerpt.render(shown, from))
    };
    if read.is_ok() {
        seen::note(&place, &fingerprinting.fingerprint());
    }
    read.map_err(|fault| {
        let bytes = metadata.len();
        let message = match (fault, kind) {
            (Fault::Io(error), _) => return place.explain(&error),
            (Fault::Range(error), _) => return error,
            (_, Some(kind)) => {
                format!("`{shown}` is binary ({kind}, {bytes} bytes): only text can be read")
            }
            (Fault::Nul, None) => {
                format!("`{shown}` is binary ({bytes} bytes): only text can be read")
            }
            (Fault::Encoding { at }, None) => {
                format!("`{shown}` is no text in UTF-8: the first bad byte is at offset {at}")
            }
        };
        Error::invalid_input(message)
    })
}

fn check_range(from: u64, to: u64) -> Result<()> {
    if from == 0 || to == 0 {
        return Err(Error::invalid_input(
            "lines count from 1: `from` and `to` can't be 0",
        ));
    }
    if to < from {
        return Err(Error::invalid_input(format!(
            "`to` is {to}, before `from`, which is {from}: swap them"
        )));
    }
    Ok(())
}

/// Why bytes are not shown.
enum Fault {
    /// They can't be read.
    Io(io::Error),
    /// They are no text: there is a NUL.
    Nul,
    /// They are no UTF-8 at this offset.
    Encoding { at: u64 },
    /// There are no such lines.
    Range(Error),
}

fn whole(mut file: impl BufRead, shown: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(Fault::Io)?;
    if bytes.is_empty() {
        return Ok(empty(shown));
    }
    check_text(&bytes, 0)?;
    String::from_utf8(bytes).map_err(|error| Fault::Encoding {
        at: error.utf8_error().valid_up_to() as u64,
    })
}

/// An empty answer would look like none.
fn empty(shown: &str) -> String {
    format!("[`{shown}` is empty]")
}

/// Some lines of a file.
#[derive(Default)]
struct Excerpt {
    /// The lines, at most [`MAX_BYTES`].
    text: String,
    /// The last of them.
    last: u64,
    /// How many lines the file has.
    total: u64,
    /// Whether more was asked for than is shown.
    cut: Option<Cut>,
}

enum Cut {
    /// At the end of a line.
    AfterLine,
    /// In the only line that is shown, which has so many bytes.
    InLine { bytes: usize },
}

fn excerpt(mut file: impl BufRead, from: u64, to: u64) -> Result<Excerpt, Fault> {
    let mut excerpt = Excerpt::default();
    let mut line = Vec::new();
    let mut offset = 0;
    while file.read_until(b'\n', &mut line).map_err(Fault::Io)? > 0 {
        let text = check_text(&line, offset)?;
        excerpt.total += 1;
        if (from..=to).contains(&excerpt.total) {
            excerpt.add(text);
        }
        offset += line.len() as u64;
        line.clear();
    }
    Ok(excerpt)
}

fn check_text(bytes: &[u8], offset: u64) -> Result<&str, Fault> {
    if bytes.contains(&0) {
        return Err(Fault::Nul);
    }
    std::str::from_utf8(bytes).map_err(|error| Fault::Encoding {
        at: offset + error.valid_up_to() as u64,
    })
}

impl Excerpt {
    fn add(&mut self, line: &str) {
        if self.cut.is_some() {
            return;
        }
        if self.text.len() + line.len() <= MAX_BYTES {
            self.text.push_str(line);
        } else if self.text.is_empty() {
            self.text
                .push_str(&line[..line.floor_char_boundary(MAX_BYTES)]);
            self.cut = Some(Cut::InLine { bytes: line.len() });
        } else {
            self.cut = Some(Cut::AfterLine);
            return;
        }
        self.last = self.total;
    }

    fn render(self, shown: &str, from: u64) -> Result<String, Fault> {
        let Self {
            text,
            last,
            total,
            cut,
        } = self;
        if total == 0 {
            return Ok(empty(shown));
        }
        if from > total {
            return Err(Fault::Range(Error::invalid_input(format!(
                "`{shown}` has only {total} lines: `from` is {from}"
            ))));
        }
        let break_line = if text.ends_with('\n') { "" } else { "\n" };
        let note = match cut {
            None => String::new(),
            Some(Cut::AfterLine) => format!(
                "{break_line}[cut after line {last}, at {MAX_BYTES} bytes: go on with `from` {}]",
                last + 1
            ),
            Some(Cut::InLine { bytes }) => {
                format!("{break_line}[line {last} has {bytes} bytes: it is cut at {MAX_BYTES}]")
            }
        };
        Ok(format!("[lines {from}-{last} of {total}]\n{text}{note}"))
    }
}

#[cfg(test)]
mod tests;
