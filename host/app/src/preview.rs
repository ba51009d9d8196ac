//! What a call would change in a file, as a diff, for whoever is asked about it. Not here: the call itself; its tool may
//! still refuse, and what is approved are its exact arguments.
//!
//! Only the operations of `files` that replace text are known here. For others there is none.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use diffy::DiffOptions;
use forge_core::approval::{Pending, spelt_out};
use forge_core::grounding::plain;

/// The tool whose operations are known.
const FILES: &str = "files";
/// The largest file that is compared, in bytes: larger ones its tool does not write.
const MOST_FILE_BYTES: u64 = 64 << 10;
/// The longest diff that is shown, in bytes: nobody reads more.
const MOST_SHOWN_BYTES: usize = 32 << 10;

/// What `asked` would change in a file of the workspace at `root`; `None` where that can't be told.
pub(crate) fn diff(root: &Path, asked: &Pending) -> Option<String> {
    if asked.capability.as_str() != FILES {
        return None;
    }
    let text = |field: &str| asked.input.get(field)?.as_str();
    let diff = match asked.operation.as_str() {
        "write" => between(&old(root, text("path")?)?, text("content")?),
        "edit" => {
            let old = old(root, text("path")?)?;
            let (find, replace) = (text("find")?, text("replace").unwrap_or_default());
            let all = asked.input.get("all").and_then(serde_json::Value::as_bool) == Some(true);
            let matches = old.matches(find).count();
            if find.is_empty() || matches == 0 || (matches > 1 && !all) {
                return None;
            }
            between(&old, &old.replace(find, replace))
        }
        "patch" => text("patch")?.to_owned(),
        _ => return None,
    };
    let is_short = !diff.is_empty() && diff.len() <= MOST_SHOWN_BYTES;
    is_short.then(|| spelt_out(&diff))
}

/// The unified diff from `old` to `new`, without the names of files.
fn between(old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let mut options = DiffOptions::new();
    options.set_context_len(3);
    let patch = options.create_patch(old, new).to_string();
    let hunks = patch.find("@@").unwrap_or(0);
    patch[hunks..].to_owned()
}

/// The text of the file at `path` of the workspace, empty where there is none yet; `None` where it can't be told.
fn old(root: &Path, path: &str) -> Option<String> {
    let relative = PathBuf::from(plain(path));
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !relative.components().all(is_below) {
        return None;
    }
    let root = root.canonicalize().ok()?;
    let Ok(found) = root.join(&relative).canonicalize() else {
        return Some(String::new());
    };
    // A pipe would never end.
    if !found.starts_with(&root) || !found.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let mut file = fs::File::open(found).ok()?.take(MOST_FILE_BYTES + 1);
    file.read_to_end(&mut bytes).ok()?;
    let is_whole = bytes.len() as u64 <= MOST_FILE_BYTES;
    String::from_utf8(bytes).ok().filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use forge_contract::name::Name;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_change_is_shown_as_a_diff() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a"), "one\ntwo\nthree\n").unwrap();
        fs::write(root.join("binary"), [0xff, 0xfe]).unwrap();
        fs::write(folder.path().join("secret"), "s3cret\n").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let check = |call: &str, input: Value, expected: Option<&str>| {
            let (capability, operation) = call.split_once('.').unwrap();
            let asked = Pending {
                id: "1".to_owned(),
                run_id: "r".to_owned(),
                capability: Name::parse(capability).unwrap(),
                operation: Name::parse(operation).unwrap(),
                hash: String::new(),
                input,
                asks: Vec::new(),
                expires_at: 0,
            };
            assert_eq!(
                diff(&root, &asked).as_deref(),
                expected,
                "{call} {}",
                asked.input
            );
        };
        check(
            "files.write",
            json!({"path": "a", "content": "one\n2\nthree\n"}),
            Some("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"),
        );
        let new = Some("@@ -0,0 +1 @@\n+x\n");
        check("files.write", json!({"path": "new", "content": "x\n"}), new);
        check(
            "files.write",
            json!({"path": "/workspace/b/new", "content": "x\n"}),
            new,
        );
        check(
            "files.write",
            json!({"path": "new", "content": "a\u{202e}b\n"}),
            Some("@@ -0,0 +1 @@\n+a\\u{202e}b\n"),
        );
        check(
            "files.write",
            json!({"path": "a", "content": "one\ntwo\nthree\n"}),
            None,
        );
        check(
            "files.write",
            json!({"path": "binary", "content": "x"}),
            None,
        );
        check("files.write", json!({"path": "link", "content": "x"}), None);
        check(
            "files.write",
            json!({"path": "../secret", "content": "x"}),
            None,
        );
        check(
            "files.write",
            json!({"path": "new", "content": "x\n".repeat(20_000)}),
            None,
        );
        let edited = Some("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
        check(
            "files.edit",
            json!({"path": "a", "find": "two", "replace": "2"}),
            edited,
        );
        check(
            "files.edit",
            json!({"path": "a", "find": "four", "replace": "2"}),
            None,
        );
        check(
            "files.edit",
            json!({"path": "a", "find": "e", "replace": "2"}),
            None,
        );
        check(
            "files.patch",
            json!({"patch": "-a\n+b\n"}),
            Some("-a\n+b\n"),
        );
        check("files.delete", json!({"path": "a"}), None);
        check("other.write", json!({"path": "a", "content": "x"}), None);
    }
}
