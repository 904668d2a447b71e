//! An empty database of either kind for one test, and reports to put into it.

use super::cluster::Cluster;
use faultbook::anonymize::{Rules, anonymize};
use faultbook::i18n::Lang;
use faultbook::intake::{self, Limits, Part};
use faultbook::pattern::Patterns;
use faultbook::report::Report;
use faultbook::store::{Receipt, Store};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

/// Compiled once for all tests.
pub static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::builtin().expect("patterns"));

/// A log with a known fault.
pub const MISMATCH: &str =
    "root@gpu-7:~# nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.120\n";

/// A time, in seconds since 1970.
pub const NOW: i64 = 1_800_000_000;
pub const HOUR: i64 = 3_600;

static DATABASES: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        }
    }

    pub fn other(self) -> Kind {
        match self {
            Kind::Sqlite => Kind::Postgres,
            Kind::Postgres => Kind::Sqlite,
        }
    }
}

/// A database that does not exist yet, or is empty.
pub struct Shelf {
    pub kind: Kind,
    pub url: String,
    pub name: String,
    pub cluster: Arc<Cluster>,
    folder: TempDir,
}

impl Shelf {
    pub fn new(kind: Kind, cluster: Arc<Cluster>) -> Shelf {
        let folder = tempfile::tempdir().expect("folder");
        let name = format!("faultbook_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let url = match kind {
            Kind::Sqlite => format!("sqlite://{}", folder.path().join("test.db").display()),
            Kind::Postgres => cluster.database(&name, true),
        };
        Shelf { kind, url, name, cluster, folder }
    }

    /// An empty database of the other kind.
    pub fn other(&self) -> Shelf {
        Shelf::new(self.kind.other(), self.cluster.clone())
    }

    pub async fn open(&self) -> Store {
        Store::open(&self.url).await.expect("store")
    }

    /// Statements as an administrator would give them; PostgreSQL's answer as psql prints it.
    pub fn sql(&self, statements: &str) -> String {
        match self.kind {
            Kind::Postgres => self.cluster.query(&self.name, statements),
            // In a thread of its own, since the caller may be inside a runtime.
            Kind::Sqlite => std::thread::scope(|scope| {
                let work = async {
                    use sqlx::{Connection, Executor};
                    let mut connection = sqlx::SqliteConnection::connect(&self.url).await.expect("connects");
                    connection.execute(sqlx::AssertSqlSafe(statements.to_owned())).await.expect(statements);
                };
                scope.spawn(|| run(work)).join().expect("joins");
                String::new()
            }),
        }
    }

    /// The folder that holds this database's files.
    pub fn files(&self) -> PathBuf {
        match self.kind {
            Kind::Sqlite => self.folder.path().to_owned(),
            Kind::Postgres => self.cluster.data(),
        }
    }

    /// The files, somewhere under [`Shelf::files`], that hold `text`.
    pub fn holding(&self, text: &[u8]) -> Vec<String> {
        let (mut out, mut folders) = (Vec::new(), vec![self.files()]);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if holds(&path, text) {
                    out.push(path.display().to_string());
                }
            }
        }
        out
    }
}

fn holds(path: &Path, text: &[u8]) -> bool {
    std::fs::read(path).is_ok_and(|bytes| memchr::memmem::find(&bytes, text).is_some())
}

/// Waits for the end of a future.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runtime").block_on(work)
}

/// The report of a log.
pub fn report(log: &str) -> Report {
    let part = Part { name: "error.log".to_owned(), bytes: log.as_bytes().to_vec() };
    let paste = intake::read(vec![part], &Limits { max_decoded: 64 << 20 }).expect("reads");
    let analyzed = faultbook::analyze(&paste, &PATTERNS);
    let rules = Rules { hide: Vec::new(), hide_regex: Vec::new() };
    Report::new(&anonymize(&paste, &analyzed.log, &rules), &analyzed.diagnosis, &PATTERNS)
}

/// Saves a log at a time, to be kept for an hour.
pub async fn save(store: &Store, log: &str, at: i64) -> Receipt {
    store.save(&report(log), PATTERNS.register(), at, Some(Duration::from_secs(HOUR as u64))).await.expect("saved")
}

/// Asserts that a stored report is what was made of its log.
pub async fn assert_whole(store: &Store, id: &str, log: &str, now: i64) {
    let (stored, made) = (store.load(id, now).await.expect("loads"), report(log));
    assert_eq!(stored.lines, made.lines());
    assert_eq!(&stored.anonymized, made.anonymized());
    for lang in [Lang::En, Lang::Zh] {
        let json = |analysis| serde_json::to_value(analysis).expect("JSON");
        assert_eq!(json(stored.analysis(lang)), json(made.analysis(lang)));
    }
    assert_eq!(stored.fingerprint, made.analysis(Lang::En).fingerprint);
}
