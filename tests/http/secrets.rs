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

/// Size of a page of SQLite; one that goes on with a long value begins with four bytes of its own.
const PAGE: usize = 4096;

/// Short names are looked for as words: `ines` stands in every "lines", also where a page of the
/// database cuts that word in two.
fn holds(bytes: &[u8], text: &str) -> bool {
    let joined = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let cut = |at: usize| at % PAGE == 4 && bytes[at - 4] == 0;
    let whole = |at: usize| !joined(at.checked_sub(1)) && !joined(Some(at + text.len())) && !cut(at);
    memchr::memmem::find_iter(bytes, text.as_bytes()).any(|at| text.len() >= 6 || whole(at))
}

/// The forms in which a secret may lie about: as it is, percent-encoded (what must be, or every
/// byte), and as base64 at each of the three places a text may begin in a group.
fn forms(secret: &str) -> Vec<String> {
    let mut all = vec![secret.to_owned()];
    all.push(percent_encoding::utf8_percent_encode(secret, percent_encoding::NON_ALPHANUMERIC).to_string());
    all.push(secret.bytes().map(|byte| format!("%{byte:02X}")).collect());
    for lead in 0..3usize {
        let mut bytes = vec![b'x'; lead];
        bytes.extend(secret.bytes());
        let text = base64(&bytes);
        // The first and last groups hold bits of the neighbours.
        let core = text.get(lead.div_ceil(2) * 4..text.len().saturating_sub(4)).unwrap_or("");
        if core.len() >= 8 {
            all.push(core.to_owned());
        }
    }
    all
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let value = group.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        out.extend((0..=group.len()).map(|at| char::from(LETTERS[(value >> (18 - 6 * at) & 63) as usize])));
    }
    out
}

/// The form of a secret that some bytes hold, in any case. Base64 is looked for as it is written.
fn leak(bytes: &[u8], lower: &[u8], secret: &str) -> Option<String> {
    let forms = forms(secret);
    let folded = forms.iter().take(3).find(|form| holds(lower, &form.to_lowercase()));
    folded.or_else(|| forms.iter().skip(3).find(|form| holds(bytes, form))).cloned()
}

/// Small letters of ASCII; other letters have no case that a log would fold.
fn lower(bytes: &[u8]) -> Vec<u8> {
    bytes.to_ascii_lowercase()
}

#[test]
fn every_form_of_a_secret_is_known() {
    assert_eq!(base64(b"jbarlow"), "amJhcmxvdw");
    for text in ["x jbarlow/gpu", "JBARLOW%2fgpu", "%6A%62%61%72%6C%6F%77%2F%67%70%75", "eHl6amJhcmxvdy9ncHU=", "eGpiYXJsb3cvZ3B1"] {
        assert!(leak(text.as_bytes(), &lower(text.as_bytes()), "jbarlow/gpu").is_some(), "{text}");
    }
    assert!(leak(b"<user-1>/gpu", b"<user-1>/gpu", "jbarlow/gpu").is_none());
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
        for (place, text) in &shown {
            let small = lower(text.as_bytes());
            for (secret, form) in case.secrets.iter().filter_map(|s| Some((s, leak(text.as_bytes(), &small, s)?))) {
                leaks.push(format!("{}: {secret} as {form} in the report ({place})", case.name));
            }
        }
    }
    let mut kept: Vec<(String, Vec<u8>)> = Vec::new();
    for path in ["/", "/causes", "/privacy", "/search?q=CUDA", "/metrics", "/api/v1/causes", "/api/v1/search?q=CUDA"] {
        kept.push((path.to_owned(), service.get(path, "*/*").await.body.into_bytes()));
    }
    let log = log.0.lock().expect("log").clone();
    assert!(holds(&log, "faultbook"), "the log is empty, so nothing was looked at");
    kept.push(("the log".to_owned(), log));
    kept.extend(service.files().into_iter().map(|path| (path.display().to_string(), std::fs::read(path).expect("file"))));
    for (place, bytes) in &kept {
        let small = lower(bytes);
        for (case, secret) in all.iter().flat_map(|case| case.secrets.iter().map(move |secret| (case, secret))) {
            leaks.extend(leak(bytes, &small, secret).map(|form| format!("{}: {secret} as {form} in {place}", case.name)));
        }
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
}
