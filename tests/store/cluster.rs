//! A PostgreSQL cluster in a folder of its own, from Debian's package.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A server that ends, and whose files go, with this value or with the test's process.
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    /// Ends the server when its standard input closes, which also happens when the test dies.
    guard: std::sync::Mutex<Option<Child>>,
}

impl Cluster {
    /// Makes and starts a cluster.
    pub fn start() -> Cluster {
        let programs = programs();
        let folder = tempfile::Builder::new().prefix("faultbook-pg-").tempdir().expect("folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("folder");
        if is_root() {
            let owned = Command::new("chown").arg("-R").arg("postgres:").arg(folder.path()).status().expect("chown");
            assert!(owned.success(), "the user postgres is missing; it comes with the package postgresql");
        }
        let made = as_user(&programs.join("initdb"))
            .args(["--username=faultbook", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--pgdata"])
            .arg(&data)
            .output()
            .expect("initdb");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("port").port();
        let cluster = Cluster { folder, programs, port, guard: std::sync::Mutex::new(None) };
        cluster.up();
        cluster
    }

    /// Starts the server and waits until it answers.
    pub fn up(&self) {
        let data = self.data();
        let serve = format!(
            "{postgres} -D {data} -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c wal_recycle=off \
             >>{data}/log 2>&1 & server=$!; read -r line; kill -INT $server 2>/dev/null; wait $server",
            postgres = self.programs.join("postgres").display(),
            data = data.display(),
            port = self.port,
        );
        let child = as_user(Path::new("sh")).args(["-c", &serve]).stdin(Stdio::piped()).spawn().expect("shell");
        *self.guard.lock().expect("guard") = Some(child);
        let until = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            assert!(Instant::now() < until, "PostgreSQL does not start: {}", std::fs::read_to_string(data.join("log")).unwrap_or_default());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Kills the server as a crash would.
    pub fn crash(&self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).expect("pid file");
        let pid = pid.lines().next().expect("pid").to_owned();
        assert!(Command::new("kill").args(["-9", &pid]).status().expect("kill").success());
        self.down();
        // Its children notice on their own; only then can another server start.
        let until = Instant::now() + Duration::from_secs(20);
        while self.answers() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the server in order.
    pub fn down(&self) {
        if let Some(mut child) = self.guard.lock().expect("guard").take() {
            drop(child.stdin.take());
            child.wait().expect("ends");
        }
    }

    /// The address of a database; a new one where `make`.
    pub fn database(&self, name: &str, make: bool) -> String {
        if make {
            self.query("postgres", &format!("create database {name}"));
        }
        format!("postgres://faultbook@127.0.0.1:{}/{name}", self.port)
    }

    /// Runs statements; gives what psql prints, without headings.
    pub fn query(&self, database: &str, sql: &str) -> String {
        let out = self.psql(database).args(["-c", sql]).output().expect("psql");
        assert!(out.status.success(), "{sql}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }

    /// A program of PostgreSQL, told how to reach the server.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-h", "127.0.0.1", "-U", "faultbook", "-p", &self.port.to_string()]);
        command
    }

    /// The folder with the server's files.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// As in `PostgreSQL 15.18`.
    pub fn version(&self) -> String {
        format!("PostgreSQL {}", self.query("postgres", "show server_version"))
    }

    fn psql(&self, database: &str) -> Command {
        let mut command = self.program("psql");
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", database]);
        command
    }

    fn answers(&self) -> bool {
        self.psql("postgres").args(["-c", "select 1"]).output().is_ok_and(|out| out.status.success())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.down();
    }
}

pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// PostgreSQL refuses to run as root.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program).current_dir("/");
    command
}

/// The folder with `initdb`, of the newest version installed.
fn programs() -> PathBuf {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten() {
        let folder = entry.path().join("bin");
        if let Ok(version) = entry.file_name().to_string_lossy().parse()
            && folder.join("initdb").exists()
        {
            found.push((version, folder));
        }
    }
    found.sort();
    found.pop().expect("PostgreSQL is missing: install the package postgresql, or run tests/run").1
}
