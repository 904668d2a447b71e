//! The report page and its twins.

use super::api::{ReportBody, day};
use super::asked::{Asked, Form, cookie, parameter};
use super::fail::Failure;
use super::logview::{Chunk, chunks};
use super::ui::{self, StepView, Ui};
use super::{App, body, now};
use crate::diagnose::analysis::{Analysis, Finding, Verdict};
use crate::error::Error;
use crate::i18n::{Lang, word};
use crate::render::{self, Extras, alarming, evidence_lines, full, labels, markdown, ticket};
use crate::report::Report;
use crate::store::{Seen, Stored};
use askama::Template;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lines quoted under a finding.
const QUOTES: usize = 6;
/// Characters of a quoted line.
const QUOTE: usize = 300;

/// A finding with what the template needs around it.
struct FindingView<'a> {
    finding: &'a Finding,
    subject: String,
    quotes: Vec<Quote>,
    more: usize,
    steps: Vec<StepView>,
}

/// A quoted line.
struct Quote {
    number: u32,
    text: String,
}

/// What only a stored report has.
struct Kept<'a> {
    id: &'a str,
    created: String,
    expires: Option<String>,
    seen: i64,
    since: String,
    /// The sender's token, right after sending.
    token: Option<String>,
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    ui: Ui<'a>,
    title: String,
    analysis: &'a Analysis,
    findings: Vec<FindingView<'a>>,
    alarms: Vec<Quote>,
    anonymized: &'a BTreeMap<String, usize>,
    chunks: Vec<Chunk>,
    total: usize,
    kept: Option<Kept<'a>>,
    /// A card is at fault: there is a ticket for its vendor.
    for_vendor: bool,
}

/// `GET /r/{id}` and its twins `.txt`, `.json`, `.md`, and `.ticket.md` where a card is
/// at fault.
pub async fn show(
    State(app): State<Arc<App>>,
    Extension(asked): Extension<Asked>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (id, ending) = name.split_once('.').unwrap_or((name.as_str(), ""));
    if !matches!(ending, "" | "txt" | "json" | "md" | "ticket.md") {
        return Err(Error::UnknownId.into());
    }
    let stored = app.store.load(id, now()).await?;
    let seen = app.store.seen_fingerprint(&stored.fingerprint).await?;
    let mut response = match (ending, asked.form) {
        ("md", _) => typed(
            "text/markdown; charset=utf-8",
            markdown::markdown(stored.analysis(asked.lang), &stored.lines, asked.lang, &extras(&stored, seen, &asked)),
        ),
        ("ticket.md", _) => typed(
            "text/markdown; charset=utf-8",
            ticket::ticket(stored.analysis(asked.lang), &stored.lines, asked.lang).ok_or(Error::UnknownId)?,
        ),
        (_, Form::Json) => Json(ReportBody::new(stored, seen.count, &asked)).into_response(),
        (_, Form::Text) => typed(
            "text/plain; charset=utf-8",
            full::full(stored.analysis(asked.lang), &stored.lines, asked.lang, &extras(&stored, seen, &asked), true),
        ),
        (_, Form::Page) => page(&app, &asked, &stored, seen, &headers)?,
    };
    response.headers_mut().insert("x-robots-tag", header::HeaderValue::from_static("noindex, nofollow"));
    Ok(response)
}

/// `POST /r/{id}/delete`: the form under the report.
pub async fn delete(State(app): State<Arc<App>>, Path(id): Path<String>, request: Request) -> Result<Response, Failure> {
    let from_cookie = cookie(request.headers(), "token").map(str::to_owned);
    let sent = body::read(&app, request).await?;
    let typed = sent.parts.first().map(|part| String::from_utf8_lossy(&part.bytes).trim().to_owned());
    let token = typed.or(from_cookie).unwrap_or_default();
    app.store.delete(&id, &token).await?;
    let forget = format!("token=; Path=/r/{}; Max-Age=0; HttpOnly; SameSite=Lax", super::asked::encode(&id));
    Ok(([(header::SET_COOKIE, forget)], Redirect::to("/?deleted")).into_response())
}

/// The page of a paste that was not stored.
///
/// # Errors
/// [`Error::Internal`].
pub fn unsaved(app: &App, asked: &Asked, report: &Report) -> Result<Response, Error> {
    let analysis = report.analysis(asked.lang);
    let page = ReportPage {
        ui: Ui::new(asked, app),
        title: title(analysis, asked.lang),
        findings: findings(analysis, report.lines(), asked.lang),
        alarms: alarms(analysis, report.lines()),
        anonymized: report.anonymized(),
        chunks: chunks(analysis, report.lines(), asked.lang, None),
        total: report.lines().len(),
        kept: None,
        for_vendor: false,
        analysis,
    };
    let mut response = ui::private_page(&page)?;
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    Ok(response)
}

fn page(app: &App, asked: &Asked, stored: &Stored, seen: Seen, headers: &HeaderMap) -> Result<Response, Error> {
    let analysis = stored.analysis(asked.lang);
    let number = |name: &str| parameter(&asked.query, name).and_then(|text| text.parse::<usize>().ok());
    let open = number("from").zip(number("to"));
    let page = ReportPage {
        ui: Ui::new(asked, app),
        title: title(analysis, asked.lang),
        findings: findings(analysis, &stored.lines, asked.lang),
        alarms: alarms(analysis, &stored.lines),
        anonymized: &stored.anonymized,
        chunks: chunks(analysis, &stored.lines, asked.lang, open),
        total: stored.lines.len(),
        kept: Some(Kept {
            id: &stored.id,
            created: day(stored.created),
            expires: stored.expires.map(day),
            seen: seen.count,
            since: day(seen.first),
            token: cookie(headers, "token").map(str::to_owned),
        }),
        for_vendor: analysis.findings.iter().any(|f| f.verdict == Verdict::Card),
        analysis,
    };
    let mut response = ui::private_page(&page)?;
    if page.kept.is_some_and(|kept| kept.token.is_some()) {
        response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

fn title(analysis: &Analysis, lang: Lang) -> String {
    analysis.findings.first().map_or_else(|| word(lang, "nothing.title").to_owned(), |f| f.title.clone())
}

fn quotes(numbers: &[u32], lines: &[String]) -> Vec<Quote> {
    let mut numbers: Vec<u32> = numbers.iter().copied().take(QUOTES).collect();
    numbers.sort_unstable();
    numbers.iter().map(|n| Quote { number: *n, text: render::shorten(&render::line(lines, *n), QUOTE) }).collect()
}

fn alarms(analysis: &Analysis, lines: &[String]) -> Vec<Quote> {
    if analysis.findings.is_empty() { quotes(&alarming(analysis, lines, QUOTES), lines) } else { Vec::new() }
}

fn findings<'a>(analysis: &'a Analysis, lines: &[String], lang: Lang) -> Vec<FindingView<'a>> {
    let view = |finding: &'a Finding| {
        let evidence = evidence_lines(finding);
        FindingView {
            subject: labels::subject(lang, finding.subject.as_ref()),
            quotes: quotes(&evidence, lines),
            more: evidence.len().saturating_sub(QUOTES),
            steps: render::steps(finding).into_iter().map(|fix| StepView::new(lang, fix)).collect(),
            finding,
        }
    };
    analysis.findings.iter().map(view).collect()
}

fn extras<'a>(stored: &'a Stored, seen: Seen, asked: &Asked) -> Extras<'a> {
    Extras {
        anonymized: Some(&stored.anonymized),
        link: Some(format!("{}/r/{}", asked.base, stored.id)),
        expires: stored.expires.map(day),
        seen: seen.count,
        ..Extras::default()
    }
}

fn typed(kind: &'static str, text: String) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, kind)], text).into_response()
}
