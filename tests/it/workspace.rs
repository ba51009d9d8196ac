//! The workspace as data: its folder, its files, and its packages as cargo knows them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand};

/// The workspace's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Every text file that people write, relative to the root, with `/` and in order.
pub(crate) fn files() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(root(), &mut paths);
    paths.sort();
    let relative = |path: &PathBuf| {
        path.strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let text = |path: &PathBuf| fs::read_to_string(path).ok();
    paths
        .iter()
        .filter_map(|path| Some((relative(path), text(path)?)))
        .collect()
}

/// All packages that the workspace uses on this platform, with what depends on what. Nothing is
/// fetched: whoever has built the tests has them all.
pub(crate) fn packages() -> Metadata {
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let options = ["--locked", "--offline", "--filter-platform", host].map(str::to_owned);
    MetadataCommand::new()
        .current_dir(root())
        .other_options(options)
        .exec()
        .unwrap()
}

/// The text files below `folder`. Left out: what is built or fetched, and data for tests.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    const LEFT_OUT: [&str; 5] = [".git", "target", "data", "node_modules", "cases"];
    const TEXT: [&str; 12] = [
        "rs", "js", "mjs", "css", "html", "md", "toml", "wit", "json", "yml", "sh", "py",
    ];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !LEFT_OUT.contains(&name) {
                collect(&path, paths);
            }
        } else if path
            .extension()
            .map_or(name == "run", |it| TEXT.contains(&it.to_str().unwrap()))
        {
            paths.push(path);
        }
    }
}
