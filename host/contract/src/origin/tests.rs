//! Origins that match, and texts that are none.

use proptest::prelude::*;

use super::*;

proptest! {
    /// What two patterns have in common matches what both match; one covers another where it matches all of it.
    #[test]
    fn patterns_agree_with_what_they_match(
        one in pattern_text(), other in pattern_text(), host in "(a|b|a\\.b|b\\.a\\.b|x)", port in 20_u16..24,
    ) {
        let (one, other) = (pattern(&one), pattern(&other));
        let matches = |pattern: &OriginPattern| pattern.matches("http", &host, port);
        let both = one.intersection(&other);
        prop_assert_eq!(both.as_ref().is_some_and(matches), matches(&one) && matches(&other));
        prop_assert!(!one.covers(&other) || !matches(&other) || matches(&one));
        prop_assert_eq!(one.covers(&other), both.as_ref() == Some(&other));
    }
}

fn pattern_text() -> impl Strategy<Value = String> {
    "http://(\\*|a|b|a\\.b|\\*\\.b|\\*\\*\\.b|\\*\\.a\\.b|\\*\\*\\.a\\.b)(:20|:22|:23|:\\*)"
}

fn pattern(text: &str) -> OriginPattern {
    OriginPattern::parse(text).unwrap()
}

#[test]
fn origins_match_on_scheme_host_and_port() {
    let check = |text: &str, origin: (&str, &str, u16), expected: bool| {
        let (scheme, host, port) = origin;
        assert_eq!(
            pattern(text).matches(scheme, host, port),
            expected,
            "{text} against {origin:?}"
        );
    };
    check("https://api.x.com", ("https", "api.x.com", 443), true);
    check("https://api.x.com", ("http", "api.x.com", 443), false);
    check("https://api.x.com", ("https", "api.x.com", 8443), false);
    check("https://api.x.com", ("https", "x.com", 443), false);
    check("https://api.x.com:8443", ("https", "api.x.com", 8443), true);
    check("https://*.x.com", ("https", "api.x.com", 443), true);
    check("https://*.x.com", ("https", "a.b.x.com", 443), false);
    check("https://*.x.com", ("https", "x.com", 443), false);
    check("https://*.x.com", ("https", ".x.com", 443), false);
    check("https://*.x.com", ("https", "evilx.com", 443), false);
    check("https://**.x.com", ("https", "api.x.com", 443), true);
    check("https://**.x.com", ("https", "a.b.x.com", 443), true);
    check("https://**.x.com", ("https", "x.com", 443), false);
    check("https://**.x.com", ("https", "evilx.com", 443), false);
    check("https://**.x.com", ("https", "x.com.evil", 443), false);
    check("https://**.x.com", ("https", "..x.com", 443), false);
    check("http://x.com:*", ("http", "x.com", 80), true);
    check("http://x.com:*", ("http", "x.com", 8080), true);
    check("http://x.com:*", ("http", "x.com", 22), false);
    check("http://x.com:*", ("https", "x.com", 443), false);
    check("http://x.com:22", ("http", "x.com", 22), true);
    check("https://*", ("https", "anything.example", 443), true);
    check("https://*", ("http", "anything.example", 80), false);
    check("http://127.0.0.1:8080", ("http", "127.0.0.1", 8080), true);
    check("http://[0:0:0:0:0:0:0:1]:80", ("http", "::1", 80), true);
}

#[test]
fn what_is_no_origin_is_refused() {
    let refused = [
        "*",
        "api.x.com",
        "ftp://x.com",
        "https://",
        "https://x.com/",
        "https://x.com/path",
        "https://x.com?q",
        "https://user@x.com",
        "https://x.com:0",
        "https://x.com:99999",
        "https://x.com:",
        "https://x.com:**",
        "https://**",
        "https://***.x.com",
        "https://X.com",
        "https://*x.com",
        "https://a.*.com",
        "https://*.*",
        "https://-x.com",
        "https://x..com",
        "https://[::1",
        "https://exämple.com",
        "https://x.com\n",
    ];
    for text in refused {
        assert!(OriginPattern::parse(text).is_err(), "{text:?} was taken");
    }
}

#[test]
fn covering_is_matching_for_every_origin() {
    let check = |wide: &str, narrow: &str, expected: bool| {
        assert_eq!(
            pattern(wide).covers(&pattern(narrow)),
            expected,
            "{wide} over {narrow}"
        );
    };
    check("https://*", "https://*.x.com", true);
    check("https://*.x.com", "https://*", false);
    check("https://*.x.com", "https://api.x.com", true);
    check("https://*.x.com", "https://*.x.com", true);
    check("https://*.x.com", "https://*.api.x.com", false);
    check("https://api.x.com", "https://*.x.com", false);
    check("https://*", "http://x.com", false);
    check("https://**.x.com", "https://*.x.com", true);
    check("https://**.x.com", "https://**.api.x.com", true);
    check("https://**.x.com", "https://*.api.x.com", true);
    check("https://**.x.com", "https://a.b.x.com", true);
    check("https://**.x.com", "https://**.evilx.com", false);
    check("https://**.api.x.com", "https://**.x.com", false);
    check("https://*.x.com", "https://**.x.com", false);
    check("http://*:*", "http://*", true);
    check("http://*:*", "http://x.com:8080", true);
    check("http://*:*", "http://x.com:22", false);
    check("http://*", "http://*:*", false);
}

#[test]
fn what_two_patterns_have_in_common_is_one() {
    let check = |one: &str, other: &str, expected: Option<&str>| {
        let common = pattern(one).intersection(&pattern(other));
        assert_eq!(common, expected.map(pattern), "{one} and {other}");
        assert_eq!(common, pattern(other).intersection(&pattern(one)));
    };
    check("https://*", "https://x.com", Some("https://x.com"));
    check(
        "https://*.x.com:8443",
        "https://a.x.com:*",
        Some("https://a.x.com:8443"),
    );
    check("http://*:*", "http://**.x.com", Some("http://**.x.com"));
    check("http://*:*", "http://x.com:22", None);
    check("http://x.com", "https://x.com", None);
    check("https://a.com", "https://b.com", None);
    check("https://a.com:1", "https://a.com:2", None);
}

#[test]
fn a_pattern_is_written_as_it_was_read() {
    for text in [
        "https://api.x.com",
        "http://127.0.0.1:8080",
        "https://*.x.com",
        "https://*",
        "http://[::1]:8080",
        "http://**.x.com:*",
        "http://*:*",
    ] {
        assert_eq!(pattern(text).to_string(), text);
    }
    assert_eq!(pattern("https://x.com:443").to_string(), "https://x.com");
}
