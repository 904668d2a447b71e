//! What happens to a log on its way into a paste.

#![allow(dead_code, reason = "each test uses a part")]

use super::cases::{Sample, sections};

/// One way of distorting a paste.
pub struct Distortion {
    pub name: &'static str,
    pub apply: fn(&Sample) -> String,
    /// The lines that are left, of so many.
    pub keeps: fn(usize) -> std::ops::Range<usize>,
}

const fn of(name: &'static str, apply: fn(&Sample) -> String) -> Distortion {
    Distortion { name, apply, keeps: |n| 0..n }
}

const fn cut(name: &'static str, keeps: fn(usize) -> std::ops::Range<usize>, apply: fn(&Sample) -> String) -> Distortion {
    Distortion { name, apply, keeps }
}

/// Without the first third.
const LATER: fn(usize) -> std::ops::Range<usize> = |n| n / 3..n;
/// Without the last third.
const EARLIER: fn(usize) -> std::ops::Range<usize> = |n| 0..n - n / 3;

/// All distortions.
pub const ALL: &[Distortion] = &[
    of("docker-compose prefix", |s| prefixed(s, |_| "trainer-1  | ".into())),
    of("kubectl --prefix", |s| prefixed(s, |_| "[pod/train-job-0-xk2lp/main] ".into())),
    of("CRI log", |s| prefixed(s, |n| format!("2026-11-24T10:{:02}:{:02}.{:09}Z stderr F ", n / 60 % 60, n % 60, n * 7919))),
    of("journald prefix", |s| prefixed(s, |n| format!("Nov 24 10:{:02}:{:02} node-3 python3[20311]: ", n / 60 % 60, n % 60))),
    of("[rankN]: prefix", |s| prefixed(s, |_| "[rank3]: ".into())),
    of("> quotes", |s| prefixed(s, |_| "> ".into())),
    of("leading timestamps", |s| prefixed(s, |n| format!("2026-11-24 10:{:02}:{:02},{:03} ", n / 60 % 60, n % 60, n * 31 % 1000))),
    of("``` fences", |s| format!("Hi, my job fails with this:\n\n```text\n{}\n```\n\nAny idea?\n", s.lines.join("\n"))),
    of("CRLF", |s| s.lines.join("\r\n") + "\r\n"),
    of("ANSI colours", |s| coloured(s, "\u{1b}[")),
    of("colours without ESC", |s| coloured(s, "[")),
    of("full-width punctuation", full_width),
    of("wrapped at 80", |s| wrapped(s, 80)),
    of("wrapped at 100", |s| wrapped(s, 100)),
    of("wrapped at 120", |s| wrapped(s, 120)),
    cut("beginning cut", LATER, |s| s.lines[LATER(s.lines.len())].join("\n")),
    cut("end cut", EARLIER, |s| s.lines[EARLIER(s.lines.len())].join("\n")),
    of("sections reversed", |s| arranged(s, |n| (0..n).rev().collect())),
    of("sections shuffled", |s| arranged(s, |n| (0..n).map(|at| (at * stride(n) + n / 2) % n).collect())),
    of("tabs expanded", |s| s.lines.iter().map(|line| line.replace('\t', "        ")).collect::<Vec<_>>().join("\n")),
];

fn prefixed(sample: &Sample, prefix: impl Fn(usize) -> String) -> String {
    sample.lines.iter().enumerate().map(|(n, line)| format!("{}{line}\n", prefix(n))).collect()
}

/// Every line in colour, its first word in another.
fn coloured(sample: &Sample, escape: &str) -> String {
    let paint = |line: &String| {
        let (word, rest) = line.split_at(line.find(' ').filter(|at| *at > 0).unwrap_or(line.len()));
        format!("{escape}1;31m{word}{escape}0m{escape}33m{rest}{escape}0m\n")
    };
    sample.lines.iter().map(paint).collect()
}

/// As an input method or a blog engine writes it: never within numbers.
fn full_width(sample: &Sample) -> String {
    let mut out = String::new();
    for line in &sample.lines {
        let chars: Vec<char> = line.chars().collect();
        let (mut at, mut opening) = (0, true);
        while let Some(c) = chars.get(at) {
            let before = at.checked_sub(1).and_then(|i| chars.get(i)).copied().unwrap_or(' ');
            let after = chars.get(at + 1).copied().unwrap_or(' ');
            let numbers = before.is_ascii_digit() && after.is_ascii_digit();
            let wide = match c {
                ',' if !numbers => '，',
                ':' if after == ' ' => '：',
                '(' => '（',
                ')' => '）',
                '"' => {
                    opening = !opening;
                    if opening { '”' } else { '“' }
                }
                other => *other,
            };
            out.push(wide);
            // The wide character is its own blank.
            at += if matches!(wide, '，' | '：') && after == ' ' && at + 2 < chars.len() && chars.get(at + 2) != Some(&' ') {
                2
            } else {
                1
            };
        }
        out.push('\n');
    }
    out
}

/// Cut at the width as a terminal does, in the middle of words.
fn wrapped(sample: &Sample, width: usize) -> String {
    let mut out = String::new();
    for line in &sample.lines {
        let chars: Vec<char> = line.chars().collect();
        for part in chars.chunks(width) {
            out.extend(part);
            out.push('\n');
        }
        if chars.is_empty() {
            out.push('\n');
        }
    }
    out
}

/// A step that has no divisor in common with `n`, so that all sections are met.
fn stride(n: usize) -> usize {
    (n / 2 + 1..).find(|step| (2..=*step).all(|d| step % d != 0 || n % d != 0)).unwrap_or(1)
}

/// The sections in another order, a blank line between them.
pub fn arranged(sample: &Sample, order: impl Fn(usize) -> Vec<usize>) -> String {
    let sections = sections(sample);
    let mut out = String::new();
    for at in order(sections.len()) {
        for line in sample.lines.get(sections.get(at).cloned().unwrap_or(0..0)).unwrap_or_default() {
            out += line;
            out.push('\n');
        }
        if !out.ends_with("\n\n") {
            out.push('\n');
        }
    }
    out
}

/// What is left of a text when blanks, line ends, colours and the width of punctuation are not
/// looked at: a line survives where this of it still stands in this of the distorted text.
pub fn substance(text: &str) -> String {
    let text = text.replace('\u{1b}', "");
    let text = ["[1;31m", "[0m", "[33m"].iter().fold(text, |text, code| text.replace(code, ""));
    let narrow = |c: char| match c {
        '，' => ',',
        '：' => ':',
        '（' => '(',
        '）' => ')',
        '“' | '”' => '"',
        other => other,
    };
    text.chars().filter(|c| !c.is_whitespace()).map(narrow).collect()
}
