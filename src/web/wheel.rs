//! The page of the install line: driver, card and Python in, the newest set that fits out.

use super::App;
use super::asked::{Asked, Form, parameter};
use super::fail::Failure;
use super::ui::{self, Ui};
use crate::i18n::word;
use crate::render::wheel::{Advice, Wanted, advise};
use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Characters of an answer that are looked at.
const LONGEST: usize = 80;

#[derive(Template)]
#[template(path = "wheel.html")]
struct WheelPage<'a> {
    ui: Ui<'a>,
    driver: String,
    gpu: String,
    python: String,
    advice: Option<Advice>,
    unknown: bool,
}

/// `GET /wheel?driver=470&gpu=RTX+3090&python=3.10`; several cards are separated by commas.
pub async fn wheel(State(app): State<Arc<App>>, Extension(asked): Extension<Asked>) -> Result<Response, Failure> {
    let given = |name: &str| parameter(&asked.query, name).unwrap_or_default().trim().chars().take(LONGEST).collect::<String>();
    let (driver, gpu, python) = (given("driver"), given("gpu"), given("python"));
    let optional = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let gpus = gpu.split(',').filter_map(|name| optional(name.trim())).collect();
    let asks = !(driver.is_empty() && gpu.is_empty() && python.is_empty());
    let wanted = Wanted { driver: optional(&driver), gpus, python: optional(&python) };
    let patterns = app.patterns.load_full();
    let answer = asks.then(|| advise(patterns.tables(), &wanted, asked.lang));
    let unknown = matches!(answer, Some(Err(_)));
    let advice = answer.and_then(Result::ok);
    if asked.form == Form::Page {
        return Ok(ui::page(&WheelPage { ui: Ui::new(&asked, &app), driver, gpu, python, advice, unknown })?);
    }
    let lines = advice.map_or_else(
        || vec![word(asked.lang, if unknown { "wheel.unknown" } else { "wheel.lead" }).to_owned()],
        |advice| advice.commands.into_iter().chain(advice.reasons).collect(),
    );
    Ok((lines.join("\n") + "\n").into_response())
}
