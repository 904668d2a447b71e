//! Nothing that a case names as secret is in any file of the database, in the service's log, or
//! in any form of the report.

use super::client::Service;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tracing_subscriber::fmt::MakeWriter;

/// Collects the log of this process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Log;

    fn make_writer(&'w self) -> Log {
        self.clone()
    }
}

struct Case {
    name: String,
    log: Vec<u8>,
    secrets: Vec<String>,
}

/// The cases under `folder` that name secrets.
fn cases(folder: &Path, out: &mut Vec<Case>) {
    let entries = std::fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    for path in folders {
        let Ok(text) = std::fs::read_to_string(path.join("case.toml")) else {
            cases(&path, out);
            continue;
        };
        let case: toml::Table = toml::from_str(&text).expect("case.toml");
        let secrets = case.get("secrets").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let secrets = secrets.iter().filter_map(|s| s.as_str().map(str::to_owned)).collect();
        out.push(Case { name: path.display().to_string(), log: std::fs::read(path.join("input.log")).expect("input.log"), secrets });
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

#[tokio::test]
async fn no_secret_of_a_case_is_kept_or_shown() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).expect("the only log of these tests");
    let service = Service::start(&[]).await;
    let mut all = Vec::new();
    cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/known"), &mut all);
    assert!(all.iter().filter(|case| !case.secrets.is_empty()).count() > 20, "too few cases with secrets");
    let mut leaks = Vec::new();
    for case in &all {
        let answer = service.send("PUT", "/error.log", &[("accept", "*/*")], case.log.clone()).await;
        assert_eq!(answer.status, 201, "{}: {}", case.name, answer.body);
        assert!(answer.body.lines().count() <= 25, "{}", case.name);
        let path = answer.header("location").trim_start_matches("http://faults.test:8088").to_owned();
        let mut shown = vec![("answer", answer.body)];
        for (ending, accept) in [("", "text/html"), (".txt", "*/*"), (".md", "*/*"), (".json", "*/*")] {
            let twin = service.get(&format!("{path}{ending}"), accept).await;
            assert_eq!(twin.status, 200, "{} {ending}", case.name);
            shown.push((ending, twin.body));
        }
        for (place, secret) in shown.iter().flat_map(|(place, text)| case.secrets.iter().filter(|s| text.contains(s.as_str())).map(move |s| (place, s))) {
            leaks.push(format!("{}: {secret} in the report ({place})", case.name));
        }
    }
    let log = log.0.lock().expect("log").clone();
    assert!(holds(&log, "faultbook"), "the log is empty, so nothing was looked at");
    let files: Vec<(PathBuf, Vec<u8>)> = service.files().into_iter().map(|path| (path.clone(), std::fs::read(path).expect("file"))).collect();
    for (case, secret) in all.iter().flat_map(|case| case.secrets.iter().map(move |secret| (case, secret))) {
        leaks.extend(files.iter().filter(|(_, bytes)| holds(bytes, secret)).map(|(path, _)| format!("{}: {secret} in {}", case.name, path.display())));
        leaks.extend(holds(&log, secret).then(|| format!("{}: {secret} in the log", case.name)));
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
}
