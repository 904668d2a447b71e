//! The register of causes: by layer, one page each, and the same as JSON and text.

use super::App;
use super::api::day;
use super::asked::{Asked, Form};
use super::fail::{ErrorBody, Failure};
use super::ui::{self, StepView, Ui};
use crate::diagnose::analysis::{Fix, Layer, Verdict};
use crate::error::Error;
use crate::i18n::Lang;
use crate::pattern::file::{FixFile, Want};
use crate::pattern::{Cause, CauseKind, Patterns};
use crate::render::labels;
use crate::store::Seen;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// One cause in a list.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct CauseItem {
    pub id: String,
    /// `cause`, `state` or `symptom`.
    pub kind: &'static str,
    pub layer: Layer,
    pub verdict: Verdict,
    pub title: String,
    pub summary: String,
    pub url: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct CauseList {
    pub patterns: String,
    pub causes: Vec<CauseItem>,
}

/// A signature of a cause.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SignatureBody {
    pub id: String,
    pub literal: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    pub strength: crate::diagnose::analysis::Strength,
}

/// A cause in full.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct CauseBody {
    #[serde(flatten)]
    pub item: CauseItem,
    pub sources: Vec<String>,
    pub signatures: Vec<SignatureBody>,
    /// Conditions over facts that speak for it.
    pub conditions: Vec<String>,
    pub explains: Vec<String>,
    /// Commands hold placeholders such as `{kernel.release}`.
    pub fixes: Vec<Fix>,
    /// Reports with this cause among their findings.
    pub seen: i64,
}

struct Group {
    layer: Layer,
    causes: Vec<CauseItem>,
}

#[derive(Template)]
#[template(path = "causes.html")]
struct IndexPage<'a> {
    ui: Ui<'a>,
    groups: Vec<Group>,
    total: usize,
}

/// An example of a pattern file.
struct ExampleView {
    name: String,
    text: String,
}

/// A cause that is named on another's page.
struct Related {
    id: String,
    title: String,
}

#[derive(Template)]
#[template(path = "cause.html")]
struct CausePage<'a> {
    ui: Ui<'a>,
    body: &'a CauseBody,
    steps: Vec<StepView>,
    examples: Vec<ExampleView>,
    explains: Vec<Related>,
    explained_by: Vec<Related>,
    candidates: Vec<Related>,
    seen: Seen,
    first: String,
    last: String,
}

/// `GET /causes`.
pub async fn index(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let patterns = app.patterns.load_full();
    let items: Vec<CauseItem> = patterns.causes().iter().map(|cause| item(cause, &asked)).collect();
    Ok(match asked.form {
        Form::Json => Json(CauseList { patterns: patterns.hash().to_owned(), causes: items }).into_response(),
        Form::Text => items
            .iter()
            .fold(String::new(), |mut out, item| {
                let _ = writeln!(out, "{:<12} {:<36} {}", item.layer.name(), item.id, item.title);
                out
            })
            .into_response(),
        Form::Page => {
            let total = items.len();
            let of = |layer: Layer| Group { layer, causes: items.iter().filter(|item| item.layer == layer).cloned().collect() };
            let groups = Layer::ALL.into_iter().map(of).filter(|group| !group.causes.is_empty()).collect();
            ui::page(&IndexPage { ui: Ui::new(&asked, &app), groups, total })?
        }
    })
}

/// All causes and symptoms.
#[utoipa::path(get, path = "/api/v1/causes", tag = "causes", responses((status = 200, body = CauseList)))]
pub async fn list(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Json<CauseList> {
    let patterns = app.patterns.load_full();
    let causes = patterns.causes().iter().map(|cause| item(cause, &asked)).collect();
    Json(CauseList { patterns: patterns.hash().to_owned(), causes })
}

/// One cause.
#[utoipa::path(get, path = "/api/v1/causes/{id}", tag = "causes", params(("id" = String, Path, description = "Id of the cause")),
    responses((status = 200, body = CauseBody), (status = 404, description = "unknown-id", body = ErrorBody)))]
pub async fn detail(
    State(app): State<Arc<App>>,
    Extension(asked): Extension<Asked>,
    Path(id): Path<String>,
) -> Result<Json<CauseBody>, Failure> {
    let patterns = app.patterns.load_full();
    let cause = patterns.cause(&id).ok_or(Error::UnknownId)?;
    let seen = app.store.seen_cause(cause.id()).await?;
    Ok(Json(full(cause, &asked, seen.count)))
}

/// `GET /causes/{id}`; an old id leads to the new one.
pub async fn cause(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, Path(id): Path<String>) -> Result<Response, Failure> {
    let patterns = app.patterns.load_full();
    let cause = patterns.cause(&id).ok_or(Error::UnknownId)?;
    if cause.id() != id {
        return Ok(Redirect::permanent(&format!("/causes/{}", cause.id())).into_response());
    }
    // The page is useful without any report, so it does not wait for the store.
    let seen = app.store.seen_cause(cause.id()).await.unwrap_or_default();
    let body = full(cause, &asked, seen.count);
    Ok(match asked.form {
        Form::Json => Json(body).into_response(),
        Form::Text => as_text(&body, asked.lang).into_response(),
        Form::Page => page(&app, &asked, &patterns, cause, &body, seen)?,
    })
}

fn page(app: &App, asked: &Asked, patterns: &Patterns, cause: &Cause, body: &CauseBody, seen: Seen) -> Result<Response, Error> {
    let lang = asked.lang;
    let related =
        |id: &str| Related { id: id.to_owned(), title: patterns.cause(id).map_or(id, |c| c.file.title.get_ref().get(lang)).to_owned() };
    let explains = |other: &&Cause| other.file.explains.iter().any(|id| id.get_ref() == cause.id());
    let shown = |want: &Want| *want == Want::This(true);
    let examples = cause.file.example.iter().filter(|e| shown(&e.want)).take(4);
    ui::page(&CausePage {
        ui: Ui::new(asked, app),
        steps: body.fixes.iter().map(|fix| StepView::new(lang, fix)).collect(),
        examples: examples.map(|e| ExampleView { name: e.name.get_ref().clone(), text: e.text.trim_end().to_owned() }).collect(),
        explains: cause.file.explains.iter().map(|id| related(id.get_ref())).collect(),
        explained_by: patterns.causes().iter().filter(explains).map(|c| related(c.id())).collect(),
        candidates: cause.file.candidate.iter().map(|c| related(c.cause.get_ref())).collect(),
        first: day(seen.first),
        last: day(seen.last),
        seen,
        body,
    })
}

/// The list entry of a cause.
pub fn item(cause: &Cause, asked: &Asked) -> CauseItem {
    let kind = match cause.kind {
        CauseKind::Cause => "cause",
        CauseKind::State => "state",
        CauseKind::Symptom => "symptom",
    };
    CauseItem {
        id: cause.id().to_owned(),
        kind,
        layer: cause.layer,
        verdict: cause.file.verdict,
        title: cause.file.title.get_ref().get(asked.lang).to_owned(),
        summary: cause.file.summary.get_ref().get(asked.lang).to_owned(),
        url: format!("{}/causes/{}", asked.base, cause.id()),
    }
}

fn full(cause: &Cause, asked: &Asked, seen: i64) -> CauseBody {
    let signature = |s: &crate::pattern::file::SignatureFile| SignatureBody {
        id: s.id.get_ref().clone(),
        literal: s.literal.get_ref().clone(),
        regex: s.regex.as_ref().map(|r| r.get_ref().clone()),
        strength: s.strength,
    };
    CauseBody {
        item: item(cause, asked),
        sources: cause.file.sources.get_ref().clone(),
        signatures: cause.file.signature.iter().map(signature).collect(),
        conditions: cause.file.condition.iter().map(|c| c.when.get_ref().trim().to_owned()).collect(),
        explains: cause.file.explains.iter().map(|id| id.get_ref().clone()).collect(),
        fixes: cause.file.fix.iter().map(|fix| general(fix, asked.lang)).collect(),
        seen,
    }
}

/// A step without a paste: its placeholders stay.
fn general(fix: &FixFile, lang: Lang) -> Fix {
    let text = |t: &Option<toml::Spanned<crate::i18n::Text>>| t.as_ref().map(|t| t.get_ref().get(lang).to_owned());
    Fix {
        kind: fix.kind,
        text: fix.text.get_ref().get(lang).to_owned(),
        run: fix.run.as_ref().map(|run| unescape(run.get_ref())),
        first: Vec::new(),
        where_: fix.where_,
        os: fix.os.clone(),
        needs: fix.needs,
        takes: fix.takes,
        risk: *fix.risk.get_ref(),
        verify: fix.verify.as_ref().map(|verify| unescape(verify.get_ref())),
        expect: text(&fix.expect),
        undo: text(&fix.undo),
    }
}

/// Doubled braces are literal ones in a pattern file.
fn unescape(command: &str) -> String {
    command.replace("{{", "{").replace("}}", "}")
}

fn as_text(body: &CauseBody, lang: Lang) -> String {
    let mut out = format!("{}  [{}]\n{}\n", body.item.title, body.item.id, body.item.summary.trim());
    for (number, fix) in (1..).zip(&body.fixes) {
        let _ = write!(out, "\n{number}. ({})\n   {}\n", labels::step(lang, fix), fix.text.trim());
        for line in fix.run.iter().flat_map(|run| run.lines()) {
            let _ = writeln!(out, "   $ {line}");
        }
    }
    let _ = writeln!(out, "\n{}", body.item.url);
    out
}
