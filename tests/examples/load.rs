//! Measures `forge serve` as a client sees it: `cargo run --release --example load -- target/release/forge`.
//!
//! A stand-in for llama-server runs as a process of its own and streams whatever the message asks for, so that what
//! is measured is Forge: its processor time, the latency, its memory and its start. The first row asks the stand-in
//! itself by the same client: that much is the client and the machine.

#[path = "load/client.rs"]
mod client;
#[path = "load/process.rs"]
mod process;
#[path = "load/stub.rs"]
mod stub;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use client::{Latencies, Request};
use process::Server;

/// How often Forge is started.
const STARTS: usize = 20;
const CONNECTIONS: [usize; 2] = [1, 8];

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [stub] if stub == "stub" => stub::run().await,
        [forge] => measure(Path::new(forge)).await,
        _ => {
            println!("usage: cargo run --release --example load -- FORGE");
            ExitCode::FAILURE
        }
    }
}

/// One kind of request.
struct Scenario {
    name: &'static str,
    request: fn(connection: usize) -> Request,
    /// Requests over all connections.
    count: usize,
}

const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "health",
        request: |_| Request::get("/health"),
        count: 4000,
    },
    Scenario {
        name: "tools",
        request: |_| Request::get("/tools"),
        count: 4000,
    },
    Scenario {
        name: "chat",
        request: |connection| {
            let answer = "Well, thank you. I can list, read and search the files here, write source code, or talk.";
            chat(connection, &json!({"tool": "chat", "content": answer}))
        },
        count: 2000,
    },
    Scenario {
        name: "files1k",
        request: |connection| chat(connection, &read("f1k.txt")),
        count: 1000,
    },
    Scenario {
        name: "files60k",
        request: |connection| chat(connection, &read("f60k.txt")),
        count: 500,
    },
];

fn read(path: &str) -> Value {
    json!({"tool": "files", "content": {"action": "read", "path": path}})
}

/// A turn whose model answers `decision`.
fn chat(connection: usize, decision: &Value) -> Request {
    let message = format!("How are you? {}{decision}{}", stub::BEGIN, stub::END);
    let body = json!({"message": message, "conversation": format!("c{connection}")});
    Request::post("/chat", &body)
}

#[expect(clippy::print_stdout, reason = "the table is what it is for")]
async fn measure(forge: &Path) -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).expect("a folder");
    std::fs::write(workspace.join("f1k.txt"), text(1024)).expect("a file");
    std::fs::write(workspace.join("f60k.txt"), text(60 * 1024)).expect("a file");
    let this = std::env::current_exe().expect("this program has a path");
    let model = Server::start(&this, &["stub"], &[], &workspace).await;
    let environment = environment(folder.path(), model.address);
    let start = async || {
        Server::start(
            forge,
            &["serve", "--listen", "127.0.0.1:0"],
            &environment,
            &workspace,
        )
        .await
    };

    // The first start compiles the tools.
    start().await.end();
    let mut starts = Latencies::default();
    for _ in 0..STARTS {
        let server = start().await;
        starts.add(server.started_in);
        server.end();
    }
    println!(
        "start to the first answer of `/health`, {STARTS} starts: {}",
        starts.shown()
    );

    let server = start().await;
    println!("memory when idle: {}\n", server.memory());
    println!(
        "| request | connections | p50, ms | p99, ms | requests/s | processor time, ms | failed |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for connections in CONNECTIONS {
        let control = Scenario {
            name: "the stand-in's `/props`",
            request: |_| Request::get("/props"),
            count: 4000,
        };
        println!("{}", row(&control, connections, &model).await);
        for scenario in &SCENARIOS {
            println!("{}", row(scenario, connections, &server).await);
        }
    }
    println!("\nmemory afterwards: {}", server.memory());
    server.end();
    model.end();
    ExitCode::SUCCESS
}

async fn row(scenario: &Scenario, connections: usize, server: &Server) -> String {
    // Connections, caches and conversations as they are in use.
    client::load(
        server.address,
        scenario.request,
        connections,
        connections * 10,
    )
    .await;
    let before = server.processor_ms();
    let load = client::load(
        server.address,
        scenario.request,
        connections,
        scenario.count,
    )
    .await;
    let spent = (server.processor_ms() - before) / load.count as f64;
    format!(
        "| {} | {connections} | {:.2} | {:.2} | {:.0} | {spent:.3} | {} |",
        scenario.name,
        load.latencies.at(0.5),
        load.latencies.at(0.99),
        load.count as f64 / load.seconds,
        load.failed
    )
}

fn environment(folder: &Path, model: SocketAddr) -> Vec<(&'static str, PathBuf)> {
    vec![
        ("FORGE_DATA_DIR", folder.join("data")),
        ("FORGE_CACHE_DIR", folder.join("cache")),
        ("HOME", folder.join("home")),
        ("LLAMA_CPP_URL", PathBuf::from(format!("http://{model}"))),
    ]
}

/// Lines of numbers, `bytes` in all.
fn text(bytes: usize) -> String {
    let mut text: String = (0..bytes / 4).map(|number| format!("{number}\n")).collect();
    text.truncate(bytes);
    text
}
