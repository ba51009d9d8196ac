//! The trace file: written, broken, read from its end.

use std::fs;
use std::path::Path;

use forge_core::trace::LlmRecord;

use super::*;

fn run(id: &str, preview: &str) -> RunRecord {
    RunRecord {
        run_id: id.to_owned(),
        timestamp: "2026-11-30T20:58:08+01:00".to_owned(),
        user_input_preview: preview.to_owned(),
        provider: "scripted".to_owned(),
        model: None,
        steps: Vec::new(),
        labels: std::collections::BTreeSet::new(),
        final_tool: "chat".to_owned(),
        ok: true,
        error: None,
        total_ms: 1,
        llm: LlmRecord::default(),
    }
}

/// Keeps runs with previews of these lengths; each `count` of the last ones must come back in order.
fn check(preview_lengths: &[usize], counts: &[usize]) {
    let folder = tempfile::tempdir().unwrap();
    let trace = TraceFile::at(folder.path().join("deep/traces.jsonl"));
    let runs: Vec<RunRecord> = preview_lengths
        .iter()
        .enumerate()
        .map(|(index, length)| run(&index.to_string(), &"é\n".repeat(*length)))
        .collect();
    for run in &runs {
        trace.record(run);
    }
    for count in counts {
        let expected: Vec<RunRecord> = runs.iter().rev().take(*count).cloned().collect();
        assert_eq!(trace.last(*count).unwrap(), expected, "the last {count}");
    }
}

#[test]
fn the_newest_records_come_first() {
    check(&[], &[0, 1]);
    check(&[3], &[0, 1, 2]);
    check(&[1, 2, 3, 4], &[1, 3, 9]);
    // Longer than what is read at once, and around that length.
    check(&[10, 30_000, 10, 90_000, 0, 20_000, 5], &[1, 2, 3, 4, 5, 7]);
    check(&[16_000; 9], &[1, 4, 5, 9]);
}

#[test]
fn a_line_that_was_cut_off_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.jsonl");
    let trace = TraceFile::at(path.clone());
    trace.record(&run("1", "a"));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &whole[..40]].concat()).unwrap();
    trace.record(&run("2", "b"));
    assert_eq!(trace.last(9).unwrap(), [run("2", "b"), run("1", "a")]);
    // The same when another process appends to it.
    let mut other = fs::OpenOptions::new().append(true).open(&path).unwrap();
    other.write_all(&whole[..40]).unwrap();
    trace.record(&run("3", "c"));
    let expected = [run("3", "c"), run("2", "b"), run("1", "a")];
    assert_eq!(trace.last(9).unwrap(), expected);
}

#[test]
fn a_file_that_was_moved_or_removed_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/traces.jsonl");
    let trace = TraceFile::at(path.clone());
    trace.record(&run("1", "a"));
    fs::rename(&path, folder.path().join("old.jsonl")).unwrap();
    trace.record(&run("2", "b"));
    assert_eq!(trace.last(9).unwrap(), [run("2", "b")]);
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    trace.record(&run("3", "c"));
    assert_eq!(trace.last(9).unwrap(), [run("3", "c")]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/traces.jsonl");
    TraceFile::at(path.clone()).record(&run("1", "a"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
}

#[test]
fn a_trace_that_cant_be_written_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let trace = TraceFile::at(blocked.join("traces.jsonl"));
    trace.record(&run("1", "a"));
    assert!(trace.last(1).is_err());
}
