//! Faults in pattern files, shown with file, line, a caret and the remedy.

use std::fmt;
use std::ops::Range;

/// One pattern file as text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path below the pattern folder: `driver/nouveau-conflict.toml`.
    pub path: String,
    pub text: String,
}

/// One fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
    /// Width of the caret in characters.
    pub width: usize,
    pub what: String,
    pub remedy: String,
    /// The line of the file.
    pub shown: String,
}

impl Fault {
    /// A fault at a byte range of a file.
    pub fn at(file: &SourceFile, span: Range<usize>, what: impl Into<String>, remedy: impl Into<String>) -> Fault {
        let start = floor(&file.text, span.start);
        let before = &file.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let shown = file.text[line_start..].lines().next().unwrap_or("").to_owned();
        let column = file.text[line_start..start].chars().count() + 1;
        let end = floor(&file.text, span.end.max(start)).min(line_start + shown.len()).max(start);
        Fault {
            path: file.path.clone(),
            line: before.matches('\n').count() + 1,
            column,
            width: file.text[start..end].chars().count().max(1),
            what: what.into(),
            remedy: remedy.into(),
            shown,
        }
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.line.to_string().len();
        writeln!(f, "error: {}", self.what)?;
        writeln!(f, "{:gutter$}--> {}:{}:{}", "", self.path, self.line, self.column)?;
        writeln!(f, "{:gutter$} |", "")?;
        writeln!(f, "{} | {}", self.line, self.shown)?;
        writeln!(f, "{:gutter$} | {:pad$}{}", "", "", "^".repeat(self.width), pad = self.column - 1)?;
        write!(f, "{:gutter$} = help: {}", "", self.remedy)
    }
}
