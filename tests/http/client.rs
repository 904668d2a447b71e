//! A service over a database in a folder of its own, and requests to it.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use faultbook::config::{Config, Flags};
use faultbook::pattern::Patterns;
use faultbook::store::Store;
use faultbook::web::{App, router};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;
use tower::ServiceExt;

/// Compiled once for all tests.
static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::builtin().expect("patterns"));

/// A log with a known fault.
pub const LOG: &str =
    "root@gpu-7:~# nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.120\n";

/// A running service.
pub struct Service {
    pub app: Arc<App>,
    router: Router,
    folder: TempDir,
}

/// An answer, read to its end.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("no JSON ({e}): {}", self.body))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or("")
    }
}

impl Service {
    pub async fn start(settings: &[(&str, &str)]) -> Service {
        let folder = tempfile::tempdir().expect("folder");
        Service::in_folder(folder, settings).await
    }

    pub async fn in_folder(folder: TempDir, settings: &[(&str, &str)]) -> Service {
        let mut flags: Flags = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        flags.insert("database-url".to_owned(), format!("sqlite://{}", folder.path().join("test.db").display()));
        let config = Config::from_sources(&flags, &|_| None, &Flags::new()).expect("settings");
        let store = Store::open(&config.database_url).await.expect("store");
        let app = App::new(config, store, PATTERNS.clone());
        Service { router: router(app.clone()).expect("router"), app, folder }
    }

    /// Ends the service and starts it again over the same files.
    pub async fn restart(self) -> Service {
        self.app.store.close().await;
        Service::in_folder(self.folder, &[]).await
    }

    /// Every file of the database.
    pub fn files(&self) -> Vec<PathBuf> {
        files(self.folder.path())
    }

    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("host", "faults.test:8088");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(body.into()).expect("request")).await.expect("answer");
        let (head, body) = response.into_parts();
        let bytes = to_bytes(body, 64 << 20).await.expect("body");
        Answer { status: head.status, headers: head.headers, body: String::from_utf8_lossy(&bytes).into_owned() }
    }

    pub async fn get(&self, path: &str, accept: &str) -> Answer {
        self.send("GET", path, &[("accept", accept)], Body::empty()).await
    }

    /// Stores a log; gives the API's answer.
    pub async fn store(&self, log: &str) -> serde_json::Value {
        let answer = self.send("POST", "/api/v1/reports", &[], log.to_owned()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()
    }

    /// How many reports are stored.
    pub async fn reports(&self, fingerprint: &str) -> i64 {
        self.app.store.seen_fingerprint(fingerprint).await.expect("count").count
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()).collect()
}

/// A multipart body of (field, file name, content).
pub fn multipart(parts: &[(&str, &str, &str)]) -> (String, String) {
    let boundary = "faultbook-test-boundary";
    let mut body = String::new();
    for (name, file, content) in parts {
        let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"\r\nContent-Type: text/plain") };
        body.push_str(&format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"));
    }
    body.push_str(&format!("--{boundary}--\r\n"));
    (format!("multipart/form-data; boundary={boundary}"), body)
}
