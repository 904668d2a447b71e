//! Text to search words: lower-case letters and digits, CJK text as overlapping pairs.
//!
//! Both databases index the same words, so that a search finds the same reports on either.

use std::collections::HashSet;

/// Distinct words indexed per report; beyond that a log repeats itself.
const MAX_WORDS: usize = 20_000;
/// Words of a query that are used.
const MAX_QUERY: usize = 32;
/// Longer runs are base64 and the like, which nobody searches for.
const MAX_LENGTH: usize = 64;

/// The distinct words of `texts` in order of appearance, separated by blanks.
pub fn index_words<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let mut out = String::new();
    for text in texts {
        for word in words(text) {
            if seen.len() >= MAX_WORDS {
                return out;
            }
            if !seen.contains(&word) {
                out.push_str(&word);
                out.push(' ');
                seen.insert(word);
            }
        }
    }
    out
}

/// The distinct words of a query, the first [`MAX_QUERY`].
pub fn query_words(query: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    words(query).into_iter().filter(|word| seen.insert(word.clone())).take(MAX_QUERY).collect()
}

/// All words of a text.
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut run = String::new();
    let mut cjk: Vec<char> = Vec::new();
    for c in text.chars() {
        if is_cjk(c) {
            flush_run(&mut run, &mut out);
            cjk.push(c);
        } else {
            flush_cjk(&mut cjk, &mut out);
            if c.is_alphanumeric() {
                // A final sigma is a sigma, as for FTS5.
                run.extend(c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c }));
            } else {
                flush_run(&mut run, &mut out);
            }
        }
    }
    flush_run(&mut run, &mut out);
    flush_cjk(&mut cjk, &mut out);
    out
}

fn flush_run(run: &mut String, out: &mut Vec<String>) {
    if !run.is_empty() && run.len() <= MAX_LENGTH {
        out.push(std::mem::take(run));
    }
    run.clear();
}

fn flush_cjk(cjk: &mut Vec<char>, out: &mut Vec<String>) {
    if let [single] = cjk.as_slice() {
        out.push(single.to_string());
    }
    out.extend(cjk.windows(2).map(|pair| pair.iter().collect::<String>()));
    cjk.clear();
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs() {
        assert_eq!(words("CUDA_ERROR 804: 驱动版本 x"), ["cuda", "error", "804", "驱动", "动版", "版本", "x"]);
        assert_eq!(words("卡"), ["卡"]);
        assert_eq!(words(&"a".repeat(500)), Vec::<String>::new());
    }

    #[test]
    fn index_holds_each_word_once() {
        assert_eq!(index_words(["Xid 79", "xid 48"].into_iter()), "xid 79 48 ");
    }
}
