//! Which characters bytes stand for. Not here: what they say.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use mime::Mime;

/// Where a page names its encoding (the HTML standard, "prescan a byte stream").
const PRESCAN_BYTES: usize = 1024;

/// The text of `bytes`: by their mark, else by what the server says, else by what the page says of itself, else by
/// what they look like. What makes no sense is replaced.
pub(crate) fn decode(bytes: &[u8], media: Option<&Mime>) -> String {
    let told = || media.and_then(|media| labelled(media.get_param(mime::CHARSET)?.as_str()));
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(told)
        .or_else(|| of_page(&bytes[..bytes.len().min(PRESCAN_BYTES)]))
        .unwrap_or_else(|| guessed(bytes));
    encoding.decode(bytes).0.into_owned()
}

fn labelled(label: &str) -> Option<&'static Encoding> {
    // A common name that the Encoding standard does not know.
    let label = match label.trim_matches('"').to_ascii_lowercase().as_str() {
        "latin-1" => "latin1".to_owned(),
        other => other.to_owned(),
    };
    Encoding::for_label(label.as_bytes())
}

/// The encoding in `<meta charset=…>` or in its older form.
fn of_page(head: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let tags = head.split("<meta").skip(1);
    let labels = tags.filter_map(|rest| {
        let tag = rest.split('>').next()?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        value
            .split(['"', '\'', ' ', ';', '/'])
            .next()
            .map(str::to_owned)
    });
    let found = labels.filter_map(|label| labelled(&label)).next()?;
    // Whoever could be read so far was not in a form with two bytes for each letter.
    let is_wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if is_wide { UTF_8 } else { found })
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_characters() {
        let check = |bytes: &[u8], media: &str, expected: &str| {
            let media: Mime = media.parse().unwrap();
            assert_eq!(decode(bytes, Some(&media)), expected, "{media}");
        };
        check(b"caf\xe9", "text/plain; charset=latin-1", "café");
        check(b"caf\xe9", "text/plain; charset=\"ISO-8859-1\"", "café");
        check("\u{feff}é".as_bytes(), "text/plain; charset=latin1", "é");
        check(b"\xff\xfea\0", "text/plain", "a");
        check("日本".as_bytes(), "text/plain", "日本");
        check(b"a\xffb", "text/plain; charset=utf-8", "a\u{fffd}b");
        check(b"x", "text/plain; charset=klingon", "x");
        let page =
            b"<html><head><META content='text/html; charset=Shift_JIS'></head>\x93\xfa\x96\x7b";
        assert!(decode(page, None).ends_with("日本"));
        let page = b"<meta charset = \"windows-1251\"/>\xcf\xf0\xe8\xe2\xe5\xf2";
        assert!(decode(page, None).ends_with("Привет"));
        let page =
            b"\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0? \xd5\xee\xf0\xee\xf8\xee.";
        assert_eq!(decode(page, None), "Привет, как дела? Хорошо.");
    }
}
