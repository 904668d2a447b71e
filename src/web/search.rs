//! Search over causes (in memory) and stored reports.

use super::api::moment;
use super::asked::{Asked, Form, parameter};
use super::causes::{CauseItem, item};
use super::fail::Failure;
use super::ui::{self, Ui};
use super::{App, now};
use crate::error::Error;
use crate::i18n::Lang;
use crate::pattern::{Cause, Patterns};
use crate::store::words::{query_words, words};
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Characters of a query that are used.
const LONGEST: usize = 2_000;
/// Results of each sort.
const MOST: usize = 20;

/// Added to the score of a cause whose literal stands in the query; more than a query has words.
const POINTED: usize = 1_000;

/// A report that a search found.
#[derive(Serialize, utoipa::ToSchema)]
pub struct ReportItem {
    pub id: String,
    pub url: String,
    pub created: String,
    /// Its first finding, where it has one.
    pub cause: Option<String>,
    pub title: Option<String>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct SearchResult {
    pub query: String,
    pub causes: Vec<CauseItem>,
    pub reports: Vec<ReportItem>,
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage<'a> {
    ui: Ui<'a>,
    result: &'a SearchResult,
}

/// Causes and reports that hold the words of a query, or that a pasted line points to.
#[utoipa::path(get, path = "/api/v1/search", tag = "search", params(("q" = String, Query, description = "Words, or a pasted line")),
    responses((status = 200, body = SearchResult)))]
pub async fn api(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Json<SearchResult>, Failure> {
    Ok(Json(find(&app, &asked).await?))
}

/// `GET /search?q=`.
pub async fn search(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let result = find(&app, &asked).await?;
    Ok(match asked.form {
        Form::Json => Json(result).into_response(),
        Form::Text => as_text(&result).into_response(),
        Form::Page => ui::private_page(&SearchPage { ui: Ui::new(&asked, &app), result: &result })?,
    })
}

async fn find(app: &App, asked: &Asked) -> Result<SearchResult, Error> {
    let query = parameter(&asked.query, "q").unwrap_or_default();
    let query: String = query.chars().take(LONGEST).collect();
    let patterns = app.patterns.load_full();
    let hits = app.store.search(&query, now(), MOST as u32).await?;
    let title = |id: &String| patterns.cause(id).map(|c| c.file.title.get_ref().get(asked.lang).to_owned());
    let report = |hit: crate::store::Hit| ReportItem {
        url: format!("{}/r/{}", asked.base, hit.id),
        created: moment(hit.created),
        title: hit.cause.as_ref().and_then(title),
        cause: hit.cause,
        id: hit.id,
    };
    let reports = hits.into_iter().map(report).collect();
    let causes = causes(&patterns, &query).into_iter().take(MOST).map(|cause| item(cause, asked)).collect();
    Ok(SearchResult { query: query.trim().to_owned(), causes, reports })
}

/// Causes by how well they fit: a signature's literal inside the query counts most, then the
/// share of the query's words that the cause's texts hold.
fn causes<'p>(patterns: &'p Patterns, query: &str) -> Vec<&'p Cause> {
    let wanted = query_words(query);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(usize, &Cause)> = Vec::new();
    for cause in patterns.causes() {
        let literals = cause.file.signature.iter().flat_map(|s| s.literal.get_ref());
        let pointed = literals.clone().any(|literal| query.contains(literal.as_str()));
        let mut held: HashSet<String> = HashSet::new();
        let texts = [Lang::En, Lang::Zh]
            .into_iter()
            .flat_map(|lang| [cause.file.title.get_ref().get(lang), cause.file.summary.get_ref().get(lang)]);
        for text in texts.chain([cause.id()]).chain(literals.map(String::as_str)) {
            held.extend(words(text));
        }
        let found = wanted.iter().filter(|word| held.contains(*word)).count();
        if pointed || found * 2 > wanted.len() {
            scored.push((found + if pointed { POINTED } else { 0 }, cause));
        }
    }
    // Where a pasted line points somewhere, causes that merely share some words are noise.
    if scored.iter().any(|(score, _)| *score >= POINTED) {
        scored.retain(|(score, _)| *score >= POINTED || *score == wanted.len());
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id().cmp(b.1.id())));
    scored.into_iter().map(|(_, cause)| cause).collect()
}

fn as_text(result: &SearchResult) -> String {
    let mut out = String::new();
    for cause in &result.causes {
        let _ = writeln!(out, "{}  {}", cause.title, cause.url);
    }
    for report in &result.reports {
        let title = report.title.as_deref().or(report.cause.as_deref()).unwrap_or("-");
        let _ = writeln!(out, "{}  {title}  {}", report.created, report.url);
    }
    out
}
