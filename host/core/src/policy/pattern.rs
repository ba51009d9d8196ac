//! Patterns of names and arguments in rules.

use globset::{GlobBuilder, GlobMatcher};

/// A glob: `*` and `?` stay between slashes, `**` crosses them.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    text: String,
    glob: GlobMatcher,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a pattern is empty: `*` is every name, `**` every text".to_owned());
        }
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| format!("`{text}` is no pattern: {}", error.kind()))?;
        Ok(Self {
            text: text.to_owned(),
            glob: glob.compile_matcher(),
        })
    }

    /// Whether `text` matches. One path can be written in several ways: what forbids matches when any of them does
    /// (`strict` is false), what allows only when all of them do.
    pub(super) fn matches(&self, text: &str, strict: bool) -> bool {
        let plain = plain(text);
        let (as_written, as_meant) = (self.glob.is_match(text), self.glob.is_match(&plain));
        if strict {
            as_written && as_meant
        } else {
            as_written || as_meant
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// A path without `.`, `..`, doubled and leading slashes and the workspace's own name; what leads out of it stays
/// visible by its `..`.
fn plain(path: &str) -> String {
    let path = path.strip_prefix("/workspace/").unwrap_or(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However a way into a folder is written, what forbids the folder forbids it.
        #[test]
        fn no_way_of_writing_leads_past_a_deny(
            detours in proptest::collection::vec("(a|b|\\.|secret)", 0..6),
            name in "[a-z]{1,6}",
        ) {
            let mut path = String::new();
            for detour in &detours {
                // Each leads somewhere and back.
                path.push_str(&if detour == "." { "./".to_owned() } else { format!("{detour}/../") });
            }
            path.push_str(&format!("secret//./{name}"));
            let secret = Pattern::parse("secret/**").unwrap();
            prop_assert!(secret.matches(&path, false), "{path}");
            let absolute = format!("/workspace/{path}");
            prop_assert!(secret.matches(&absolute, false), "{absolute}");
        }

        /// Whatever is allowed would be forbidden by the same pattern, and lies where it says.
        #[test]
        fn what_allows_never_matches_more(path in "(docs|src|\\.\\.|\\.|/){1,8}") {
            let docs = Pattern::parse("docs/**").unwrap();
            if docs.matches(&path, true) {
                prop_assert!(docs.matches(&path, false));
                prop_assert!(plain(&path).starts_with("docs/"), "{path}");
            }
        }
    }

    #[test]
    fn a_path_means_the_same_however_it_is_written() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected, "{text}");
        check("a/b", "a/b");
        check("./a//b/", "a/b");
        check("x/../a/./b", "a/b");
        check("../a", "../a");
        check("a/../../b", "../b");
        check("/workspace/a", "a");
        check("/a", "a");
    }

    #[test]
    fn what_forbids_is_wide_and_what_allows_is_narrow() {
        let check = |pattern: &str, text: &str, forbids: bool, allows: bool| {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.matches(text, false), forbids, "{text}");
            assert_eq!(pattern.matches(text, true), allows, "{text}");
        };
        check("secret/**", "secret/a", true, true);
        check("secret/**", "x/../secret/a", true, false);
        check("secret/**", "secret/../a", true, false);
        check("docs/*", "docs/a/b", false, false);
        check("**", "anything at all", true, true);
        check("*", "a", true, true);
    }
}
