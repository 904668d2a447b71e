//! What a request asks for: the form of the answer, its language, the address for links.

use crate::config::Config;
use crate::i18n::Lang;
use axum::http::{HeaderMap, Uri, header};

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
    Page,
}

/// Read once per request by the outermost layer; handlers get it as an extension.
#[derive(Clone, Debug)]
pub struct Asked {
    pub form: Form,
    pub lang: Lang,
    /// The `?lang=` of the request, which is remembered in a cookie.
    pub lang_chosen: bool,
    /// `http://host:port`, without a slash at the end.
    pub base: String,
    pub path: String,
    pub query: String,
    /// Id of the request, in errors and log lines.
    pub request: String,
}

impl Asked {
    /// Reads a request's head.
    pub fn of(config: &Config, uri: &Uri, headers: &HeaderMap) -> Asked {
        let query = uri.query().unwrap_or("").to_owned();
        let chosen = parameter(&query, "lang").and_then(|tag| Lang::from_tag(&tag));
        Asked {
            form: form(uri.path(), headers),
            lang: chosen.or_else(|| remembered(headers)).or_else(|| preferred(headers)).unwrap_or(config.lang),
            lang_chosen: chosen.is_some(),
            base: config.base_url.clone().unwrap_or_else(|| base(headers)),
            path: uri.path().to_owned(),
            query,
            request: uuid::Uuid::now_v7().simple().to_string(),
        }
    }
}

/// The value of a query parameter, decoded.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    let value = query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    })?;
    Some(decode(&value.replace('+', " ")))
}

/// Percent-decoded text; broken UTF-8 becomes replacement characters.
pub fn decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Text as it stands in a query.
pub fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// A cookie's value.
pub fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

/// The API answers in JSON, a report's twins as their ending says, everything else as `Accept`
/// says: text where it names neither a page nor JSON.
fn form(path: &str, headers: &HeaderMap) -> Form {
    let accepted = accepted(headers);
    if path.starts_with("/api/") {
        return if accepted == Some(Form::Text) { Form::Text } else { Form::Json };
    }
    match path.strip_prefix("/r/").and_then(|name| name.rsplit_once('.')) {
        Some((_, "json")) => Form::Json,
        Some((_, "txt" | "md")) => Form::Text,
        _ => accepted.unwrap_or(Form::Text),
    }
}

/// The form of the highest quality that `Accept` names; of equal ones the first.
fn accepted(headers: &HeaderMap) -> Option<Form> {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut best: Option<(Form, f32)> = None;
    for item in lines.flat_map(|line| line.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let form = match parts.next().unwrap_or("").to_ascii_lowercase().as_str() {
            "text/html" | "application/xhtml+xml" => Form::Page,
            "application/json" => Form::Json,
            "text/plain" => Form::Text,
            _ => continue,
        };
        let quality = parts.find_map(|p| p.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        if quality > best.map_or(0.0, |(_, q)| q) {
            best = Some((form, quality));
        }
    }
    best.map(|(form, _)| form)
}

fn remembered(headers: &HeaderMap) -> Option<Lang> {
    cookie(headers, "lang").and_then(Lang::from_tag)
}

fn preferred(headers: &HeaderMap) -> Option<Lang> {
    let line = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
    let mut wanted: Vec<(f32, Lang)> = Vec::new();
    for item in line.split(',').take(20) {
        let (tag, quality) = item.split_once(";q=").unwrap_or((item, "1"));
        wanted.extend(Lang::from_tag(tag).map(|lang| (quality.trim().parse().unwrap_or(0.0), lang)));
    }
    // The first of the best: a stable sort by quality, downwards.
    wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
    wanted.first().map(|(_, lang)| *lang)
}

/// The address by which the request came; a host with odd characters is not repeated.
fn base(headers: &HeaderMap) -> String {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let plain = |host: &&str| !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]_".contains(&b));
    let host = text(header::HOST).filter(plain).unwrap_or("localhost");
    let secure = headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    format!("{}://{host}", if secure { "https" } else { "http" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: header::HeaderName, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("header"));
        headers
    }

    #[test]
    fn accept_decides_outside_the_api() {
        for (accept, form_) in [
            ("*/*", Form::Text),
            ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", Form::Page),
            ("application/json", Form::Json),
            ("text/html;q=0.2, application/json;q=0.9", Form::Json),
            ("text/html;q=0", Form::Text),
        ] {
            assert_eq!(form("/", &with(header::ACCEPT, accept)), form_, "{accept}");
        }
        assert_eq!(form("/api/v1/reports", &with(header::ACCEPT, "text/html")), Form::Json);
        assert_eq!(form("/api/v1/reports", &with(header::ACCEPT, "text/plain")), Form::Text);
        assert_eq!(form("/r/abc.json", &with(header::ACCEPT, "text/html")), Form::Json);
        assert_eq!(form("/r/abc.md", &with(header::ACCEPT, "text/html")), Form::Text);
    }

    #[test]
    fn languages_by_quality() {
        assert_eq!(preferred(&with(header::ACCEPT_LANGUAGE, "de, zh-CN;q=0.8, en;q=0.7")), Some(Lang::Zh));
        assert_eq!(preferred(&with(header::ACCEPT_LANGUAGE, "en-GB,zh;q=0.9")), Some(Lang::En));
        assert_eq!(preferred(&with(header::ACCEPT_LANGUAGE, "fr")), None);
    }

    #[test]
    fn odd_hosts_are_not_repeated() {
        assert_eq!(base(&with(header::HOST, "gpu-1.lan:8088")), "http://gpu-1.lan:8088");
        assert_eq!(base(&with(header::HOST, "a\"><script>")), "http://localhost");
    }

    #[test]
    fn parameters_are_decoded() {
        assert_eq!(parameter("a=1&q=Xid+79%20x", "q").as_deref(), Some("Xid 79 x"));
        assert_eq!(parameter("a=1", "q"), None);
    }
}
