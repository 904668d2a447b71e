//! Pages that only explain.

use super::App;
use super::asked::{Asked, Form};
use super::fail::Failure;
use super::ui::{self, Ui};
use crate::anonymize::{self, Kind};
use crate::i18n::{Lang, word};
use crate::render::labels;
use askama::Template;
use axum::Extension;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "privacy.html")]
struct PrivacyPage<'a> {
    ui: Ui<'a>,
    kinds: Vec<Row>,
    hidden: usize,
    retention: Option<u64>,
}

/// A rule as the page shows it.
struct Row {
    title: String,
    placeholder: String,
    hides: &'static str,
    keeps: &'static str,
}

fn rows(lang: Lang) -> Vec<Row> {
    let text = |text: &anonymize::Text| if lang == Lang::Zh { text.zh } else { text.en };
    let row = |rule: &anonymize::RuleDoc| Row {
        title: labels::named(lang, "secret", rule.kind.key()),
        placeholder: rule.placeholder(),
        hides: text(&rule.hides),
        keeps: text(&rule.keeps),
    };
    anonymize::rules().iter().map(row).collect()
}

/// One rule of the anonymiser.
#[derive(Serialize, utoipa::ToSchema)]
pub struct PrivacyRule {
    /// As in the counts of an answer: `host-name`.
    pub kind: &'static str,
    /// The first placeholder of the kind: `<host-1>`.
    pub placeholder: String,
    pub hides: BothLanguages,
    pub keeps: BothLanguages,
}

/// A text in English and in Chinese.
#[derive(Serialize, utoipa::ToSchema)]
pub struct BothLanguages {
    pub en: &'static str,
    pub zh: &'static str,
}

/// What is replaced before anything is stored, and what is kept.
#[utoipa::path(get, path = "/api/v1/privacy-rules", tag = "privacy",
    responses((status = 200, description = "One rule per kind of placeholder", body = Vec<PrivacyRule>)))]
pub async fn privacy_rules() -> Json<Vec<PrivacyRule>> {
    let both = |text: anonymize::Text| BothLanguages { en: text.en, zh: text.zh };
    let rule = |rule: &anonymize::RuleDoc| PrivacyRule {
        kind: Kind::key(rule.kind),
        placeholder: rule.placeholder(),
        hides: both(rule.hides),
        keeps: both(rule.keeps),
    };
    Json(anonymize::rules().iter().map(rule).collect())
}

/// `GET /privacy`: what is replaced, how long things are kept.
pub async fn privacy(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let lang = asked.lang;
    let kinds = rows(lang);
    if asked.form != Form::Page {
        let lines: Vec<String> = kinds.iter().map(|row| format!("{}  {}: {}", row.placeholder, row.title, row.hides)).collect();
        return Ok(format!("{}\n{}\n", word(lang, "privacy.lead"), lines.join("\n")).into_response());
    }
    let retention = app.config.retention.map(|time| time.as_secs() / 86_400);
    Ok(ui::page(&PrivacyPage { ui: Ui::new(&asked, &app), kinds, hidden: app.config.hide.len() + app.config.hide_regex.len(), retention })?)
}
