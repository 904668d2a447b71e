//! A store that fails says so with a code and a remedy, is not ready, and recovers by itself.

use super::Test;
use super::cluster::{Cluster, is_root};
use super::server::Server;
use super::shelf::{Kind, MISMATCH, Shelf};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

pub const TESTS: &[Test] = &[
    ("a_store_that_went_away_comes_back", a_store_that_went_away_comes_back),
    ("a_read_only_store_is_not_ready", a_read_only_store_is_not_ready),
    ("a_full_disk_is_survived", a_full_disk_is_survived),
];

/// A paste is refused with code and remedy, the form and the analysis still work.
fn assert_refuses(server: &Server) {
    let (status, body) = server.post(MISMATCH);
    assert_eq!(status, 503, "{body}");
    let error: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(error["error"]["code"], "store-unavailable");
    assert!(error["error"]["remedy"].as_str().is_some_and(|r| r.contains("/api/v1/analyze")), "{body}");
    let (status, body) = server.ask("GET", "/readyz", "");
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("store-unavailable"));
    assert_eq!(server.ask("GET", "/healthz", "").0, 200);
    assert_eq!(server.ask("GET", "/", "").0, 200);
    assert_eq!(server.ask("POST", "/api/v1/analyze", MISMATCH).0, 200);
}

/// A paste is stored and can be read.
fn assert_takes(server: &Server) -> String {
    let (status, body) = server.post(MISMATCH);
    assert_eq!(status, 201, "{body}");
    let id = serde_json::from_str::<serde_json::Value>(&body).expect("JSON")["id"].as_str().expect("id").to_owned();
    assert_kept(server, &id);
    id
}

fn assert_kept(server: &Server, id: &str) {
    let (status, body) = server.ask("GET", &format!("/api/v1/reports/{id}"), "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("driver-library-mismatch"));
}

/// PostgreSQL is killed and started again; SQLite's lock is held by somebody else and given back.
fn a_store_that_went_away_comes_back(shelf: &Shelf) {
    match shelf.kind {
        Kind::Postgres => {
            let cluster = Cluster::start();
            let server = Server::start("exec \"$@\"", &cluster.database("gone", true));
            let id = assert_takes(&server);
            cluster.crash();
            assert_refuses(&server);
            cluster.up();
            server.wait_ready(true);
            assert_kept(&server, &id);
            assert_takes(&server);
        }
        Kind::Sqlite => {
            let server = Server::start("exec \"$@\"", &shelf.url);
            let id = assert_takes(&server);
            super::shelf::run(async {
                use sqlx::{Connection, Executor};
                let mut other = sqlx::SqliteConnection::connect(&shelf.url).await.expect("connects");
                other.execute("begin immediate").await.expect("locks");
                assert_refuses(&server);
                other.execute("rollback").await.expect("ends");
            });
            server.wait_ready(true);
            assert_kept(&server, &id);
            assert_takes(&server);
        }
    }
}

fn a_read_only_store_is_not_ready(shelf: &Shelf) {
    match shelf.kind {
        Kind::Postgres => {
            let server = Server::start("exec \"$@\"", &shelf.url);
            let id = assert_takes(&server);
            let set = |value: &str| {
                shelf.cluster.query("postgres", &format!("alter database {} set default_transaction_read_only = {value}", shelf.name));
                shelf
                    .cluster
                    .query("postgres", &format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{}'", shelf.name));
            };
            set("on");
            server.wait_ready(false);
            assert_refuses(&server);
            assert_kept(&server, &id);
            set("off");
            server.wait_ready(true);
            assert_takes(&server);
        }
        Kind::Sqlite => {
            let server = Server::start("exec \"$@\"", &shelf.url);
            let id = assert_takes(&server);
            drop(server);
            let file = shelf.files().join("test.db");
            let writable = |on: bool| {
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(if on { 0o644 } else { 0o444 })).expect("permissions")
            };
            writable(false);
            // Root may write any file unless it gives that right up.
            let shell = if is_root() { "exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override \"$@\"" } else { "exec \"$@\"" };
            let server = Server::start(shell, &shelf.url);
            assert_refuses(&server);
            assert_kept(&server, &id);
            writable(true);
            server.wait_ready(true);
            assert_takes(&server);
        }
    }
}

/// A paste that needs some hundred kilobytes.
fn large() -> String {
    (0..6_000).map(|n| format!("line {n} of a log that is long, {:x}\n", n * 7_919)).collect()
}

fn a_full_disk_is_survived(shelf: &Shelf) {
    let disk = SmallDisk::mount();
    let url = match shelf.kind {
        Kind::Sqlite => format!("sqlite://{}", disk.path().join("test.db").display()),
        Kind::Postgres => {
            let space = disk.path().join("space");
            std::fs::create_dir(&space).expect("folder");
            if is_root() {
                assert!(Command::new("chown").arg("postgres:").arg(&space).status().expect("chown").success());
            }
            shelf.cluster.query("postgres", &format!("create tablespace {}_small location '{}'", shelf.name, space.display()));
            shelf.cluster.query("postgres", &format!("create database {0}_full tablespace {0}_small", shelf.name));
            shelf.cluster.database(&format!("{}_full", shelf.name), false)
        }
    };
    let server = Server::start("exec \"$@\"", &url);
    let id = assert_takes(&server);
    let filler = disk.path().join("filler");
    let mut file = std::fs::File::create(&filler).expect("filler");
    while file.write_all(&[0; 4_096]).is_ok() {}
    // Free pages of the database take some pastes yet.
    let mut kept = vec![id];
    let refused = (0..200).any(|_| match server.post(&large()) {
        (201, body) => {
            kept.push(serde_json::from_str::<serde_json::Value>(&body).expect("JSON")["id"].as_str().expect("id").to_owned());
            false
        }
        (status, body) => {
            assert_eq!(status, 503, "{body}");
            true
        }
    });
    assert!(refused, "the disk never became full");
    assert_eq!(server.ask("GET", "/readyz", "").0, 503);
    drop(file);
    std::fs::remove_file(&filler).expect("freed");
    let (status, body) = server.post(&large());
    assert_eq!(status, 201, "{body}");
    server.wait_ready(true);
    kept.push(assert_takes(&server));
    for id in kept {
        assert_eq!(server.ask("GET", &format!("/api/v1/reports/{id}"), "").0, 200, "what was acknowledged is there");
    }
    drop(server);
    if shelf.kind == Kind::Postgres {
        shelf.cluster.query("postgres", &format!("drop database {}_full with (force)", shelf.name));
        shelf.cluster.query("postgres", &format!("drop tablespace {}_small", shelf.name));
    }
}

/// A file system of some megabytes, gone with this value.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> SmallDisk {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let mounted =
            administrator("mount").args(["-t", "tmpfs", "-o", "size=24m,mode=777", "tmpfs"]).arg(folder.path()).status().expect("mount");
        assert!(mounted.success(), "this test needs a small file system: run it as root, or let sudo mount one");
        SmallDisk(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = administrator("umount").arg("-l").arg(self.path()).status();
    }
}

fn administrator(program: &str) -> Command {
    if is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.args(["-n", program]);
    command
}
