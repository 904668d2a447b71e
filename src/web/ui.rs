//! What every template uses: words, addresses of assets, the language switch, steps.

use super::asked::Asked;
use super::{App, assets};
use crate::diagnose::analysis::{Fix, SubjectView};
use crate::error::Error;
use crate::i18n::{Lang, word};
use crate::render::{labels, ranges};
use askama::Template;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde::Serialize;

/// The reader's side of a page.
pub struct Ui<'a> {
    pub lang: Lang,
    asked: &'a Asked,
    /// Largest body, as people write it.
    pub max_body: String,
}

impl<'a> Ui<'a> {
    pub fn new(asked: &'a Asked, app: &App) -> Ui<'a> {
        Ui { lang: asked.lang, asked, max_body: size(app.config.max_body) }
    }

    /// An interface word.
    pub fn w<'k>(&self, key: &'k str) -> &'k str {
        word(self.lang, key)
    }

    /// The word for an enum value.
    pub fn of(&self, family: &str, value: &impl Serialize) -> String {
        labels::of(self.lang, family, value)
    }

    /// The word `family.name`, or the name.
    pub fn named(&self, family: &str, name: &str) -> String {
        labels::named(self.lang, family, name)
    }

    /// The serialised name of an enum value, for CSS classes.
    pub fn class(&self, value: &impl Serialize) -> String {
        labels::name(value)
    }

    /// An interface word with `{}` filled.
    pub fn fill(&self, key: &str, value: impl std::fmt::Display) -> String {
        labels::fill(self.lang, key, value)
    }

    /// The address of a file under `static/`, with its hash.
    pub fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    /// For `<html lang>`.
    pub fn html_lang(&self) -> &'static str {
        match self.lang {
            Lang::En => "en",
            Lang::Zh => "zh-CN",
        }
    }

    /// This page in the other language.
    pub fn switch(&self) -> String {
        let other = if self.lang == Lang::Zh { "en" } else { "zh" };
        let kept = self.asked.query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("lang="));
        let query: Vec<&str> = kept.collect();
        let path = if self.asked.path.starts_with('/') && !self.asked.path.starts_with("//") { self.asked.path.as_str() } else { "/" };
        let glue = if query.is_empty() { "" } else { "&" };
        format!("{path}?{}{glue}lang={other}", query.join("&"))
    }

    /// This server's address.
    pub fn base(&self) -> &str {
        &self.asked.base
    }

    /// True on the page at this path (for the mark in the menu).
    pub fn at(&self, path: &str) -> bool {
        self.asked.path == path
    }

    /// `3–5, 9`: line numbers.
    pub fn ranges(&self, lines: &[u32]) -> String {
        ranges(lines, 6)
    }

    /// The anchor of the first of these lines.
    pub fn anchor(&self, lines: &[u32]) -> String {
        lines.first().map_or_else(String::new, |line| format!("#L{line}"))
    }

    /// A fact's value.
    pub fn value(&self, value: &serde_json::Value) -> String {
        labels::value(self.lang, value)
    }

    /// `GPU 3 (0000:41:00.0)`.
    pub fn subject(&self, subject: &SubjectView) -> String {
        labels::subject(self.lang, Some(subject))
    }

    /// A number with its sign: `+6.0`, `−3.0`.
    pub fn signed(&self, weight: &f64) -> String {
        format!("{weight:+.1}").replace('-', "\u{2212}")
    }
}

/// A step as the template shows it.
pub struct StepView {
    pub kind: String,
    pub risk_class: String,
    pub labels: Vec<String>,
    pub fix: Fix,
}

impl StepView {
    /// A step of a finding or a cause.
    pub fn new(lang: Lang, fix: &Fix) -> StepView {
        let labels =
            vec![labels::of(lang, "needs", &fix.needs), labels::of(lang, "takes", &fix.takes), labels::of(lang, "where", &fix.where_)];
        StepView { kind: labels::name(&fix.kind), risk_class: labels::name(&fix.risk), labels, fix: fix.clone() }
    }
}

/// `10 MiB`.
fn size(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let fitting = units.iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    fitting.map_or_else(|| format!("{bytes} B"), |(name, unit)| format!("{} {name}", bytes / unit))
}

/// Renders a template.
///
/// # Errors
/// [`Error::Internal`].
pub fn page(template: &impl Template) -> Result<Response, Error> {
    let html = template.render().map_err(|_| {
        tracing::error!("a page could not be rendered");
        Error::Internal
    })?;
    Ok(Html(html).into_response())
}

/// A page that search engines must not keep.
///
/// # Errors
/// [`Error::Internal`].
pub fn private_page(template: &impl Template) -> Result<Response, Error> {
    let mut response = page(template)?;
    response.headers_mut().insert("x-robots-tag", header::HeaderValue::from_static("noindex, nofollow"));
    Ok(response)
}
