//! Words that a sender wants hidden, beyond the rules and the team's list.

use super::asked::{Asked, parameter};
use crate::anonymize::Rules;
use crate::config::Config;
use axum::http::HeaderMap;

/// Words of one request; more are left out.
const MAX_WORDS: usize = 200;
/// Characters of one word.
const MAX_LENGTH: usize = 200;
/// The header that names words, for `curl`: an address may end up in a proxy's log.
const HEADER: &str = "x-faultbook-hide";

/// The words of a list, separated by commas (Chinese ones too) or line breaks. A word of one
/// character would empty the text and is left out.
pub fn words(list: &str) -> Vec<String> {
    let words = list.split([',', '，', '、', '\n', '\r']).map(str::trim);
    words.filter(|word| (2..=MAX_LENGTH).contains(&word.chars().count())).take(MAX_WORDS).map(str::to_owned).collect()
}

/// The words that a request names in its address (`?hide=a,b`) or in a header.
pub fn of_request(asked: &Asked, headers: &HeaderMap) -> Vec<String> {
    let listed = parameter(&asked.query, "hide");
    let lines = headers.get_all(HEADER).iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok());
    listed.iter().map(String::as_str).chain(lines).flat_map(words).take(MAX_WORDS).collect()
}

/// The team's rules with a request's words.
pub fn rules(config: &Config, words: Vec<String>) -> Rules {
    Rules { hide: config.hide.iter().cloned().chain(words).collect(), hide_regex: config.hide_regex.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_at_any_comma() {
        assert_eq!(words(" aurora, 北极，x,,kiln\nb"), ["aurora", "北极", "kiln"]);
        assert_eq!(words(&"ab,".repeat(1000)).len(), MAX_WORDS);
    }
}
