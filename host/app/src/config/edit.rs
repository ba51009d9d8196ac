//! Changes to the operator's own file of settings, which keep its comments and its order. Not here: what a setting may
//! hold; reading the file says that.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use toml_edit::{DocumentMut, Item, Table};

use super::layers::GRANTS_TABLE;
use crate::private;

/// The table of a tool that holds its grant.
const GRANT: &str = "grant";

/// Makes `grant` the grant of `name` in the file at `path`, which is made where it is missing.
///
/// # Errors
/// When the file can't be read as TOML or written; it is then as it was.
pub(crate) fn set_grant(path: &Path, name: &Name, grant: &Grant) -> io::Result<()> {
    let mut document = read(path)?;
    let grant = toml_edit::ser::to_document(grant).map_err(io::Error::other)?;
    let mut grant = grant.as_table().clone();
    grant.set_implicit(false);
    let tools = table(document.as_table_mut(), GRANTS_TABLE)?;
    let tool = table(tools, name.as_str())?;
    tool.insert(GRANT, Item::Table(grant));
    write(path, &document)
}

/// Removes the grant of `name` from the file at `path`. Tells whether there was one.
///
/// # Errors
/// As [`set_grant`].
pub(crate) fn remove_grant(path: &Path, name: &Name) -> io::Result<bool> {
    let mut document = read(path)?;
    let tools = document.get_mut(GRANTS_TABLE);
    let tool = tools.and_then(|tools| tools.get_mut(name.as_str()));
    let tool = tool.and_then(Item::as_table_like_mut);
    if tool.and_then(|tool| tool.remove(GRANT)).is_none() {
        return Ok(false);
    }
    write(path, &document)?;
    Ok(true)
}

fn read(path: &Path) -> io::Result<DocumentMut> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    text.parse().map_err(io::Error::other)
}

/// The table `key` of `parent`, made where it is missing.
fn table<'a>(parent: &'a mut Table, key: &str) -> io::Result<&'a mut Table> {
    let implicit = || {
        let mut made = Table::new();
        made.set_implicit(true);
        Item::Table(made)
    };
    let item = parent.entry(key).or_insert_with(implicit);
    item.as_table_mut().ok_or_else(|| {
        let problem = format!("`{key}` is written in one line there: change it by hand");
        io::Error::new(io::ErrorKind::InvalidData, problem)
    })
}

/// Replaces the file at once, for its owner alone.
fn write(path: &Path, document: &DocumentMut) -> io::Result<()> {
    // A link is followed: what it leads to is the operator's file.
    let path = path
        .canonicalize()
        .unwrap_or_else(|_missing| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("."));
    private::create_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(document.to_string().as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file that holds `before`, or none, after `grant` was set, or removed.
    fn check(before: Option<&str>, grant: Option<&str>, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings/forge.toml");
        if let Some(text) = before {
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        }
        let name = Name::parse("files").unwrap();
        let changed = match grant {
            Some(grant) => set_grant(&path, &name, &serde_json::from_str(grant).unwrap()),
            None => remove_grant(&path, &name).map(|_| ()),
        };
        let text = match changed {
            Ok(()) => fs::read_to_string(&path).unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expected);
    }

    #[test]
    fn a_grant_is_written_beside_what_stands_there() {
        let read = r#"{"workspace":"read","paths":["docs/**"]}"#;
        let table = "[plugins.files.grant]\nworkspace = \"read\"\npaths = [\"docs/**\"]\n";
        check(None, Some(read), table);
        check(None, Some("{}"), "[plugins.files.grant]\n");
        check(
            Some("# mine\nmax_steps = 3 # three\n"),
            Some(read),
            &format!("# mine\nmax_steps = 3 # three\n\n{table}"),
        );
        check(
            Some("[plugins.files.grant]\nworkspace = \"write\"\n# kept\n[plugins.web.grant]\n"),
            Some(read),
            &format!("{table}# kept\n[plugins.web.grant]\n"),
        );
        check(Some(table), None, "");
        check(None, None, "");
        check(
            Some("plugins = {files = {}}\n"),
            Some(read),
            "`plugins` is written in one line there: change it by hand",
        );
    }
}
