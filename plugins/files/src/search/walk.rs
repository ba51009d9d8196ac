//! The files below a folder, in order: without those that `.gitignore` and `.ignore` name, without
//! `.git`, and without following links. Not here: what is looked for.

use std::path::Path;

use forge_sdk::workspace;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Match, Walk, WalkBuilder};

/// Whether names that begin with `.` are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Met,
    Skipped,
}

impl Hidden {
    pub(super) fn of(hidden: Option<bool>) -> Self {
        match hidden {
            Some(true) => Self::Met,
            _ => Self::Skipped,
        }
    }
}

/// Walks from `start`, which is always met itself.
pub(super) fn walk(start: &Path, hidden: Hidden) -> Walk {
    let above = ignore_files_above(start);
    WalkBuilder::new(start)
        .hidden(hidden == Hidden::Skipped)
        .ignore(true)
        .git_ignore(true)
        .require_git(false)
        // What lies outside the workspace must not decide what is found inside it.
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            entry.depth() == 0 || (entry.file_name() != ".git" && !is_ignored(&above, entry))
        })
        .build()
}

/// The ignore files of the folders from `start`'s parent up to the workspace, nearest first. The
/// walker reads those at `start` and below; left to itself it would look above the workspace too.
fn ignore_files_above(start: &Path) -> Vec<Gitignore> {
    let root = workspace::root();
    start
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(&root))
        .flat_map(|folder| [".ignore", ".gitignore"].map(|name| (folder, folder.join(name))))
        .filter(|(_, file)| file.is_file())
        .map(|(folder, file)| {
            let mut builder = GitignoreBuilder::new(folder);
            // A line that is no pattern is skipped, as git does; the others stand.
            let _skipped_lines = builder.add(file);
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        })
        .collect()
}

fn is_ignored(ignore_files: &[Gitignore], entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let verdict = ignore_files
        .iter()
        .map(|ignore_file| ignore_file.matched(entry.path(), is_folder))
        .find(|verdict| !verdict.is_none());
    matches!(verdict, Some(Match::Ignore(_)))
}
