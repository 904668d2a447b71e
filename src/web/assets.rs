//! Files that are part of the program: style, script, icon, the collecting script.

use super::fail::Failure;
use crate::error::Error;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const ASSETS: [Asset; 3] = [
    Asset { name: "faultbook.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("../../static/faultbook.css") },
    Asset { name: "faultbook.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("../../static/faultbook.js") },
    Asset { name: "icon.svg", kind: "image/svg+xml", bytes: include_bytes!("../../static/icon.svg") },
];

const COLLECT: &str = include_str!("../../static/collect.sh");

/// Name in the address and asset: `faultbook-1a2b3c4d.css`.
static NAMED: LazyLock<Vec<(String, &'static Asset)>> = LazyLock::new(|| {
    let named = |asset: &'static Asset| {
        let hash: String = Sha256::digest(asset.bytes).iter().take(6).map(|b| format!("{b:02x}")).collect();
        let (stem, ending) = asset.name.split_once('.').unwrap_or((asset.name, ""));
        (format!("{stem}-{hash}.{ending}"), asset)
    };
    ASSETS.iter().map(named).collect()
});

/// The address of an asset, its hash inside.
pub fn address(name: &str) -> String {
    let found = NAMED.iter().find(|(_, asset)| asset.name == name);
    found.map_or_else(String::new, |(hashed, _)| format!("/static/{hashed}"))
}

/// `GET /static/{name}`: may be kept for ever, since another content has another name.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let (hashed, asset) = NAMED.iter().find(|(hashed, _)| *hashed == name).ok_or(Error::NotFound)?;
    let tag = format!("\"{hashed}\"");
    let fixed = [
        (header::CONTENT_TYPE, asset.kind.to_owned()),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable".to_owned()),
        (header::ETAG, tag.clone()),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|given| given.as_bytes() == tag.as_bytes()) {
        return Ok((StatusCode::NOT_MODIFIED, fixed).into_response());
    }
    Ok((fixed, asset.bytes).into_response())
}

/// `GET /collect.sh`: the read-only collecting script.
pub async fn collect() -> Response {
    ([(header::CONTENT_TYPE, "text/x-shellscript; charset=utf-8")], COLLECT).into_response()
}

/// `GET /robots.txt`: reports are nobody's search result.
pub async fn robots() -> &'static str {
    "User-agent: *\nDisallow: /r/\nDisallow: /search\nDisallow: /api/\n"
}
