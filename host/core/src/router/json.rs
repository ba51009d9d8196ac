//! Reads JSON that a model wrote: strictly, then once more with the slips that lose nothing.
//!
//! Not here: what the JSON means.

use serde_json::{Map, Value};

/// Reads `text` as one JSON value. When it is none, it is read once more with raw control characters
/// allowed inside strings, halves of surrogate pairs replaced by U+FFFD, and the numbers that JSON lacks
/// (`NaN`, `Infinity`) taken as null.
///
/// # Errors
/// When it is no JSON even so; the error is that of the strict reading.
pub fn load(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
        .or_else(|strict| serde_json::from_str(&repaired(text)).map_err(|_| strict))
}

/// `value` with the keys of every object in order: equal values give equal texts.
#[must_use]
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(key, _)| *key);
                let fields = fields.into_iter().map(|(key, v)| (key.clone(), sorted(v)));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            scalar => scalar.clone(),
        }
    }
    sorted(value).to_string()
}

/// The balanced `{…}` regions of `text`, in order. Braces inside JSON strings don't count, and a brace
/// that is never closed is passed over.
pub(super) fn regions(text: &str) -> Vec<&str> {
    // Each unclosed brace costs a scan to the end; a text with more of them holds no decision.
    const MAX_UNCLOSED: usize = 64;
    let mut found = Vec::new();
    let mut unclosed = 0;
    let mut from = 0;
    while let Some(start) = text[from..].find('{').map(|at| from + at) {
        if let Some(length) = balanced_length(&text[start..]) {
            found.push(&text[start..start + length]);
            from = start + length;
        } else {
            unclosed += 1;
            if unclosed == MAX_UNCLOSED {
                break;
            }
            from = start + 1;
        }
    }
    found
}

/// How many bytes the region has that begins `text` with a brace; `None` when it never ends.
pub(super) fn balanced_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => taken = repair_escape(rest, &mut out),
            c if in_string && c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            'N' | 'I' | '-' if !in_string => {
                let word = ["NaN", "Infinity", "-Infinity"]
                    .into_iter()
                    .find(|word| rest.starts_with(word));
                match word {
                    Some(word) => {
                        out.push_str("null");
                        taken = word.len();
                    }
                    None => out.push(c),
                }
            }
            c => out.push(c),
        }
        rest = &rest[taken..];
    }
    out
}

/// Copies the escape at the start of `rest` and returns its length in bytes.
fn repair_escape(rest: &str, out: &mut String) -> usize {
    const LENGTH: usize = "\\u0000".len();
    let Some(unit) = unicode_escape(rest) else {
        let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        out.push_str(&rest[..length]);
        return length;
    };
    let is_leading = (0xD800..0xDC00).contains(&unit);
    let is_trailing = (0xDC00..0xE000).contains(&unit);
    if is_leading && unicode_escape(&rest[LENGTH..]).is_some_and(|u| (0xDC00..0xE000).contains(&u))
    {
        out.push_str(&rest[..2 * LENGTH]);
        return 2 * LENGTH;
    }
    if is_leading || is_trailing {
        out.push(char::REPLACEMENT_CHARACTER);
    } else {
        out.push_str(&rest[..LENGTH]);
    }
    LENGTH
}

fn unicode_escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests;
