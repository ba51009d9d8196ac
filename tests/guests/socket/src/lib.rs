//! A guest that tries the network by itself and answers as JSON what came of it: `tcp`, `listen`, `udp` and
//! `lookup`, each `ok` or the error.

use std::fmt::Display;
use std::net::{Ipv4Addr, TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};

use forge_sdk::{Requires, Value, json};

/// Where something listens.
#[forge_sdk::input]
struct Target {
    /// A port of 127.0.0.1.
    port: u16,
}

forge_sdk::tool! {
    name: "socket",
    summary: "Tries the network by itself.",
    operations: {
        run(Target) => connect {
            summary: "Tries sockets and names.",
            requires: Requires::none(),
        },
    },
}

fn connect(input: Target) -> Value {
    let target = (Ipv4Addr::LOCALHOST, input.port);
    let send = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.send_to(b"hello", target);
    json!({
        "tcp": told(TcpStream::connect(target)),
        "listen": told(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))),
        "udp": told(send()),
        "lookup": told("localhost:80".to_socket_addrs()),
    })
}

fn told<T>(result: Result<T, impl Display>) -> Value {
    match result {
        Ok(_) => json!("ok"),
        Err(error) => json!(error.to_string()),
    }
}
