//! The store when its processes are killed: what was acknowledged is there, and the file is sound.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use forge_app::store::SqliteStore;
use forge_core::store::{Appended, EventLog, ReadBound, StreamName};

/// In each round two processes write to one file, and are killed one after the other.
const ROUNDS: usize = 50;
const WRITERS: usize = 2;
/// The streams of one process, which are written to at the same time.
const STREAMS: usize = 3;
/// How many events are appended together.
const TOGETHER: u64 = 3;
/// The most acknowledgements that are awaited before a process is killed.
const PATIENCE: usize = 30;

/// What comes before the file's path and the writer's number in the arguments of a process that writes.
const ARGUMENT: &str = "writes-to=";
const ACKNOWLEDGED: &str = "acknowledged ";

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forge.db");
    let mut acknowledged = [[0; STREAMS]; WRITERS];
    let mut chance = 0x2545_F491_4F6C_DD1D;
    for round in 0..ROUNDS {
        let writers: Vec<Writer> = (0..WRITERS)
            .map(|number| Writer::start(&file, number))
            .collect();
        for (number, writer) in writers.into_iter().enumerate() {
            let patience = usize::try_from(next(&mut chance) % 1000).unwrap() * PATIENCE / 1000;
            writer.kill_after(patience, &mut acknowledged[number]);
        }
        let store = SqliteStore::open(&file).unwrap();
        for (number, heads) in acknowledged.iter().enumerate() {
            for (index, least) in heads.iter().enumerate() {
                let head = store.head(&stream(number, index)).await.unwrap();
                assert!(head >= *least, "round {round}: {head} of {least} are there");
                assert_eq!(head % TOGETHER, 0, "round {round}: half of an append");
            }
        }
    }
    let store = SqliteStore::open(&file).unwrap();
    store.check().await.unwrap();
    let mut count = 0;
    for number in 0..WRITERS {
        for index in 0..STREAMS {
            count += check_content(&store, &stream(number, index)).await;
        }
    }
    let least: u64 = acknowledged.iter().flatten().sum();
    assert!(count >= least);
    assert!(
        least > ROUNDS as u64 * TOGETHER,
        "hardly anything was written"
    );
}

/// Not a test: what the processes do that are killed. Without its argument it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writer() {
    let Some(argument) =
        std::env::args().find_map(|it| it.strip_prefix(ARGUMENT).map(str::to_owned))
    else {
        return;
    };
    let (number, file) = argument.split_once(':').unwrap();
    let number: usize = number.parse().unwrap();
    let store = std::sync::Arc::new(SqliteStore::open(&PathBuf::from(file)).unwrap());
    let mut streams = tokio::task::JoinSet::new();
    for index in 0..STREAMS {
        let store = store.clone();
        streams.spawn(async move {
            let stream = stream(number, index);
            let mut head = store.head(&stream).await.unwrap();
            loop {
                let events = (head + 1..=head + TOGETHER).map(|position| event(&stream, position));
                head += TOGETHER;
                let appended = store
                    .append(&stream, head - TOGETHER, events.collect())
                    .await;
                assert_eq!(appended.unwrap(), Appended::At { head });
                let line = format!("{ACKNOWLEDGED}{index} {head}\n");
                std::io::stdout().write_all(line.as_bytes()).unwrap();
            }
        });
    }
    streams.join_all().await;
}

/// A process that writes until it is killed.
struct Writer {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Writer {
    fn start(file: &Path, number: usize) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["store::writer", "--exact", "--nocapture", "--quiet"])
            .arg(format!("{ARGUMENT}{number}:{}", file.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// Kills it once it has acknowledged `patience` appends, and notes all that it has acknowledged.
    fn kill_after(mut self, patience: usize, heads: &mut [u64; STREAMS]) {
        let mut lines = self.output.lines();
        let mut seen = 0;
        while seen < patience {
            let line = lines.next().expect("it writes until it is killed").unwrap();
            seen += usize::from(note(&line, heads));
        }
        self.process.kill().unwrap();
        for line in lines {
            note(&line.unwrap(), heads);
        }
        let status = self.process.wait().unwrap();
        assert!(!status.success(), "it ended before it was killed");
    }
}

/// Notes what `line` acknowledges, if it does.
fn note(line: &str, heads: &mut [u64; STREAMS]) -> bool {
    let Some((index, head)) = line
        .strip_prefix(ACKNOWLEDGED)
        .and_then(|it| it.split_once(' '))
    else {
        return false;
    };
    heads[index.parse::<usize>().unwrap()] = head.parse().unwrap();
    true
}

/// Every event is what was appended; returns how many there are.
async fn check_content(store: &SqliteStore, stream: &StreamName) -> u64 {
    let mut position = 0;
    loop {
        let page = store.read(stream, position, ReadBound::default()).await;
        let page = page.unwrap();
        for recorded in page.events {
            position += 1;
            assert_eq!(recorded.position, position);
            assert!(
                recorded.event == event(stream, position),
                "{stream} {position}"
            );
        }
        if position >= page.head {
            return position;
        }
    }
}

fn stream(writer: usize, index: usize) -> StreamName {
    StreamName::parse(&format!("kill/{writer}/{index}")).unwrap()
}

/// Events of various lengths, some over several pages.
fn event(stream: &StreamName, position: u64) -> Vec<u8> {
    let length = usize::try_from(position * 7919 % 6000).unwrap();
    let mut event = format!("{stream} {position} ").into_bytes();
    event.resize(event.len() + length, b'.');
    event
}

/// Marsaglia's xorshift: the same numbers in each run.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
