//! A server as a process, and what the kernel knows of it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client;

/// A running server that has answered `/health`.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From its start to that answer.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Starts `program`, which names its address on standard error, and waits for its first answer.
    pub(crate) async fn start(
        program: &Path,
        arguments: &[&str],
        environment: &[(&str, PathBuf)],
        folder: &Path,
    ) -> Self {
        let program = program.canonicalize().expect("the program is there");
        let mut command = Command::new(program);
        for (name, value) in environment {
            command.env(name, value);
        }
        let began = Instant::now();
        let mut child = command
            .args(arguments)
            .current_dir(folder)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = child.stderr.take().expect("standard error is piped");
        let mut lines = BufReader::new(errors).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, rest) = line.split_once("http://")?;
                rest.split_whitespace().next()?.parse().ok()
            })
            .expect("it names its address");
        // A log that nobody reads would stop the server.
        thread::spawn(move || lines.for_each(drop));
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let request = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
        stream.write_all(request).await.expect("it reads");
        assert_eq!(client::status(&mut stream).await, Some(200));
        Self {
            child,
            address,
            started_in: began.elapsed(),
        }
    }

    /// The processor time of all its threads so far, in milliseconds (`/proc/PID/task/TID/schedstat`).
    pub(crate) fn processor_ms(&self) -> f64 {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("it runs");
        let spent = |task: fs::DirEntry| -> Option<f64> {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse().ok()
        };
        tasks.flatten().filter_map(spent).sum::<f64>() / 1e6
    }

    /// Its memory, as the kernel counts it.
    pub(crate) fn memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib: f64 = line
                .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
                .unwrap_or_default();
            kib / 1024.0
        };
        format!(
            "{:.1} MiB resident, of them {:.1} its own; at most {:.1}",
            value("VmRSS:"),
            value("RssAnon:"),
            value("VmHWM:")
        )
    }

    /// Ends it.
    pub(crate) fn end(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
