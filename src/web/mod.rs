//! The web service: every route and every layer stand in [`router`].

mod answer;
pub mod api;
mod asked;
mod assets;
mod body;
mod causes;
mod fail;
mod hide;
mod home;
mod logview;
pub mod openapi;
mod ops;
mod pages;
mod preview;
mod report;
mod search;
pub mod serve;
mod tables;
mod ui;
mod wheel;

pub use serve::serve;

use crate::config::Config;
use crate::error::Error;
use crate::pattern::Patterns;
use crate::store::Store;
use arc_swap::ArcSwap;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::CsrfLayer;

/// What every request shares.
pub struct App {
    pub config: Config,
    pub store: Store,
    /// Replaced as a whole when the overlay folder changes.
    pub patterns: ArcSwap<Patterns>,
    /// So many pastes are analysed at the same time; the others wait.
    work: Semaphore,
    limiter: Option<answer::Limiter>,
}

impl App {
    /// The state of a service over an open store.
    pub fn new(config: Config, store: Store, patterns: Arc<Patterns>) -> Arc<App> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let limiter = config.rate_per_minute.map(answer::limiter);
        Arc::new(App { config, store, patterns: ArcSwap::new(patterns), work: Semaphore::new(cores), limiter })
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Every route, then every layer from the inside out.
///
/// The routes stand inside a service of their own, so that the outermost layer sees what they
/// answer in the end (the `Allow` of a wrong method too) and can word every error as asked.
///
/// # Errors
/// [`Error::BadSetting`] where the base URL is no origin that a browser would send.
pub fn router(app: Arc<App>) -> Result<Router, Error> {
    let form_limit = usize::try_from(app.config.max_body.saturating_add(body::FORM_LINES)).unwrap_or(usize::MAX);
    let routes = Router::new()
        .route("/", get(home::home).post(api::paste).put(api::put))
        .route("/preview", get(preview::start).post(preview::preview))
        .route("/r/{name}", get(report::show))
        .route("/r/{id}/delete", post(report::delete))
        .route("/causes", get(causes::index))
        .route("/causes/{id}", get(causes::cause))
        .route("/tables", get(tables::index))
        .route("/explain", get(tables::index))
        .route("/wheel", get(wheel::wheel))
        .route("/tables/{table}", get(tables::table))
        .route("/tables/{table}/{key}", get(tables::row))
        .route("/search", get(search::search))
        .route("/privacy", get(pages::privacy))
        .route("/collect.sh", get(assets::collect))
        .route("/static/{name}", get(assets::file))
        .route("/robots.txt", get(assets::robots))
        .route("/api/v1/reports", post(api::create))
        .route("/api/v1/reports/{id}", get(api::read).delete(api::delete))
        .route("/api/v1/analyze", post(api::analyze))
        .route("/api/v1/causes", get(causes::list))
        .route("/api/v1/causes/{id}", get(causes::detail))
        .route("/api/v1/search", get(search::api))
        .route("/api/v1/privacy-rules", get(pages::privacy_rules))
        .route("/api/openapi.json", get(openapi::document))
        .route("/api/schema/analysis.v1.json", get(openapi::schema))
        .route("/healthz", get(ops::healthz))
        .route("/readyz", get(ops::readyz))
        .route("/metrics", get(ops::metrics))
        .fallback(fail::not_found)
        .route_layer(from_fn(answer::name_route))
        .layer(DefaultBodyLimit::max(form_limit))
        .with_state(app.clone());
    Ok(Router::new()
        .fallback_service(routes)
        .layer(csrf(&app.config)?)
        .layer(CatchPanicLayer::custom(fail::panicked))
        .layer(from_fn_with_state(app, answer::answer))
        .layer(CompressionLayer::new()))
}

/// Browsers' forms are taken from this service's own pages only; curl sends no origin.
fn csrf(config: &Config) -> Result<CsrfLayer, Error> {
    let layer = CsrfLayer::new();
    let Some(base) = &config.base_url else { return Ok(layer) };
    let origin: String = base.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let reason = "it must start with http:// or https:// and a host name".to_owned();
    layer.add_trusted_origin(&origin).map_err(|_| Error::BadSetting { name: "FAULTBOOK_BASE_URL".to_owned(), reason })
}
