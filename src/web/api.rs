//! Pastes in, answers out; the JSON API.

use super::asked::{Asked, Form};
use super::body::{self, Sent};
use super::fail::{ErrorBody, Failure};
use super::{App, hide, now, report};
use crate::anonymize::{Rules, anonymize};
use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::intake::{self, Limits, Part};
use crate::pattern::Patterns;
use crate::render::{Extras, text};
use crate::report::Report;
use crate::store::{Receipt, Stored};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A paste's report, and its receipt where it was stored.
pub struct Taken {
    pub report: Report,
    pub receipt: Option<Receipt>,
}

/// Paste to report: the one place where raw bytes become something to keep.
/// Reads, analyses and anonymises on a worker thread, then stores where `keep` says so.
///
/// # Errors
/// What intake and the store say; [`Error::Internal`] where the analysis broke down.
pub async fn take(app: &Arc<App>, parts: Vec<Part>, hide: Vec<String>, keep: bool) -> Result<Taken, Error> {
    let patterns = app.patterns.load_full();
    let limits = Limits { max_decoded: app.config.max_decoded };
    let rules = hide::rules(&app.config, hide);
    let permit = app.work.acquire().await.map_err(|_| Error::Internal)?;
    let set = patterns.clone();
    let worker = tokio::task::spawn_blocking(move || to_report(parts, &set, &rules, &limits));
    // A panic's message may repeat the paste, so it is dropped here.
    let report = worker.await.map_err(|_| Error::Internal)??;
    drop(permit);
    metrics::counter!("faultbook_pastes_total", "stored" => if keep { "yes" } else { "no" }).increment(1);
    let receipt = match keep {
        true => Some(app.store.save(&report, patterns.register(), now(), app.config.retention).await?),
        false => None,
    };
    Ok(Taken { report, receipt })
}

fn to_report(parts: Vec<Part>, patterns: &Patterns, rules: &Rules, limits: &Limits) -> Result<Report, Error> {
    let paste = intake::read(parts, limits)?;
    let analyzed = crate::analyze(&paste, patterns);
    let anonymized = anonymize(&paste, &analyzed.log, rules);
    Ok(Report::new(&anonymized, &analyzed.diagnosis, patterns))
}

/// The answer to a stored paste.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Created {
    pub id: String,
    pub url: String,
    /// Shown this once; whoever has it may delete the report.
    pub delete_token: String,
    /// When the report is deleted (RFC 3339); null: never.
    pub expires: Option<String>,
    /// How many values of each kind were replaced.
    pub anonymized: BTreeMap<String, usize>,
    /// A word on how the paste was sent, where that lost something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    pub analysis: Analysis,
}

/// A stored report.
#[derive(Serialize, utoipa::ToSchema)]
pub struct ReportBody {
    pub id: String,
    pub url: String,
    pub created: String,
    /// When the report is deleted (RFC 3339); null: never.
    pub expires: Option<String>,
    pub anonymized: BTreeMap<String, usize>,
    /// How many reports have this fingerprint.
    pub seen: i64,
    /// The anonymised lines.
    pub lines: Vec<String>,
    pub analysis: Analysis,
}

impl ReportBody {
    /// The published form of a stored report.
    pub fn new(stored: Stored, seen: i64, asked: &Asked) -> ReportBody {
        ReportBody {
            url: format!("{}/r/{}", asked.base, stored.id),
            created: moment(stored.created),
            expires: stored.expires.map(moment),
            seen,
            analysis: stored.analysis(asked.lang).clone(),
            id: stored.id,
            anonymized: stored.anonymized,
            lines: stored.lines,
        }
    }
}

/// RFC 3339 of seconds since 1970.
pub fn moment(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| String::new(), |t| t.to_string())
}

/// The day of seconds since 1970: `2027-03-01`.
pub fn day(seconds: i64) -> String {
    moment(seconds).split('T').next().unwrap_or("").to_owned()
}

/// `POST /`: the form, or a raw body.
pub async fn paste(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, request: Request) -> Result<Response, Failure> {
    let sent = body::read(&app, request).await?;
    if sent.analyse_only {
        return answer_only(&app, &asked, sent).await;
    }
    answer_stored(&app, &asked, sent).await
}

/// `PUT /` and `PUT /{name}`: `curl -T`.
pub async fn put(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, request: Request) -> Result<Response, Failure> {
    let sent = body::read(&app, request).await?;
    answer_stored(&app, &asked, sent).await
}

/// Stores a paste and answers.
#[utoipa::path(post, path = "/api/v1/reports", tag = "reports",
    request_body(content((String = "text/plain"), (String = "multipart/form-data")), description = "The log itself, or a form with one or several files of one case; .gz, .zst, .tar and .zip are unpacked."),
    responses(
        (status = 201, description = "Stored", body = Created, headers(("Location" = String, description = "Address of the report"))),
        (status = 400, description = "empty-paste, bad-request", body = ErrorBody),
        (status = 413, description = "body-too-large, decoded-too-large", body = ErrorBody),
        (status = 415, description = "not-text, damaged-archive, empty-archive", body = ErrorBody),
        (status = 429, description = "rate-limited", body = ErrorBody),
        (status = 503, description = "store-unavailable", body = ErrorBody)))]
pub async fn create(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, request: Request) -> Result<Response, Failure> {
    let sent = body::read(&app, request).await?;
    answer_stored(&app, &asked, sent).await
}

/// Analyses a paste and stores nothing.
#[utoipa::path(post, path = "/api/v1/analyze", tag = "reports",
    request_body(content((String = "text/plain"), (String = "multipart/form-data")), description = "As for /api/v1/reports."),
    responses(
        (status = 200, description = "The analysis; nothing was stored", body = Analysis),
        (status = 400, description = "empty-paste, bad-request", body = ErrorBody),
        (status = 413, description = "body-too-large, decoded-too-large", body = ErrorBody),
        (status = 415, description = "not-text, damaged-archive, empty-archive", body = ErrorBody),
        (status = 429, description = "rate-limited", body = ErrorBody)))]
pub async fn analyze(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, request: Request) -> Result<Response, Failure> {
    let sent = body::read(&app, request).await?;
    answer_only(&app, &asked, sent).await
}

/// A stored report.
#[utoipa::path(get, path = "/api/v1/reports/{id}", tag = "reports", params(("id" = String, Path, description = "Id of the report")),
    responses((status = 200, description = "The report", body = ReportBody), (status = 404, description = "unknown-id", body = ErrorBody)))]
pub async fn read(
    State(app): State<Arc<App>>,
    Extension(asked): Extension<Asked>,
    Path(id): Path<String>,
) -> Result<Json<ReportBody>, Failure> {
    let stored = app.store.load(&id, now()).await?;
    let seen = app.store.seen_fingerprint(&stored.fingerprint).await?;
    Ok(Json(ReportBody::new(stored, seen.count, &asked)))
}

/// Deletes a report for good.
#[utoipa::path(delete, path = "/api/v1/reports/{id}", tag = "reports",
    params(("id" = String, Path, description = "Id of the report"), ("authorization" = String, Header, description = "`Bearer` and the delete token")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 403, description = "wrong-token", body = ErrorBody),
        (status = 404, description = "unknown-id", body = ErrorBody)))]
pub async fn delete(State(app): State<Arc<App>>, Path(id): Path<String>, headers: HeaderMap) -> Result<StatusCode, Failure> {
    let token = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    let token = token.and_then(|v| v.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    app.store.delete(&id, token.map_or("", |(_, token)| token)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn answer_stored(app: &Arc<App>, asked: &Asked, sent: Sent) -> Result<Response, Failure> {
    let (hint, form) = (sent.hint, sent.form);
    let taken = take(app, sent.parts, sent.hide, true).await?;
    let Some(receipt) = taken.receipt else { return Err(Error::Internal.into()) };
    let path = format!("/r/{}", receipt.id);
    if asked.form == Form::Page && form {
        return Ok(redirect(&path, &receipt, asked));
    }
    let url = format!("{}{path}", asked.base);
    let mut response = match asked.form {
        Form::Json => Json(created(&taken.report, &receipt, asked, url.clone(), hint)).into_response(),
        Form::Text => short(app, asked, &taken.report, Some((&receipt, url.clone())), hint).await?.into_response(),
        Form::Page => return Ok(redirect(&path, &receipt, asked)),
    };
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(&url) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn answer_only(app: &Arc<App>, asked: &Asked, sent: Sent) -> Result<Response, Failure> {
    let hint = sent.hint;
    let taken = take(app, sent.parts, sent.hide, false).await?;
    Ok(match asked.form {
        Form::Json => Json(taken.report.analysis(asked.lang)).into_response(),
        Form::Text => short(app, asked, &taken.report, None, hint).await?.into_response(),
        Form::Page => report::unsaved(app, asked, &taken.report)?,
    })
}

/// The token goes along in a short-lived cookie, so that no address ever holds it.
fn redirect(path: &str, receipt: &Receipt, asked: &Asked) -> Response {
    let secure = if asked.base.starts_with("https:") { "; Secure" } else { "" };
    let cookie = format!("token={}; Path={path}; Max-Age=900; HttpOnly; SameSite=Lax{secure}", receipt.delete_token);
    ([(header::SET_COOKIE, cookie)], Redirect::to(path)).into_response()
}

fn created(report: &Report, receipt: &Receipt, asked: &Asked, url: String, hint: Option<&'static str>) -> Created {
    Created {
        id: receipt.id.clone(),
        url,
        delete_token: receipt.delete_token.clone(),
        expires: receipt.expires.map(moment),
        anonymized: report.anonymized().clone(),
        hint: hint.map(|key| crate::i18n::word(asked.lang, key).to_owned()),
        analysis: report.analysis(asked.lang).clone(),
    }
}

async fn short(
    app: &App,
    asked: &Asked,
    report: &Report,
    stored: Option<(&Receipt, String)>,
    hint: Option<&'static str>,
) -> Result<String, Error> {
    let analysis = report.analysis(asked.lang);
    let mut extras = Extras { anonymized: Some(report.anonymized()), hint, ..Extras::default() };
    if let Some((receipt, url)) = stored {
        extras.seen = app.store.seen_fingerprint(&analysis.fingerprint).await?.count;
        extras.expires = receipt.expires.map(day);
        let target = format!("{}/api/v1/reports/{}", asked.base, receipt.id);
        extras.delete = Some(format!("curl -X DELETE -H 'Authorization: Bearer {}' {target}", receipt.delete_token));
        extras.link = Some(url);
    }
    Ok(text::short(analysis, report.lines(), asked.lang, &extras))
}
