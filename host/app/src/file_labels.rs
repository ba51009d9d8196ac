//! Labels of files: what was written in a run with data from outside is still from outside when it is read again, as
//! long as its content is the same, wherever it lies.
//!
//! Kept in the event log. Not here: what follows from a label; that is policy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forge_contract::effect::{Effect, FileEffect};
use forge_contract::label::Label;
use forge_contract::report::CallReport;
use forge_core::store::{Appended, EventLog, ReadBound, Recorded, StoreError, StreamName};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const STREAM: &str = "file-labels";
/// The workspace as guests see it.
const ROOT: &str = "/workspace/";
/// How often others may be faster before it is given up.
const TRIES: usize = 16;

/// The labels of the files of one workspace.
pub(crate) struct FileLabels {
    log: Arc<dyn EventLog>,
    stream: StreamName,
    known: tokio::sync::Mutex<Known>,
}

#[derive(Default)]
struct Known {
    head: u64,
    by_hash: BTreeMap<String, BTreeSet<Label>>,
    by_path: BTreeMap<String, BTreeSet<Label>>,
}

/// A file that was written under labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    /// Relative to the workspace.
    path: String,
    /// The SHA-256 of its content, in hexadecimal.
    hash: String,
    labels: BTreeSet<Label>,
}

impl FileLabels {
    pub(crate) fn new(log: Arc<dyn EventLog>) -> Self {
        Self {
            log,
            stream: StreamName::parse(STREAM).expect("the name of the stream is one"),
            known: tokio::sync::Mutex::default(),
        }
    }

    /// Labels a call's report by the files that it looked at, and notes the files that it changed, in a run with
    /// `labels`. `root` is the workspace on this machine.
    pub(crate) async fn follow(
        &self,
        root: &Path,
        labels: &BTreeSet<Label>,
        report: &mut CallReport,
    ) -> Result<(), StoreError> {
        let files: Vec<&FileEffect> = report.effects.iter().filter_map(file).collect();
        if files.is_empty() {
            return Ok(());
        }
        let looked_at = paths(&files, false);
        let changed = paths(&files, true);
        let mut known = self.refreshed().await?;
        let mut found = BTreeSet::new();
        if !known.by_hash.is_empty() {
            // What a call changed has another content by now: its path must tell.
            let before = looked_at.iter().chain(&changed);
            let by_path = before.filter_map(|path| known.by_path.get(path));
            let by_path: BTreeSet<Label> = by_path.flatten().copied().collect();
            if !changed.is_empty() {
                found.extend(by_path);
            }
            let hashes = hashes(root, looked_at.into_iter().collect()).await;
            let by_hash = hashes
                .iter()
                .filter_map(|(_, hash)| known.by_hash.get(hash));
            found.extend(by_hash.flatten());
        }
        report.labels.extend(&found);
        let under: BTreeSet<Label> = labels.union(&report.labels).copied().collect();
        if changed.is_empty() || !under.contains(&Label::External) {
            return Ok(());
        }
        let written = hashes(root, changed.into_iter().collect()).await;
        let written = written.into_iter().map(|(path, hash)| Written {
            path,
            hash,
            labels: [Label::External].into(),
        });
        self.append(&mut known, written.collect()).await
    }

    async fn append(&self, known: &mut Known, written: Vec<Written>) -> Result<(), StoreError> {
        let events: Vec<Vec<u8>> = written
            .iter()
            .map(|it| serde_json::to_vec(it).expect("texts can always be written as JSON"))
            .collect();
        for _ in 0..TRIES {
            if events.is_empty() {
                return Ok(());
            }
            let appended = self
                .log
                .append(&self.stream, known.head, events.clone())
                .await?;
            if let Appended::At { .. } = appended {
                return Ok(());
            }
            self.refresh(known).await?;
        }
        tracing::warn!(
            "the labels of files were not stored, because other processes write all the time"
        );
        Ok(())
    }

    async fn refreshed(&self) -> Result<tokio::sync::MutexGuard<'_, Known>, StoreError> {
        let mut known = self.known.lock().await;
        self.refresh(&mut known).await?;
        Ok(known)
    }

    async fn refresh(&self, known: &mut Known) -> Result<(), StoreError> {
        loop {
            let page = self
                .log
                .read(&self.stream, known.head, ReadBound::default())
                .await?;
            page.events
                .iter()
                .for_each(|recorded| known.apply(recorded));
            if page.events.is_empty() || known.head >= page.head {
                return Ok(());
            }
        }
    }
}

impl Known {
    fn apply(&mut self, recorded: &Recorded) {
        self.head = recorded.position;
        if let Ok(written) = serde_json::from_slice::<Written>(&recorded.event) {
            self.by_path.insert(written.path, written.labels.clone());
            self.by_hash
                .entry(written.hash)
                .or_default()
                .extend(written.labels);
        }
    }
}

fn file(effect: &Effect) -> Option<&FileEffect> {
    match effect {
        Effect::File(file) if file.error.is_none() => Some(file),
        _ => None,
    }
}

/// The paths in the workspace that were changed, or looked at.
fn paths(files: &[&FileEffect], changed: bool) -> BTreeSet<String> {
    let of_kind = files.iter().filter(|file| file.action.changes() == changed);
    let ends = of_kind.flat_map(|file| [Some(&file.path), file.to.as_ref()]);
    ends.flatten()
        .filter_map(|path| path.strip_prefix(ROOT))
        .map(str::to_owned)
        .collect()
}

/// The hashes of those of `paths` that are files, off this thread.
async fn hashes(root: &Path, paths: Vec<String>) -> Vec<(String, String)> {
    let root: PathBuf = root.to_owned();
    let hashing = tokio::task::spawn_blocking(move || {
        let hashed = paths.into_iter().filter_map(|path| {
            let hash = hash(&root.join(&path)).ok()?;
            Some((path, hash))
        });
        hashed.collect()
    });
    hashing.await.unwrap_or_default()
}

fn hash(path: &Path) -> io::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut digest = Sha256::new();
    let mut file = File::open(path)?;
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            length => digest.update(&piece[..length]),
        }
    }
    Ok(digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forge_contract::effect::FileAction;
    use forge_contract::outcome::Outcome;

    use super::*;
    use crate::store::SqliteStore;

    fn report(effects: &[(FileAction, &str)]) -> CallReport {
        let effects = effects.iter().map(|(action, path)| {
            Effect::File(FileEffect {
                action: *action,
                path: format!("{ROOT}{path}"),
                to: None,
                bytes: 1,
                error: None,
            })
        });
        CallReport {
            effects: effects.collect(),
            ..CallReport::not_run(Outcome::text("done"))
        }
    }

    #[tokio::test]
    async fn a_label_follows_what_was_written() {
        use FileAction::{Open, Write};
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir(&root).unwrap();
        let open = || {
            FileLabels::new(Arc::new(
                SqliteStore::open(&folder.path().join("forge.db")).unwrap(),
            ))
        };
        let labels = open();
        let external = [Label::External].into();
        let none = BTreeSet::new();
        let follow =
            async |labels: &FileLabels, run: &BTreeSet<Label>, effects: &[(FileAction, &str)]| {
                let mut report = report(effects);
                labels.follow(&root, run, &mut report).await.unwrap();
                report.labels.contains(&Label::External)
            };
        fs::write(root.join("own"), "own").unwrap();
        fs::write(root.join("page"), "page").unwrap();
        assert!(!follow(&labels, &none, &[(Open, "page"), (Write, "own")]).await);
        assert!(!follow(&labels, &external, &[(Write, "page")]).await);
        // In another run, another process, and under another name.
        let labels = open();
        assert!(follow(&labels, &none, &[(Open, "page")]).await);
        assert!(!follow(&labels, &none, &[(Open, "own")]).await);
        fs::copy(root.join("page"), root.join("copy")).unwrap();
        assert!(follow(&labels, &none, &[(Open, "copy")]).await);
        // A person who writes it anew makes it their own.
        fs::write(root.join("page"), "mine").unwrap();
        assert!(!follow(&labels, &none, &[(Open, "page")]).await);
        // A call that changes it does not.
        fs::write(root.join("page"), "page, edited").unwrap();
        assert!(follow(&labels, &none, &[(Open, "page"), (Write, "page")]).await);
        assert!(follow(&labels, &none, &[(Open, "page")]).await);
    }
}
