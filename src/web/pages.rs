//! Pages that only explain.

use super::App;
use super::asked::{Asked, Form};
use super::fail::Failure;
use super::ui::{self, Ui};
use crate::i18n::{keys, word};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "privacy.html")]
struct PrivacyPage<'a> {
    ui: Ui<'a>,
    kinds: Vec<String>,
    hidden: usize,
    retention: Option<u64>,
}

/// `GET /privacy`: what is replaced, how long things are kept.
pub async fn privacy(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let lang = asked.lang;
    let kinds: Vec<String> = keys(lang, "secret.").map(|key| word(lang, key).to_owned()).collect();
    if asked.form != Form::Page {
        return Ok(format!("{}\n{}\n", word(lang, "privacy.lead"), kinds.join("\n")).into_response());
    }
    let retention = app.config.retention.map(|time| time.as_secs() / 86_400);
    Ok(ui::page(&PrivacyPage { ui: Ui::new(&asked, &app), kinds, hidden: app.config.hide.len(), retention })?)
}
