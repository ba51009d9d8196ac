//! A server that is killed while turns are stored: every turn whose answer said so is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use forge_tests::place::Place;
use serde_json::{Value, json};

use super::client::answer;

const KILLS: usize = 100;
/// Each in a conversation and on a connection of its own.
const TALKERS: usize = 8;
/// The longest time from the first turns to the kill.
const LONGEST_MS: u64 = 40;

#[test]
fn a_turn_that_was_said_to_be_stored_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("workspace")).unwrap();
    let line = json!({"completion": answer("Good day.")}).to_string();
    std::fs::write(
        folder.path().join("script"),
        format!("{line}\n").repeat(4000),
    )
    .unwrap();
    let mut stored = [const { Vec::new() }; TALKERS];
    let mut chance: u64 = 0x2545_F491_4F6C_DD1D;
    for round in 0..KILLS {
        let mut server = Server::start(folder.path());
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let patience = Duration::from_millis(chance % LONGEST_MS);
        std::thread::scope(|scope| {
            for (number, stored) in stored.iter_mut().enumerate() {
                let address = server.address.clone();
                scope.spawn(move || talk(&address, &format!("c{number}"), round, stored));
            }
            std::thread::sleep(patience);
            server.kill();
        });
    }
    let mut server = Server::start(folder.path());
    let mut count = 0;
    for (number, stored) in stored.iter().enumerate() {
        let messages = history(&server.address, &format!("c{number}"));
        let ids = messages
            .iter()
            .map(|message| message["id"].as_u64().unwrap());
        assert!(ids.eq(1..=messages.len() as u64), "c{number}: {messages:?}");
        let said: Vec<&Value> = messages
            .iter()
            .filter(|message| message["role"] == "user")
            .map(|message| &message["content"])
            .collect();
        for (id, text) in stored {
            let index = usize::try_from(*id).unwrap() / 2;
            assert_eq!(
                said.get(index),
                Some(&&Value::from(text.as_str())),
                "c{number}: {id}"
            );
        }
        // What was stored and not yet answered is at most one turn of each life.
        assert!(said.len() <= stored.len() + KILLS);
        count += stored.len();
    }
    server.kill();
    assert!(count > KILLS, "hardly anything was said: {count} turns");
}

/// Talks until the server is gone, and notes what it said to be stored: the id of the user's message, and its text.
fn talk(address: &str, conversation: &str, round: usize, stored: &mut Vec<(u64, String)>) {
    let Some(mut connection) = Connection::open(address) else {
        return;
    };
    for number in 0.. {
        let text = format!("{round}/{number}");
        let body = json!({"message": text, "conversation": conversation}).to_string();
        let request = format!(
            "POST /chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let Some(answer) = connection.ask(&request) else {
            return;
        };
        assert_eq!(answer["stored"], true, "{answer}");
        stored.push((answer["user_id"].as_u64().unwrap(), text));
    }
}

/// All messages of a conversation, page by page.
fn history(address: &str, conversation: &str) -> Vec<Value> {
    let mut connection = Connection::open(address).unwrap();
    let mut all: Vec<Value> = Vec::new();
    loop {
        let after = all.len();
        let request = format!(
            "GET /history?conversation={conversation}&after={after}&limit=1000 HTTP/1.1\r\nhost: localhost\r\n\r\n"
        );
        let mut page = connection.ask(&request).unwrap();
        match page.as_array_mut() {
            Some(messages) if !messages.is_empty() => all.append(messages),
            _ => return all,
        }
    }
}

/// `forge serve` as a process.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new(Place::Binary.path())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder.join("workspace"))
            .env_clear()
            .env("FORGE_PROVIDER", "scripted")
            .env("FORGE_SCRIPT", folder.join("script"))
            .env("FORGE_DATA_DIR", folder.join("data"))
            .env("FORGE_CACHE_DIR", folder.join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .find_map(|line| {
                let line = line.unwrap();
                let (_, rest) = line.split_once("http://")?;
                rest.split_whitespace().next().map(str::to_owned)
            })
            .expect("it names its address");
        // A log that nobody reads would stop the server.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: &str) -> Option<Self> {
        TcpStream::connect(address)
            .ok()
            .map(BufReader::new)
            .map(Self)
    }

    /// The answer to `request`, if it comes whole.
    fn ask(&mut self, request: &str) -> Option<Value> {
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some(serde_json::from_slice(&body).unwrap())
    }
}
