//! Takes secrets out of what comes back: stars take the place of each, in the forms in which servers write back what
//! they were sent. Not here: what a server makes of one by itself, a digest or a part of it.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Finds some secrets in all their forms.
pub(crate) struct Scrubber {
    /// `None` where it could not be made: then nothing passes.
    automaton: Option<AhoCorasick>,
    forms: Vec<Vec<u8>>,
}

/// The shortest word within a secret that is one by itself, in bytes.
const LEAST_WORD_BYTES: usize = 8;

impl Scrubber {
    pub(super) fn of<'a>(secrets: impl Iterator<Item = &'a str>) -> Self {
        let mut forms = BTreeSet::new();
        for secret in secrets {
            // `Basic dXNlcjpw…` is also found where only its end is shown.
            let words = secret.split(' ').filter(|it| it.len() >= LEAST_WORD_BYTES);
            for text in words.chain([secret]) {
                add_forms(text, &mut forms);
            }
        }
        forms.remove(&Vec::new());
        let forms: Vec<Vec<u8>> = forms.into_iter().collect();
        Self {
            automaton: AhoCorasick::new(&forms).ok(),
            forms,
        }
    }

    /// `bytes` with stars where a secret was.
    pub(super) fn scrubbed(&self, bytes: &[u8]) -> Vec<u8> {
        let mut scrubbed = bytes.to_vec();
        for (start, end) in self.found(bytes) {
            scrubbed[start..end].fill(b'*');
        }
        scrubbed
    }

    /// From where to where there is one. They may overlap.
    fn found(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let Some(automaton) = &self.automaton else {
            return vec![(0, bytes.len())];
        };
        let found = automaton.find_overlapping_iter(bytes);
        found.map(|it| (it.start(), it.end())).collect()
    }

    /// How many bytes at the end of `bytes` could be the beginning of one.
    fn begun(&self, bytes: &[u8]) -> usize {
        let longest = self.forms.iter().map(Vec::len).max().unwrap_or_default();
        let most = longest.saturating_sub(1).min(bytes.len());
        let begins = |length: &usize| {
            let end = &bytes[bytes.len() - length..];
            self.forms
                .iter()
                .any(|form| form.len() > *length && form.starts_with(end))
        };
        (1..=most).rev().find(begins).unwrap_or_default()
    }
}

/// Scrubs what comes in pieces, however it was cut.
pub(super) struct Scrubbing {
    scrubber: Arc<Scrubber>,
    /// The end of what came, which could be the beginning of a secret.
    held: Vec<u8>,
    /// How many bytes of it belong to one that began before.
    covered: usize,
}

impl Scrubbing {
    pub(super) fn with(scrubber: Arc<Scrubber>) -> Self {
        Self {
            scrubber,
            held: Vec::new(),
            covered: 0,
        }
    }

    /// How many bytes are held back.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// What can be passed on after `piece` has come.
    pub(super) fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let passed = self.held.len() - self.scrubber.begun(&self.held);
        self.pass(passed)
    }

    /// What is left, after the last piece.
    pub(super) fn end(&mut self) -> Vec<u8> {
        self.pass(self.held.len())
    }

    fn pass(&mut self, length: usize) -> Vec<u8> {
        let found = self.scrubber.found(&self.held);
        let rest = self.held.split_off(length);
        let mut passed = mem::replace(&mut self.held, rest);
        passed[..self.covered.min(length)].fill(b'*');
        self.covered = self.covered.saturating_sub(length);
        for (start, end) in found {
            if start < length {
                passed[start..end.min(length)].fill(b'*');
                self.covered = self.covered.max(end.saturating_sub(length));
            }
        }
        passed
    }
}

/// Adds the forms in which servers write `text` back.
fn add_forms(text: &str, forms: &mut BTreeSet<Vec<u8>>) {
    let escaped = |escape: &dyn Fn(char) -> Option<String>| -> Vec<u8> {
        let escape = |c| escape(c).unwrap_or_else(|| String::from(c));
        text.chars().map(escape).collect::<String>().into_bytes()
    };
    forms.insert(text.into());
    // In a URL: RFC 3986 §2.3, `encodeURIComponent` of ECMAScript, and the URL standard's forms, with `+` for a space.
    for (kept, space) in [("-._~", "%20"), ("-._!~*'()", "%20"), ("*-._", "+")] {
        let kept = |c: char| c.is_ascii_alphanumeric() || kept.contains(c);
        let upper = |c: char| match c {
            ' ' => Some(space.to_owned()),
            c => (!kept(c)).then(|| format!("%{:02X}", u32::from(c))),
        };
        let lower = |c: char| upper(c).map(|escaped| escaped.to_ascii_lowercase());
        forms.insert(escaped(&upper));
        forms.insert(escaped(&lower));
    }
    // In JSON (RFC 8259 §7): what must be escaped, the slash too, and what is not safe in a page as a number.
    let json = |c: char| "\"\\".contains(c).then(|| format!("\\{c}"));
    let slash = |c: char| "\"\\/".contains(c).then(|| format!("\\{c}"));
    forms.insert(escaped(&json));
    forms.insert(escaped(&slash));
    let number = |c: char| "<>&'+`".contains(c);
    let upper = |c: char| number(c).then(|| format!("\\u{:04X}", u32::from(c)));
    let lower = |c: char| number(c).then(|| format!("\\u{:04x}", u32::from(c)));
    forms.insert(escaped(&|c| upper(c).or_else(|| json(c))));
    forms.insert(escaped(&|c| lower(c).or_else(|| json(c))));
    // In a page.
    for quote in ["&quot;", "&#34;"] {
        for apostrophe in ["'", "&#39;", "&#x27;", "&apos;"] {
            let entity = |c| match c {
                '&' => Some("&amp;".to_owned()),
                '<' => Some("&lt;".to_owned()),
                '>' => Some("&gt;".to_owned()),
                '"' => Some(quote.to_owned()),
                '\'' => Some(apostrophe.to_owned()),
                _ => None,
            };
            forms.insert(escaped(&entity));
        }
    }
    let hex = |c: u8| format!("{c:02x}");
    let hex: String = text.bytes().map(hex).collect();
    forms.insert(hex.to_ascii_uppercase().into_bytes());
    forms.insert(hex.into_bytes());
    for before in 0..3 {
        forms.insert(in_base64(&STANDARD_NO_PAD, before, text));
        forms.insert(in_base64(&URL_SAFE_NO_PAD, before, text));
    }
}

/// The characters that are `text` alone where `before` other bytes, or some more threes, stand before it.
fn in_base64(engine: &impl Engine, before: usize, text: &str) -> Vec<u8> {
    let whole = [&[0; 3][..before], text.as_bytes()].concat();
    let first = (before * 8).div_ceil(6);
    let end = whole.len() * 8 / 6;
    engine.encode(whole).as_bytes()[first..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECRET: &str = r#"Tok en/<"a&b'\+=>"#;

    fn scrubber(secrets: &[&str]) -> Arc<Scrubber> {
        Arc::new(Scrubber::of(secrets.iter().copied()))
    }

    #[test]
    fn a_secret_is_found_in_the_forms_that_servers_use() {
        let check = |shown: &str| {
            let scrubbed = scrubber(&[SECRET]).scrubbed(format!("x{shown}y").as_bytes());
            let expected = format!("x{}y", "*".repeat(shown.len()));
            assert_eq!(String::from_utf8_lossy(&scrubbed), expected, "{shown}");
        };
        check(SECRET);
        check("Tok%20en%2F%3C%22a%26b%27%5C%2B%3D%3E");
        check("Tok%20en%2f%3c%22a%26b%27%5c%2b%3d%3e");
        check("Tok+en%2F%3C%22a%26b%27%5C%2B%3D%3E");
        check(r#"Tok en/<\"a&b'\\+=>"#);
        check(r#"Tok en\/<\"a&b'\\+=>"#);
        check(r#"Tok en/\u003c\"a\u0026b\u0027\\\u002b=\u003e"#);
        check("Tok en/&lt;&quot;a&amp;b&#39;\\+=&gt;");
        check("546f6b20656e2f3c22612662275c2b3d3e");
        check("546F6B20656E2F3C22612662275C2B3D3E");
    }

    #[test]
    fn a_secret_within_base64_is_found_wherever_it_begins() {
        let secret = "correct-horse-battery";
        let scrubber = scrubber(&[secret]);
        let inner = "horse";
        for before in ["", "u", "us", "use", "user"] {
            for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let shown = engine.encode(format!("{before}{secret}:more"));
                let scrubbed = scrubber.scrubbed(shown.as_bytes());
                let left = String::from_utf8(scrubbed).unwrap().replace('*', "A");
                let decoded = engine.decode(left).unwrap();
                let decoded = String::from_utf8_lossy(&decoded).into_owned();
                assert!(!decoded.contains(inner), "{before}: {decoded}");
                assert!(decoded.ends_with(":more"), "{before}: {decoded}");
            }
        }
    }

    #[test]
    fn a_word_of_a_secret_is_one() {
        let scrubber = scrubber(&["Basic dXNlcjpwYXNz"]);
        assert_eq!(
            scrubber.scrubbed(b"Basic x dXNlcjpwYXNz"),
            b"Basic x ************"
        );
    }

    #[test]
    fn what_can_be_no_secret_is_not_held_back() {
        let mut scrubbing = Scrubbing::with(scrubber(&["aaaabbbb"]));
        assert_eq!(scrubbing.push(b"data: hello\n"), b"data: hello\n");
        assert_eq!(scrubbing.push(b"x aaaab"), b"x ");
        assert_eq!(scrubbing.held(), 5);
        assert_eq!(scrubbing.push(b"c"), b"aaaabc");
        assert_eq!(scrubbing.push(b"aaaabbb"), b"");
        assert_eq!(scrubbing.end(), b"aaaabbb");
    }

    #[test]
    fn a_piece_without_bytes_changes_nothing() {
        let mut scrubbing = Scrubbing::with(scrubber(&["ab", "bb"]));
        let pieces = [&b"ab"[..], b"", b"c"].map(|piece| scrubbing.push(piece));
        assert_eq!(pieces.concat(), b"**c");
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_same_is_taken_out(
            // Two letters, so that secrets overlap each other and themselves.
            secrets in prop::collection::vec("[ab]{2,6}", 1..4),
            text in "[ab%1]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..8),
        ) {
            let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
            let scrubber = scrubber(&secrets);
            let whole = scrubber.scrubbed(text.as_bytes());
            for secret in &secrets {
                prop_assert!(!String::from_utf8_lossy(&whole).contains(secret));
            }
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let mut scrubbing = Scrubbing::with(scrubber);
            let mut pieces = Vec::new();
            for cut in cuts.windows(2) {
                pieces.extend(scrubbing.push(&text.as_bytes()[cut[0]..cut[1]]));
            }
            pieces.extend(scrubbing.end());
            prop_assert_eq!(pieces, whole);
        }
    }
}
