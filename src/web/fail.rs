//! Errors as answers: handlers say which, the outermost layer words them in the form asked for.

use super::App;
use super::asked::{Asked, Form};
use super::ui::{self, Ui};
use crate::error::Error;
use askama::Template;
use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::any::Any;
use std::sync::Arc;
use tower_http::csrf::ProtectionError;

/// An error on its way out of a handler.
pub struct Failure(pub Error);

/// How the error travels to the outermost layer.
#[derive(Clone)]
struct Fault(Arc<Error>);

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        bare(self.0)
    }
}

/// A response that carries the error and no text yet.
pub fn bare(error: Error) -> Response {
    let mut response = status(&error).into_response();
    response.extensions_mut().insert(Fault(Arc::new(error)));
    response
}

/// No route has this path.
pub async fn not_found() -> Failure {
    Failure(Error::NotFound)
}

/// A handler panicked; its message is not looked at, since it might repeat a paste.
pub fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    bare(Error::Internal)
}

fn status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The error behind a response: a handler's, or the framework's own.
pub fn fault_of(response: &Response) -> Option<Arc<Error>> {
    if let Some(Fault(error)) = response.extensions().get::<Fault>() {
        return Some(error.clone());
    }
    if response.extensions().get::<ProtectionError>().is_some() {
        return Some(Arc::new(Error::BadRequest { what: "the form came from another site" }));
    }
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => {
            let allowed = response.headers().get(header::ALLOW).and_then(|v| v.to_str().ok()).unwrap_or("");
            Some(Arc::new(Error::WrongMethod { allowed: allowed.replace(',', ", ") }))
        }
        _ => None,
    }
}

/// The published form of an error.
#[derive(Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    /// Stable, for programs: `body-too-large`.
    pub code: String,
    pub message: String,
    /// What to do about it.
    pub remedy: String,
    /// Bytes, where a limit was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Id of the request, as in the service's log.
    pub request: String,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    ui: Ui<'a>,
    status: u16,
    detail: &'a ErrorDetail,
}

/// Words an error in the form asked for; `headers` are those of the bare response.
pub fn render(app: &App, error: &Error, asked: &Asked, headers: &HeaderMap) -> Response {
    let address = asked.base.as_str();
    let detail = ErrorDetail {
        code: error.code().to_owned(),
        message: error.message(asked.lang),
        remedy: error
            .remedy(asked.lang)
            .replace("ADDRESS", address)
            .replace("地址。", &format!("{address} 。"))
            .replace("- 地址", &format!("- {address}")),
        limit: error.limit(),
        request: asked.request.clone(),
    };
    let mut response = match asked.form {
        Form::Json => Json(ErrorBody { error: detail }).into_response(),
        Form::Text => text(&detail).into_response(),
        Form::Page => {
            let page = ErrorPage { ui: Ui::new(asked, app), status: error.status(), detail: &detail };
            ui::page(&page).unwrap_or_else(|_| text(&detail).into_response())
        }
    };
    *response.status_mut() = status(error);
    if let Some(allow) = headers.get(header::ALLOW) {
        response.headers_mut().insert(header::ALLOW, allow.clone());
    }
    if let Error::RateLimited { seconds } = error {
        response.headers_mut().insert(header::RETRY_AFTER, (*seconds).into());
    }
    response
}

fn text(detail: &ErrorDetail) -> String {
    format!("{}: {}\n{}\n({})\n", detail.code, detail.message, detail.remedy, detail.request)
}
