//! Logs too long to be held in memory: condensed while they are read.

use super::unreadable;
use crate::error::Error;
use crate::intake::Paste;
use crate::intake::condense::read_long;
use crate::pattern::Patterns;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// From this size on a plain text is condensed, in bytes.
const LONG: u64 = 16 << 20;

/// Heads of listings whose lines hold no literal of a signature, but facts.
const LISTINGS: [&str; 12] = [
    "NVIDIA-SMI",
    "NVSMI LOG",
    "Traceback (most recent call last)",
    "PyTorch version:",
    "NVRM: ",
    "CUDA_VISIBLE_DEVICES",
    "Package    ",
    "Name:   ",
    "Module     ",
    "nvidia-cu",
    "Linux version ",
    "PRETTY_NAME",
];

/// A long plain text file.
pub struct LongLog {
    path: PathBuf,
    file: File,
}

/// The file to condense: there is exactly one, it is long, and neither compressed nor UTF-16.
///
/// # Errors
/// [`Error::Unreadable`].
pub fn open(paths: &[PathBuf]) -> Result<Option<LongLog>, Error> {
    let [path] = paths else { return Ok(None) };
    if path == Path::new("-") || path.is_dir() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let length = file.metadata().map_err(|e| unreadable(path, &e))?.len();
    let mut head = [0; 512];
    let got = file.read(&mut head).map_err(|e| unreadable(path, &e))?;
    let head = &head[..got];
    // A character cut at the end of the head is no fault.
    let text = std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true);
    let plain = text && !head.contains(&0);
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    Ok((length > LONG && plain).then(|| LongLog { path: path.clone(), file }))
}

impl LongLog {
    /// Keeps the lines that hold a literal of the set or head a listing, with their surroundings.
    ///
    /// # Errors
    /// Those of [`read_long`].
    pub fn read(self, patterns: &Patterns) -> Result<Paste, Error> {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let listings = crate::pattern::gate::Gate::new(&LISTINGS);
        let gate = patterns.matcher().gate();
        read_long(&name, self.file, &|chunk, see| {
            gate.scan(chunk, |found| see(found.at));
            listings.scan(chunk, |found| see(found.at));
        })
    }
}
