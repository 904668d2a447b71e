//! What would be stored, shown before anything is: the anonymised text, its placeholders marked.
//!
//! The page's button sends the shown text back, not the raw one. Anonymising it again changes
//! nothing, so what is stored is what was shown; the raw text is dropped with this request.

use super::App;
use super::asked::{Asked, Form};
use super::body;
use super::fail::Failure;
use super::hide;
use super::ui::{self, Ui};
use crate::anonymize::{Anonymized, anonymize, marks};
use crate::error::Error;
use crate::intake::{self, Limits, Part};
use crate::segment;
use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many lines are shown with marks; the text field below them holds all.
const MARKED: usize = 3_000;

/// A part of a line.
pub struct Piece<'a> {
    pub text: &'a str,
    /// It is a placeholder.
    pub mark: bool,
}

/// One file of the case, as it would be stored.
struct Sheet {
    name: String,
    text: String,
}

/// A number of lines that would be stored, and of what was replaced in them.
struct Shown {
    sheets: Vec<Sheet>,
    lines: Vec<String>,
    counts: BTreeMap<String, usize>,
}

#[derive(Template)]
#[template(path = "preview.html")]
struct Preview<'a> {
    ui: Ui<'a>,
    lines: Vec<Vec<Piece<'a>>>,
    /// Lines that are not shown with marks.
    more: usize,
    sheets: &'a [Sheet],
    counts: &'a BTreeMap<String, usize>,
    hide: &'a str,
}

/// `GET /preview`: there is nothing to show; the other language's link leads here.
pub async fn start() -> Redirect {
    Redirect::to("/")
}

/// `POST /preview`: nothing is stored.
pub async fn preview(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, request: Request) -> Result<Response, Failure> {
    let sent = body::read(&app, request).await?;
    let listed = sent.hide.join(", ");
    let shown = shown(&app, sent.parts, sent.hide).await?;
    let mut response = match asked.form {
        Form::Json => Json(serde_json::json!({ "anonymized": shown.counts, "lines": shown.lines })).into_response(),
        Form::Text => (shown.lines.join("\n") + "\n").into_response(),
        Form::Page => {
            let lines = shown.lines.iter().take(MARKED).map(|line| pieces(line)).collect();
            let more = shown.lines.len().saturating_sub(MARKED);
            let ui = Ui::new(&asked, &app);
            ui::private_page(&Preview { ui, lines, more, sheets: &shown.sheets, counts: &shown.counts, hide: &listed })?
        }
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn shown(app: &Arc<App>, parts: Vec<Part>, words: Vec<String>) -> Result<Shown, Error> {
    let rules = hide::rules(&app.config, words);
    let limits = Limits { max_decoded: app.config.max_decoded };
    let permit = app.work.acquire().await.map_err(|_| Error::Internal)?;
    let worker = tokio::task::spawn_blocking(move || {
        let paste = intake::read(parts, &limits)?;
        let anonymized = anonymize(&paste, &segment::split(&paste), &rules);
        Ok(sheets(&anonymized, &paste))
    });
    // A panic's message may repeat the paste, so it is dropped here.
    let shown = worker.await.map_err(|_| Error::Internal)?;
    drop(permit);
    shown
}

fn sheets(anonymized: &Anonymized, paste: &intake::Paste) -> Shown {
    let lines = anonymized.lines();
    let sheet = |(source, name): (&intake::Source, &String)| {
        let own = paste.lines.iter().zip(lines).filter(|(line, _)| (source.first..=source.last).contains(&line.number));
        let text: Vec<&str> = own.map(|(_, text)| text.as_str()).collect();
        Sheet { name: name.clone(), text: text.join("\n") }
    };
    Shown {
        sheets: paste.sources.iter().zip(anonymized.sources()).map(sheet).collect(),
        lines: lines.to_vec(),
        counts: anonymized.counts().iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
    }
}

/// A line cut at its placeholders.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    for place in marks(line) {
        all.extend(line.get(at..place.start).filter(|text| !text.is_empty()).map(|text| Piece { text, mark: false }));
        all.extend(line.get(place.clone()).map(|text| Piece { text, mark: true }));
        at = place.end;
    }
    all.extend(line.get(at..).filter(|text| !text.is_empty()).map(|text| Piece { text, mark: false }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_placeholders() {
        let found: Vec<(String, bool)> = pieces("at <host-1>: x<ip-2> <other>").iter().map(|p| (p.text.to_owned(), p.mark)).collect();
        let wanted = [("at ", false), ("<host-1>", true), (": x", false), ("<ip-2>", true), (" <other>", false)];
        assert_eq!(found, wanted.map(|(text, mark)| (text.to_owned(), mark)));
    }
}
