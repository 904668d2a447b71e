//! For those who run the service: health, readiness, metrics.

use super::App;
use super::fail::Failure;
use crate::error::Error;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::sync::{Arc, LazyLock};

/// The process has one recorder; the first use installs it.
static RECORDER: LazyLock<PrometheusHandle> = LazyLock::new(|| {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::warn!("another metrics recorder is installed; /metrics stays empty");
    }
    handle
});

/// Installs the recorder, and lets it drop what is old; called by the background task.
pub fn tend_metrics() {
    RECORDER.run_upkeep();
}

/// `GET /healthz`: the process answers.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the store answers and the pattern set is loaded.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<&'static str, Failure> {
    if app.store.ready().await { Ok("ready\n") } else { Err(Error::StoreUnavailable.into()) }
}

/// `GET /metrics` in Prometheus' text form.
pub async fn metrics() -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], RECORDER.render()).into_response()
}
