//! Measures the store: `cargo run --release --example store -- FOLDER`, on the disk that `FOLDER` is on.
//!
//! Each row is one kind of work, once by one caller after the other and once by 64 at the same time: the time
//! and the processor time of one piece of it, all threads and the kernel's part of the sync included.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forge_app::conversations::Conversations;
use forge_app::store::SqliteStore;
use forge_core::conversation::{ConversationId, NewExchange, Window};
use forge_core::store::{Appended, EventLog, ReadBound, StreamName};
use tokio::task::JoinSet;

/// The same work for each of so many callers.
const CALLERS: [usize; 2] = [1, 64];
/// Pieces of work in a row of the table.
const PIECES: usize = 12_800;
/// Events of about the size of a short exchange.
const EVENT_BYTES: usize = 1000;
const MEMORY_BYTES: usize = 64 * 1024 * 1024;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
async fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        println!("usage: cargo run --release --example store -- FOLDER");
        return ExitCode::FAILURE;
    };
    let folder = tempfile::tempdir_in(folder).expect("the folder can be written");
    println!("| work | callers | time, µs | processor time, µs |");
    println!("| --- | --- | --- | --- |");
    for callers in CALLERS {
        for work in [Work::Append, Work::Read, Work::Turn] {
            let store = open(&folder.path().join(format!("{callers}-{work:?}.db")));
            let row = measure(work, callers, &store).await;
            println!("| {work:?} | {callers} | {:.1} | {:.1} |", row.0, row.1);
        }
    }
    ExitCode::SUCCESS
}

#[derive(Debug, Clone, Copy)]
enum Work {
    /// One event is appended.
    Append,
    /// An empty stream is read.
    Read,
    /// A turn begins in a conversation and ends with an exchange.
    Turn,
}

fn open(file: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(file).expect("the folder can be written"))
}

/// Time and processor time of one piece, in microseconds.
async fn measure(work: Work, callers: usize, store: &Arc<SqliteStore>) -> (f64, f64) {
    let conversations = Conversations::new(store.clone(), Window::default(), MEMORY_BYTES);
    let (began, processor) = (Instant::now(), processor_time());
    let mut tasks = JoinSet::new();
    for caller in 0..callers {
        let (store, conversations) = (store.clone(), conversations.clone());
        tasks.spawn(async move {
            for piece in 0..PIECES / callers {
                match work {
                    Work::Append => append(&store, caller, piece).await,
                    Work::Read => read(&store, caller).await,
                    // A conversation of a usual length each.
                    Work::Turn => turn(&conversations, caller * 1000 + piece / 50).await,
                }
            }
        });
    }
    tasks.join_all().await;
    let per_piece = |time: Duration| time.as_secs_f64() * 1e6 / PIECES as f64;
    (
        per_piece(began.elapsed()),
        per_piece(processor_time() - processor),
    )
}

async fn append(store: &SqliteStore, caller: usize, piece: usize) {
    let event = vec![b'x'; EVENT_BYTES];
    let (stream, expected) = (stream(caller), piece as u64);
    let appended = store.append(&stream, expected, vec![event]).await;
    let head = expected + 1;
    assert_eq!(appended.ok(), Some(Appended::At { head }));
}

async fn read(store: &SqliteStore, caller: usize) {
    let page = store.read(&stream(caller), 0, ReadBound::default()).await;
    assert_eq!(page.ok().map(|page| page.head), Some(0));
}

async fn turn(conversations: &Conversations, number: usize) {
    let id = ConversationId::parse(&format!("c{number}")).expect("it is a name");
    let turn = conversations.begin(&id).await.expect("it can be read");
    let at = "2026-11-30T20:58:08+01:00".to_owned();
    let exchange = NewExchange {
        user: "x".repeat(EVENT_BYTES / 5),
        answer: "x".repeat(EVENT_BYTES / 2),
        asked_at: at.clone(),
        answered_at: at,
        run_id: "0123456789ab".to_owned(),
        tool: "chat".to_owned(),
        labels: std::collections::BTreeSet::new(),
    };
    turn.commit(&exchange).await.expect("it can be stored");
}

fn stream(caller: usize) -> StreamName {
    StreamName::parse(&format!("measured/{caller}")).expect("it is a name")
}

/// What this process has used, in the kernel too: Linux counts it in hundredths of a second.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    // After the name in brackets: the 12th and the 13th field.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|it| it.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}
