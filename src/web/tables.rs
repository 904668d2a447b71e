//! The tables beside the patterns, a page for each of their rows, and the meaning of a code.

use super::App;
use super::asked::{Asked, Form, parameter};
use super::fail::Failure;
use super::ui::{self, Ui};
use crate::error::Error;
use crate::explain::{Explanation, explain};
use crate::pattern::Patterns;
use crate::pattern::tables::{Row, Table};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Characters of a question to `/explain` that are looked at.
const LONGEST: usize = 400;
/// Keys on a table's page: the longest table has some hundreds.
const MOST_KEYS: usize = 2_000;
/// Rows on the page of one key.
const MOST_ROWS: usize = 60;

/// A table in the list.
struct TableItem {
    name: &'static str,
    rows: usize,
}

/// A key of a table: what its rows are found by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct KeyItem {
    key: String,
    /// The second column, to recognise the row.
    hint: &'static str,
}

#[derive(Template)]
#[template(path = "tables.html")]
struct TablesPage<'a> {
    ui: Ui<'a>,
    tables: Vec<TableItem>,
    question: String,
    found: Vec<Shown>,
}

#[derive(Template)]
#[template(path = "table.html")]
struct TablePage<'a> {
    ui: Ui<'a>,
    name: &'a str,
    keys: Vec<KeyItem>,
}

#[derive(Template)]
#[template(path = "row.html")]
struct RowPage<'a> {
    ui: Ui<'a>,
    name: &'a str,
    key: &'a str,
    /// Cells of each row under the key, empty ones left out.
    rows: Vec<Vec<(&'static str, &'static str)>>,
    cause: Option<(String, String)>,
}

/// An explanation with its words.
struct Shown {
    heading: String,
    rows: Vec<(String, String)>,
    cause: Option<(String, String)>,
}

/// `GET /tables` and `GET /explain?q=`: the tables, and what a code means.
pub async fn index(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let patterns = app.patterns.load_full();
    let question: String = parameter(&asked.query, "q").unwrap_or_default().chars().take(LONGEST).collect();
    let found = if question.trim().is_empty() { Vec::new() } else { explain(&patterns, &question) };
    Ok(match asked.form {
        Form::Json => Json(found).into_response(),
        Form::Text => found.iter().map(|e| e.text(&patterns, asked.lang)).collect::<String>().into_response(),
        Form::Page => {
            let ui = Ui::new(&asked, &app);
            let found = found.into_iter().map(|e| shown(&patterns, &ui, e)).collect();
            let tables =
                patterns.tables().all().into_iter().map(|(file, table)| TableItem { name: stem(file), rows: table.rows().count() });
            ui::page(&TablesPage { tables: tables.collect(), question, found, ui })?
        }
    })
}

fn shown(patterns: &Patterns, ui: &Ui<'_>, explanation: Explanation) -> Shown {
    let cause = explanation.cause.as_deref().and_then(|id| titled(patterns, ui, id));
    let rows = explanation.rows.into_iter().map(|(key, text)| (ui.w(key).to_owned(), text)).collect();
    Shown { heading: explanation.heading, rows, cause }
}

fn titled(patterns: &Patterns, ui: &Ui<'_>, id: &str) -> Option<(String, String)> {
    let cause = patterns.cause(id)?;
    Some((cause.id().to_owned(), cause.file.title.get_ref().get(ui.lang).to_owned()))
}

/// `GET /tables/{table}`: the keys of one table.
pub async fn table(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>, Path(name): Path<String>) -> Result<Response, Failure> {
    let patterns = app.patterns.load_full();
    let table = find(&patterns, &name).ok_or(Error::UnknownId)?;
    let keys = keys(table);
    Ok(match asked.form {
        Form::Json => Json(keys).into_response(),
        Form::Text => keys.iter().map(|k| format!("{}\t{}\n", k.key, k.hint)).collect::<String>().into_response(),
        Form::Page => ui::page(&TablePage { ui: Ui::new(&asked, &app), name: &name, keys })?,
    })
}

/// `GET /tables/{table}/{key}`: the rows of one key, whole.
pub async fn row(
    State(app): State<Arc<App>>,
    Extension(asked): Extension<Asked>,
    Path((name, key)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let patterns = app.patterns.load_full();
    let table = find(&patterns, &name).ok_or(Error::UnknownId)?;
    let matching: Vec<Row<'_>> = table.rows().filter(|row| key_of(table, row) == key).take(MOST_ROWS).collect();
    let slug = matching.first().map(|row| row.get("cause_slug")).ok_or(Error::UnknownId)?;
    let cells = |row: &Row<'_>| -> Vec<(&'static str, &'static str)> {
        let columns = table.columns().iter().map(|column| (*column, row.get(column)));
        columns.filter(|(_, cell)| !cell.is_empty()).collect()
    };
    let rows: Vec<_> = matching.iter().map(cells).collect();
    Ok(match asked.form {
        Form::Json => Json(rows).into_response(),
        Form::Text => rows
            .iter()
            .map(|cells| cells.iter().map(|(c, v)| format!("{c}: {v}\n")).collect::<String>() + "\n")
            .collect::<String>()
            .into_response(),
        Form::Page => {
            let ui = Ui::new(&asked, &app);
            let cause = titled(&patterns, &ui, slug);
            ui::page(&RowPage { ui, name: &name, key: &key, rows, cause })?
        }
    })
}

fn stem(file: &'static str) -> &'static str {
    file.strip_suffix(".tsv").unwrap_or(file)
}

fn find<'p>(patterns: &'p Patterns, name: &str) -> Option<&'p Table> {
    patterns.tables().all().into_iter().find(|(file, _)| stem(file) == name).map(|(_, table)| table)
}

/// Codes are found by kind and number (`xid-79`), everything else by its first column.
fn key_of(table: &Table, row: &Row<'_>) -> String {
    let text = match table.columns() {
        ["kind", "code", ..] => format!("{}-{}", row.get("kind"), row.get("code")),
        [first, ..] => row.get(first).to_owned(),
        [] => String::new(),
    };
    text.to_lowercase().replace(['/', ' '], "-")
}

fn keys(table: &Table) -> Vec<KeyItem> {
    let columns = table.columns();
    let hint = if columns.first() == Some(&"kind") { columns.get(2) } else { columns.get(1) };
    let mut seen = BTreeSet::new();
    let items = table.rows().map(|row| KeyItem { key: key_of(table, &row), hint: hint.map_or("", |column| row.get(column)) });
    items.filter(|item| !item.key.is_empty() && seen.insert(item.key.clone())).take(MOST_KEYS).collect()
}
