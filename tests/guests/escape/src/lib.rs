//! A guest that tries to leave its workspace and to change it without the right to. Paths are the guest's own
//! and are used as they are. `read` answers the file's text; `write` and `write_granted` try every kind of
//! change below `folder` and answer as JSON what came of each: `ok` or the error.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use forge_sdk::{Access, Requires, Result, Value, json};

/// A path as the guest sees it.
#[forge_sdk::input]
struct Target {
    /// Such as `/workspace/../secret`.
    path: String,
}

/// A folder as the guest sees it.
#[forge_sdk::input]
struct Folder {
    /// Such as `/workspace`; it must hold a file `existing`.
    folder: String,
}

forge_sdk::tool! {
    name: "escape",
    summary: "Tries to leave its workspace.",
    operations: {
        read(Target) => read {
            summary: "Reads a file at exactly this path.",
            requires: Requires::none().workspace(Access::Read),
        },
        write(Folder) => write {
            summary: "Tries every change with the right to read.",
            requires: Requires::none().workspace(Access::Read),
        },
        write_granted(Folder) => write {
            summary: "Tries every change with the right to write.",
            requires: Requires::none().workspace(Access::Write),
        },
    },
}

fn read(input: Target) -> Result<String> {
    Ok(fs::read_to_string(input.path)?)
}

fn write(input: Folder) -> Value {
    let at = |name: &str| Path::new(&input.folder).join(name);
    // In an order in which each attempt works if all before it did.
    json!({
        "create": told(fs::write(at("created"), "new")),
        "append": told(OpenOptions::new().append(true).open(at("existing")).and_then(|mut file| file.write_all(b"more"))),
        "truncate": told(File::create(at("existing")).map(drop)),
        "set_len": told(OpenOptions::new().write(true).open(at("existing")).and_then(|file| file.set_len(1))),
        "set_times": told(File::open(at("existing")).and_then(|file| file.set_modified(std::time::UNIX_EPOCH))),
        "make_folder": told(fs::create_dir(at("folder"))),
        "hard_link": told(fs::hard_link(at("existing"), at("hard"))),
        "symlink_inside": told(symlink("existing", &at("inside"))),
        "symlink_outside": told(symlink("../../../etc/passwd", &at("outside"))),
        "symlink_absolute": told(symlink("/etc/passwd", &at("absolute"))),
        "read_through_link": told(fs::read(at("outside")).map(drop)),
        "write_through_link": told(fs::write(at("outside"), "x")),
        "rename": told(fs::rename(at("existing"), at("renamed"))),
        "rename_out": told(fs::rename(at("renamed"), at("../../renamed"))),
        "remove_file": told(fs::remove_file(at("renamed"))),
        "remove_folder": told(fs::remove_dir(at("folder"))),
    })
}

fn told(result: io::Result<()>) -> Value {
    match result {
        Ok(()) => json!("ok"),
        Err(error) => json!(error.to_string()),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn symlink(original: &str, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

/// By WASI itself: the standard library's own function is unstable.
#[cfg(target_arch = "wasm32")]
fn symlink(original: &str, link: &Path) -> io::Result<()> {
    let link = link.to_string_lossy();
    let folders = wasip2::filesystem::preopens::get_directories();
    let (folder, name) = folders
        .iter()
        .find_map(|(folder, at)| Some((folder, link.strip_prefix(&format!("{at}/"))?)))
        .ok_or_else(|| io::Error::other("no folder is open above the link"))?;
    folder
        .symlink_at(original, name)
        .map_err(|code| io::Error::other(code.to_string()))
}
