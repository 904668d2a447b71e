//! `run -- COMMAND`: runs it, passes its output through, and explains it when it fails; `doctor`.

use super::{Common, complain, print};
use crate::error::Error;
use crate::intake::{self, Limits, Part};
use crate::pattern::Patterns;
use crate::render::{self, Extras};
use clap::Args;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// Bytes of output that are kept for the analysis: the start, and the end.
const KEPT_START: usize = 4 << 20;
const KEPT_END: usize = 12 << 20;

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    common: Common,
    /// The command with its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl RunArgs {
    /// Keeps the child's exit status, whatever the analysis says.
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let output = Arc::new(Mutex::new(Tail::default()));
        let mut child = self.spawn()?;
        let copies = copies(&mut child, &output);
        let status = child.wait().map_err(|e| self.unreadable(&e))?;
        for copy in copies {
            // A copier ends with its stream; if it failed, what it had read is still kept.
            let _ = copy.join();
        }
        if !status.success() {
            let kept = output.lock().map(|tail| tail.bytes()).unwrap_or_default();
            if let Err(error) = explain(&self.common, &patterns, kept, &status) {
                complain(&error, self.common.lang());
            }
        }
        Ok(code(&status))
    }

    fn spawn(&self) -> Result<Child, Error> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(Error::BadSetting { name: "COMMAND".to_owned(), reason: "no command is given".to_owned() });
        };
        let child = Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        child.map_err(|e| self.unreadable(&e))
    }

    fn unreadable(&self, error: &std::io::Error) -> Error {
        Error::Unreadable { path: self.command.first().cloned().unwrap_or_default(), reason: error.kind().to_string() }
    }
}

/// The first and the last bytes of what a command printed, both streams as they came.
#[derive(Default)]
struct Tail {
    start: Vec<u8>,
    end: std::collections::VecDeque<u8>,
}

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        let room = KEPT_START.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..room]);
        self.end.extend(&bytes[room..]);
        let over = self.end.len().saturating_sub(KEPT_END);
        self.end.drain(..over);
    }

    fn bytes(&self) -> Vec<u8> {
        self.start.iter().chain(&self.end).copied().collect()
    }
}

fn copies(child: &mut Child, kept: &Arc<Mutex<Tail>>) -> Vec<thread::JoinHandle<()>> {
    let mut copies = Vec::new();
    if let Some(out) = child.stdout.take() {
        let kept = kept.clone();
        copies.push(thread::spawn(move || copy(out, std::io::stdout(), &kept)));
    }
    if let Some(err) = child.stderr.take() {
        let kept = kept.clone();
        copies.push(thread::spawn(move || copy(err, std::io::stderr(), &kept)));
    }
    copies
}

/// Passes a stream on as it comes, progress bars included, and keeps a copy.
fn copy(mut from: impl Read, mut to: impl Write, kept: &Mutex<Tail>) {
    let mut chunk = [0; 16 << 10];
    while let Ok(got @ 1..) = from.read(&mut chunk) {
        // Where nobody reads any more the command still runs to its end.
        let _ = to.write_all(&chunk[..got]).and_then(|()| to.flush());
        if let Ok(mut tail) = kept.lock() {
            tail.add(&chunk[..got]);
        }
    }
}

fn explain(common: &Common, patterns: &Patterns, mut bytes: Vec<u8>, status: &ExitStatus) -> Result<(), Error> {
    // The status is evidence: a killed process leaves no traceback.
    bytes.extend_from_slice(format!("\nProcess finished with {status}\n").as_bytes());
    let paste = intake::read(vec![Part { name: String::new(), bytes }], &Limits { max_decoded: u64::MAX })?;
    let lang = common.lang();
    let analysis = crate::analyze(&paste, patterns).diagnosis.view(patterns, lang, &str::to_owned);
    let lines: Vec<String> = paste.lines.iter().map(|line| line.text.clone()).collect();
    let text = format!("\n── faultbook ──\n{}", render::text::short(&analysis, &lines, lang, &Extras::default()));
    // Standard error: the output of the command stays what it is.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    Ok(())
}

/// The child's status; a signal is 128 and its number, as shells say it.
fn code(status: &ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
        return ExitCode::from(128u8.saturating_add(signal as u8));
    }
    ExitCode::from(status.code().unwrap_or(1) as u8)
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    common: Common,
}

impl DoctorArgs {
    /// Collects what this machine says of itself, read-only, and analyses it. 0: nothing wrong.
    pub fn run(self) -> Result<ExitCode, Error> {
        let patterns = self.common.patterns()?;
        let lang = self.common.lang();
        let script = include_str!("../../static/collect.sh");
        let output = Command::new("sh").args(["-c", script]).output();
        let bytes = output.map_err(|e| Error::Unreadable { path: "sh".to_owned(), reason: e.kind().to_string() })?.stdout;
        let paste = intake::read(vec![Part { name: String::new(), bytes }], &Limits::default())?;
        let analysis = crate::analyze(&paste, &patterns).diagnosis.view(&patterns, lang, &str::to_owned);
        let lines: Vec<String> = paste.lines.iter().map(|line| line.text.clone()).collect();
        print(&render::full::full(&analysis, &lines, lang, &Extras::default(), false))?;
        Ok(ExitCode::from(u8::from(!analysis.findings.is_empty())))
    }
}
