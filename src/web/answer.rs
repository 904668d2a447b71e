//! The outermost layer: reads what is asked, words the errors, sets the headers, keeps the log.
//!
//! The log says method, route, status, time and sizes. Never a body, a file name or a query.

use super::App;
use super::asked::{Asked, decode};
use super::fail;
use crate::error::Error;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

/// Pastes per minute, by address.
pub type Limiter = DefaultKeyedRateLimiter<IpAddr>;

/// A limiter that takes `per_minute` pastes at once and refills evenly.
pub fn limiter(per_minute: NonZeroU32) -> Limiter {
    RateLimiter::keyed(Quota::per_minute(per_minute))
}

/// The file name of `PUT /name`, for the handler.
#[derive(Clone)]
pub struct PutName(pub String);

/// The route that answered, for the log.
#[derive(Clone)]
struct Route(String);

/// Notes the route's template in the answer.
pub async fn name_route(path: MatchedPath, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Route(path.as_str().to_owned()));
    response
}

/// See the module.
pub async fn answer(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let asked = Asked::of(&app.config, request.uri(), request.headers());
    let method = request.method().clone();
    let bytes_in = length(request.headers());
    rewrite_put(&mut request);
    request.extensions_mut().insert(asked.clone());
    let mut response = match admit(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => fail::bare(error),
    };
    let route = response.extensions().get::<Route>().map_or_else(|| "-".to_owned(), |route| route.0.clone());
    if let Some(error) = fail::fault_of(&response) {
        response = fail::render(&app, &error, &asked, response.headers());
    }
    finish(&mut response, &asked);
    log(&method, &route, &response, &asked, started, bytes_in);
    response
}

/// `curl -T error.log HOST` puts to `/error.log`, and any name is taken, a page's name too.
fn rewrite_put(request: &mut Request) {
    if request.method() != Method::PUT {
        return;
    }
    let name = request.uri().path().trim_start_matches('/');
    if name.contains('/') {
        return;
    }
    let name = PutName(decode(name));
    *request.uri_mut() = Uri::from_static("/");
    request.extensions_mut().insert(name);
}

/// Takes or refuses a paste by its sender's rate.
fn admit(app: &App, request: &Request) -> Result<(), Error> {
    let Some(limiter) = &app.limiter else { return Ok(()) };
    if !matches!(*request.method(), Method::POST | Method::PUT) {
        return Ok(());
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    limiter.check_key(&address).map_err(|early| {
        let wait = early.wait_time_from(DefaultClock::default().now());
        Error::RateLimited { seconds: wait.as_secs() + u64::from(wait.subsec_nanos() > 0) }
    })
}

const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

fn finish(response: &mut Response, asked: &Asked) {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("accept, accept-language, cookie"));
    }
    if let Ok(id) = HeaderValue::from_str(&asked.request) {
        headers.insert("x-request-id", id);
    }
    if asked.lang_chosen
        && let Ok(cookie) = HeaderValue::from_str(&format!("lang={}; Path=/; Max-Age=31536000; SameSite=Lax", asked.lang.tag()))
    {
        headers.append(header::SET_COOKIE, cookie);
    }
}

fn length(headers: &HeaderMap) -> u64 {
    headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok()).unwrap_or(0)
}

fn log(method: &Method, route: &str, response: &Response, asked: &Asked, started: Instant, bytes_in: u64) {
    let seconds = started.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    // Methods are the client's text; only the usual ones become a label.
    let method = match *method {
        Method::GET | Method::HEAD | Method::POST | Method::PUT | Method::DELETE | Method::OPTIONS => method.as_str(),
        _ => "other",
    };
    let bytes_out = length(response.headers());
    tracing::info!(method, route, status, ms = (seconds * 1000.0) as u64, bytes_in, bytes_out, request = asked.request, "request");
    let labels = [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
    metrics::counter!("faultbook_requests_total", &labels).increment(1);
    metrics::histogram!("faultbook_request_seconds", "route" => route.to_owned()).record(seconds);
}
