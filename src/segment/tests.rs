use super::*;
use crate::intake::{Limits, Part, read};

fn log(text: &str) -> (Paste, Log) {
    let paste = read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).unwrap();
    let log = split(&paste);
    check(&paste, &log);
    (paste, log)
}

/// What must hold for every paste: segments cover the lines in order, and the map of a record
/// leads from its text back to its lines.
fn check(paste: &Paste, log: &Log) {
    let mut next = 0;
    for segment in &log.segments {
        assert_eq!(segment.lines.start, next);
        assert!(segment.lines.end > next && (segment.scope as usize) < log.scopes.len());
        next = segment.lines.end;
    }
    assert_eq!(next, paste.lines.len());
    assert!(!log.scopes.is_empty());
    for record in &log.records {
        let segment = log.segment_of(record);
        assert!(segment.lines.contains(&record.first_line()));
        assert!(!log.text_of(record).is_empty() && !log.text_of(record).contains('\n'));
        for (at, line) in &record.pieces {
            assert_eq!(record.line_at(*at), *line as usize);
        }
    }
}

fn kinds(text: &str) -> Vec<(Kind, usize)> {
    log(text).1.segments.iter().map(|s| (s.kind, s.lines.len())).collect()
}

fn records(text: &str) -> Vec<String> {
    let (_, log) = log(text);
    log.records.iter().map(|r| log.text_of(r).to_owned()).collect()
}
