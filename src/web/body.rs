//! A request's body as the parts of a case: a form's text and files, or the raw bytes.

use super::App;
use super::answer::PutName;
use super::asked::Asked;
use super::hide;
use crate::error::Error;
use crate::intake::Part;
use axum::body::HttpBody;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use std::error::Error as _;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

/// `-d @file` drops newlines; a single line of this many bytes was several.
const ONE_LINE: usize = 400;
/// Files of one case.
const MAX_PARTS: usize = 256;

/// A form's own lines (boundaries, names) are not counted against the limit.
pub const FORM_LINES: u64 = 64 << 10;
/// So much of a body that is refused anyway is read, since a sender who is cut off while sending
/// does not see the answer.
const DRAINED: u64 = 256 << 20;

/// What came in.
#[derive(Debug, Default)]
pub struct Sent {
    pub parts: Vec<Part>,
    /// The form's box "do not store".
    pub analyse_only: bool,
    /// It was a multipart form.
    pub form: bool,
    /// Words to hide, as the form, the address and a header name them.
    pub hide: Vec<String>,
    /// The name of the next text in the form.
    name: String,
    /// A word on how it was sent (a key of the interface words).
    pub hint: Option<&'static str>,
}

/// Reads a body within the limit.
///
/// # Errors
/// [`Error::BodyTooLarge`], [`Error::BadRequest`].
pub async fn read(app: &Arc<App>, request: Request) -> Result<Sent, Error> {
    let limit = app.config.max_body;
    let multipart = content_type(request.headers()).starts_with("multipart/form-data");
    let room = if multipart { FORM_LINES } else { 0 };
    if declared(request.headers()).is_some_and(|length| length > limit.saturating_add(room)) {
        drain(request).await;
        return Err(Error::BodyTooLarge { limit });
    }
    let listed = request.extensions().get::<Asked>().map(|asked| hide::of_request(asked, request.headers())).unwrap_or_default();
    let mut sent = if multipart { form(app, request, limit).await? } else { raw(request, limit).await? };
    sent.hide.extend(listed);
    Ok(sent)
}

fn content_type(headers: &HeaderMap) -> String {
    headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("").to_ascii_lowercase()
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and drops a body, unless the sender waits for a word before sending it.
async fn drain(request: Request) {
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut body = request.into_body();
    let mut left = DRAINED;
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        left = left.saturating_sub(frame.data_ref().map_or(0, |data| data.len() as u64));
        if left == 0 {
            return;
        }
    }
}

async fn raw(request: Request, limit: u64) -> Result<Sent, Error> {
    let name = request.extensions().get::<PutName>().map_or_else(String::new, |name| name.0.clone());
    let urlencoded = content_type(request.headers()).starts_with("application/x-www-form-urlencoded");
    let cap = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = axum::body::to_bytes(request.into_body(), cap).await.map_err(|error| {
        let too_large = error.source().is_some_and(|inner| inner.to_string().contains("length limit"));
        if too_large { Error::BodyTooLarge { limit } } else { Error::BadRequest { what: "the body broke off" } }
    })?;
    let one_line = urlencoded && bytes.len() >= ONE_LINE && !bytes.contains(&b'\n');
    let parts = vec![Part { name, bytes: bytes.into() }];
    Ok(Sent { parts, hint: one_line.then_some("hint.one-line"), ..Sent::default() })
}

async fn form(app: &Arc<App>, request: Request, limit: u64) -> Result<Sent, Error> {
    let mut form = Multipart::from_request(request, app).await.map_err(|_| Error::BadRequest { what: "multipart boundary" })?;
    let mut sent = Sent { form: true, ..Sent::default() };
    let mut total = 0u64;
    while let Some(field) = form.next_field().await.map_err(|e| fault(&e, limit))? {
        field_into(field, &mut sent, &mut total, limit).await?;
    }
    Ok(sent)
}

async fn field_into(field: Field<'_>, sent: &mut Sent, total: &mut u64, limit: u64) -> Result<(), Error> {
    let file = field.file_name().map(str::to_owned);
    let control = if file.is_none() { field.name().unwrap_or("").to_owned() } else { String::new() };
    let bytes = field.bytes().await.map_err(|e| fault(&e, limit))?;
    *total += bytes.len() as u64;
    if *total > limit {
        return Err(Error::BodyTooLarge { limit });
    }
    match control.as_str() {
        "analyse_only" => sent.analyse_only = true,
        "lang" => {}
        "hide" => sent.hide.extend(hide::words(&String::from_utf8_lossy(&bytes))),
        "name" => sent.name = String::from_utf8_lossy(&bytes).into_owned(),
        _ if bytes.iter().all(u8::is_ascii_whitespace) => {}
        _ if sent.parts.len() >= MAX_PARTS => return Err(Error::BadRequest { what: "more than 256 files in one case" }),
        _ => {
            let name = file.unwrap_or_else(|| std::mem::take(&mut sent.name));
            sent.parts.push(Part { name, bytes: bytes.into() });
        }
    }
    Ok(())
}

fn fault(error: &MultipartError, limit: u64) -> Error {
    if error.status().as_u16() == 413 { Error::BodyTooLarge { limit } } else { Error::BadRequest { what: "multipart form" } }
}
