//! The API's description and the published JSON Schema of an analysis, both made from the types.

use super::{api, causes, fail, pages, search};
use crate::diagnose::analysis::Analysis;
use axum::Json;
use serde_json::{Value, json};
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Faultbook",
        description = "Paste a failed GPU job's logs; get ranked causes, the evidence, and fixes from soft to hard."
    ),
    paths(api::create, api::analyze, api::read, api::delete, causes::list, causes::detail, search::api, pages::privacy_rules),
    components(schemas(Analysis, fail::ErrorBody))
)]
struct Document;

/// `GET /api/openapi.json`.
pub async fn document() -> Json<Value> {
    Json(openapi())
}

/// `GET /api/schema/analysis.v1.json`.
pub async fn schema() -> Json<Value> {
    Json(analysis_schema())
}

/// The OpenAPI document.
pub fn openapi() -> Value {
    serde_json::to_value(Document::openapi()).unwrap_or_default()
}

/// The JSON Schema (2020-12) of `faultbook.analysis.v1`.
pub fn analysis_schema() -> Value {
    let document = openapi();
    let mut defs = document.pointer("/components/schemas").cloned().unwrap_or_default();
    rewrite(&mut defs);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": crate::diagnose::analysis::SCHEMA,
        "$ref": "#/$defs/Analysis",
        "$defs": defs,
    })
}

/// Points references to `$defs`. The document's depth is that of our types.
fn rewrite(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(target)) = map.get_mut("$ref") {
                *target = target.replace("#/components/schemas/", "#/$defs/");
            }
            map.values_mut().for_each(rewrite);
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        _ => {}
    }
}
