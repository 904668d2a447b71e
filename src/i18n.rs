//! The two languages, and texts that exist in both.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    #[default]
    En,
    Zh,
}

impl Lang {
    /// The BCP 47 tag: `en` or `zh`.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh",
        }
    }

    /// Reads a tag such as `zh`, `zh-CN` or `en_US.UTF-8`; anything else is `None`.
    pub fn from_tag(tag: &str) -> Option<Lang> {
        let tag = tag.trim().to_ascii_lowercase();
        if tag.starts_with("zh") {
            Some(Lang::Zh)
        } else if tag.starts_with("en") {
            Some(Lang::En)
        } else {
            None
        }
    }
}

/// A sentence in both languages; pattern files and errors carry these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub en: String,
    pub zh: String,
}

impl Text {
    /// The sentence in `lang`.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

static WORDS: LazyLock<[HashMap<String, String>; 2]> = LazyLock::new(|| {
    [include_str!("../i18n/en.toml"), include_str!("../i18n/zh.toml")].map(|file| {
        // The files are part of the binary and a test parses both, so a fault cannot reach a user.
        toml::from_str(file).unwrap_or_default()
    })
});

/// An interface word by key, from `i18n/en.toml` or `i18n/zh.toml`.
/// A missing key comes back as the key itself; a test compares the keys of both files.
pub fn word(lang: Lang, key: &str) -> &str {
    let words = &WORDS[matches!(lang, Lang::Zh) as usize];
    words.get(key).map_or(key, String::as_str)
}

/// All keys that start with `prefix`, in alphabetical order.
pub fn keys(lang: Lang, prefix: &str) -> impl Iterator<Item = &'static str> {
    let words = &WORDS[matches!(lang, Lang::Zh) as usize];
    let mut keys: Vec<&str> = words.keys().map(String::as_str).filter(|key| key.starts_with(prefix)).collect();
    keys.sort_unstable();
    keys.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_keys() {
        let keys = |file: &str| {
            let words: HashMap<String, String> = toml::from_str(file).expect("i18n file parses");
            let mut keys: Vec<_> = words.into_keys().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(include_str!("../i18n/en.toml")), keys(include_str!("../i18n/zh.toml")));
    }
}
