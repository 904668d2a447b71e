//! The home page: paste, drop, choose; for curl a few lines of how to.

use super::api::day;
use super::asked::{Asked, Form};
use super::fail::Failure;
use super::ui::{self, Ui};
use super::{App, now};
use crate::i18n::{Lang, word};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use std::sync::Arc;

/// Causes listed as recent are those of this many seconds: 30 days.
const RECENT: i64 = 30 * 86_400;

/// A cause in a short list.
pub struct CauseLine {
    pub id: String,
    pub title: String,
    pub count: i64,
    pub last: String,
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    ui: Ui<'a>,
    recent: Vec<CauseLine>,
    retention: Option<u64>,
    deleted: bool,
}

/// `GET /`.
pub async fn home(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    Ok(match asked.form {
        Form::Text => usage(&asked).into_response(),
        Form::Json => Json(serde_json::json!({
            "name": "faultbook", "version": env!("CARGO_PKG_VERSION"), "openapi": format!("{}/api/openapi.json", asked.base),
        }))
        .into_response(),
        Form::Page => {
            let retention = app.config.retention.map(|time| time.as_secs() / 86_400);
            // The form must work while the store does not.
            let recent = recent(&app, asked.lang).await.unwrap_or_default();
            ui::page(&Home { ui: Ui::new(&asked, &app), recent, retention, deleted: asked.query.starts_with("deleted") })?
        }
    })
}

async fn recent(app: &App, lang: Lang) -> Result<Vec<CauseLine>, crate::Error> {
    let counts = app.store.recent_causes(now() - RECENT, 8).await?;
    let patterns = app.patterns.load();
    let line = |count: crate::store::CauseCount| {
        let title = patterns.cause(&count.cause).map_or(count.cause.as_str(), |c| c.file.title.get_ref().get(lang)).to_owned();
        CauseLine { title, id: count.cause, count: count.count, last: day(count.last) }
    };
    Ok(counts.into_iter().map(line).collect())
}

fn usage(asked: &Asked) -> String {
    let base = &asked.base;
    let lang = asked.lang;
    format!(
        "Faultbook — {}\n\n  curl -T error.log {base}/\n  dmesg | curl -T - {base}/\n  curl -F file=@error.log -F file=@dmesg.txt {base}/\n  curl -T error.log '{base}/?hide=project,product'\n  curl -s {base}/collect.sh | sh | curl -T - {base}/\n\n{}: {base}/\n",
        word(lang, "home.lead"),
        word(lang, "home.inbrowser"),
    )
}
