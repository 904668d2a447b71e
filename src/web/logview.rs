//! The log of a report page: evidence marked, quiet stretches folded.

use crate::diagnose::analysis::{Analysis, Effect};
use crate::i18n::Lang;
use crate::render::{clean, labels};
use std::collections::HashMap;

/// Lines shown before and after a marked one.
const AROUND: usize = 3;
/// A quiet stretch of fewer lines is not worth folding.
const SHORTEST_FOLD: usize = 6;
/// A log of at most this many lines travels whole, folds included; of a longer one the folds
/// are links.
const WHOLE: usize = 3_000;
/// Lines that one link opens.
const OPENED: usize = 2_000;
/// Characters of one line.
const LONG: usize = 2_000;
/// Where nothing is marked, this many lines of the end are shown.
const TAIL: usize = 40;

/// A run of lines that is shown, or folded away.
pub struct Chunk {
    pub first: usize,
    pub last: usize,
    pub folded: bool,
    /// The folded lines did not travel; a link asks for them.
    pub elsewhere: bool,
    /// Kind and scope of the segment that starts a folded run.
    pub segment: String,
    pub lines: Vec<LogLine>,
}

impl Chunk {
    /// Number of lines.
    pub fn count(&self) -> usize {
        self.last - self.first + 1
    }
}

/// One line of the log.
pub struct LogLine {
    pub number: usize,
    pub text: String,
    /// CSS class: `hit`, `other`, `against`, `after`, `noise` or empty.
    pub mark: &'static str,
    /// What it is marked for.
    pub label: String,
    /// Kind and scope, on the first line of a segment.
    pub segment: String,
}

struct Mark {
    class: &'static str,
    label: String,
}

/// Cuts the log into chunks. `open` are lines (1-based, inclusive) that the reader asked for.
pub fn chunks(analysis: &Analysis, lines: &[String], lang: Lang, open: Option<(usize, usize)>) -> Vec<Chunk> {
    let marks = marks(analysis, lang);
    let segments: HashMap<usize, String> =
        analysis.segments.iter().map(|s| (s.first as usize, format!("{} · {}", labels::name(&s.kind), s.scope))).collect();
    let shown = shown(lines.len(), &marks, open);
    let whole = lines.len() <= WHOLE;
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let folded = !shown[at];
        let run = shown[at..].iter().take_while(|s| **s != folded).count();
        let elsewhere = folded && !whole;
        let view = |(offset, text): (usize, &String)| log_line(offset + 1, text, &marks, &segments);
        let lines_shown = if elsewhere { Vec::new() } else { lines.iter().enumerate().skip(at).take(run).map(view).collect() };
        let segment = segments.get(&(at + 1)).filter(|_| folded).cloned().unwrap_or_default();
        out.push(Chunk { first: at + 1, last: at + run, folded, elsewhere, segment, lines: lines_shown });
        at += run;
    }
    out
}

fn log_line(number: usize, text: &str, marks: &HashMap<usize, Mark>, segments: &HashMap<usize, String>) -> LogLine {
    let mut shown = clean(text);
    if let Some((cut, _)) = shown.char_indices().nth(LONG) {
        shown.truncate(cut);
        shown.push('…');
    }
    let mark = marks.get(&number);
    LogLine {
        number,
        text: shown,
        mark: mark.map_or("", |m| m.class),
        label: mark.map_or_else(String::new, |m| m.label.clone()),
        segment: segments.get(&number).cloned().unwrap_or_default(),
    }
}

/// The mark of each line; the first finding's evidence goes before all else.
fn marks(analysis: &Analysis, lang: Lang) -> HashMap<usize, Mark> {
    let mut marks: HashMap<usize, Mark> = HashMap::new();
    let mut put = |lines: &[u32], class: &'static str, label: &str| {
        for line in lines {
            marks.entry(*line as usize).or_insert_with(|| Mark { class, label: label.to_owned() });
        }
    };
    for (at, finding) in analysis.findings.iter().enumerate() {
        let class = if at == 0 { "hit" } else { "other" };
        for evidence in finding.evidence.iter().filter(|e| e.effect == Effect::For) {
            put(&evidence.lines, class, &finding.title);
        }
    }
    for finding in &analysis.findings {
        for consequence in &finding.consequences {
            put(&consequence.lines, "after", &format!("{}: {}", crate::i18n::word(lang, "consequence"), consequence.title));
        }
        for evidence in finding.evidence.iter().filter(|e| e.effect == Effect::Against) {
            put(&evidence.lines, "against", &finding.title);
        }
    }
    for noise in &analysis.noise {
        put(&noise.lines, "noise", &noise.why);
    }
    marks
}

/// Which lines are shown unfolded.
fn shown(count: usize, marks: &HashMap<usize, Mark>, open: Option<(usize, usize)>) -> Vec<bool> {
    let mut shown = vec![false; count];
    let mut show = |first: usize, last: usize| {
        let last = last.min(count);
        shown.iter_mut().take(last).skip(first.saturating_sub(1)).for_each(|line| *line = true);
    };
    let loud = marks.iter().filter(|(_, mark)| mark.class != "noise").map(|(line, _)| *line);
    let mut any = false;
    for line in loud {
        any = true;
        show(line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND));
    }
    if !any {
        show(count.saturating_sub(TAIL) + 1, count);
    }
    if let Some((first, last)) = open {
        show(first.max(1), last.min(first.saturating_add(OPENED)));
    }
    unfold_short(&mut shown);
    shown
}

fn unfold_short(shown: &mut [bool]) {
    let mut at = 0;
    while at < shown.len() {
        let run = shown[at..].iter().take_while(|s| **s == shown[at]).count();
        if !shown[at] && run < SHORTEST_FOLD {
            shown[at..at + run].fill(true);
        }
        at += run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: usize) -> HashMap<usize, Mark> {
        HashMap::from([(line, Mark { class: "hit", label: String::new() })])
    }

    #[test]
    fn quiet_stretches_fold_and_evidence_stays() {
        let shown = shown(100, &mark(50), None);
        let open: Vec<usize> = (1..=100).filter(|n| shown[n - 1]).collect();
        assert_eq!(open, (47..=53).collect::<Vec<_>>());
    }

    #[test]
    fn short_stretches_and_wanted_lines_are_open() {
        let near_top = shown(100, &mark(8), Some((90, 95)));
        assert!(near_top[0] && near_top[10] && !near_top[30] && near_top[89] && near_top[99]);
        assert!(shown(10, &HashMap::new(), Some((900, 3))).iter().all(|s| *s));
        assert!(shown(0, &HashMap::new(), None).is_empty());
    }
}
