//! The program itself, serving over a database.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server; it ends with this value.
pub struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts `shell`, a script in which `"$@"` is the program with its arguments.
    pub fn start(shell: &str, url: &str) -> Server {
        let program = env!("CARGO_BIN_EXE_faultbook");
        let mut child = Command::new("sh")
            .args(["-c", shell, "sh", program, "serve", "--listen", "127.0.0.1:0", "--database-url", url])
            .env("RUST_LOG", "info")
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut log = BufReader::new(child.stderr.take().expect("log"));
        let mut seen = String::new();
        let port = loop {
            let from = seen.len();
            assert!(log.read_line(&mut seen).expect("log") > 0, "the server ended: {seen}");
            if let Some((_, rest)) = seen[from..].split_once("serves at http://127.0.0.1:") {
                break rest.split('/').next().and_then(|port| port.parse().ok()).expect("port");
            }
        };
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Server { child, port }
    }

    /// Status and body of an answer.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("limit");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: faults.test\r\nAccept: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("head");
        (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("status"), body.to_owned())
    }

    pub fn post(&self, log: &str) -> (u16, String) {
        self.ask("POST", "/api/v1/reports", log)
    }

    /// Waits until `/readyz` says so or the time is over.
    pub fn wait_ready(&self, wanted: bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while (self.ask("GET", "/readyz", "").0 == 200) != wanted {
            assert!(Instant::now() < until, "ready does not become {wanted}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
