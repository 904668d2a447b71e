//! Each error, in the form asked for.

use super::client::{LOG, Service, multipart};

const PAGE: (&str, &str) = ("accept", "text/html");

#[tokio::test]
async fn errors_come_as_text_json_or_page() {
    let service = Service::start(&[]).await;
    let text = service.get("/r/nothing", "*/*").await;
    assert_eq!(text.status, 404);
    assert!(text.body.starts_with("unknown-id: ") && text.header("content-type").starts_with("text/plain"));
    let json = service.get("/r/nothing", "application/json").await.json();
    for key in ["code", "message", "remedy", "request"] {
        assert!(json["error"][key].as_str().is_some_and(|v| !v.is_empty()), "{key}");
    }
    let page = service.get("/r/nothing", "text/html").await;
    assert!(page.status == 404 && page.body.contains("<h1>") && page.body.contains("unknown-id"));
    let api = service.get("/api/v1/reports/nothing", "*/*").await;
    assert_eq!(api.json()["error"]["code"], "unknown-id");
    assert_eq!(api.json()["error"]["request"], api.header("x-request-id"));
}

#[tokio::test]
async fn unknown_things_are_404() {
    let service = Service::start(&[]).await;
    for (path, code) in [
        ("/nothing", "not-found"),
        ("/api/v1/nothing", "not-found"),
        ("/static/nothing.css", "not-found"),
        ("/causes/nothing", "unknown-id"),
        ("/api/v1/causes/nothing", "unknown-id"),
        ("/r/nothing.json", "unknown-id"),
        ("/r/nothing.exe", "unknown-id"),
        ("/r/%2e%2e", "unknown-id"),
    ] {
        let answer = service.get(path, "application/json").await;
        assert_eq!((answer.status.as_u16(), answer.json()["error"]["code"].as_str()), (404, Some(code)), "{path}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_405_and_names_the_right_ones() {
    let service = Service::start(&[]).await;
    for (method, path, allowed) in
        [("DELETE", "/", "POST"), ("GET", "/api/v1/analyze", "POST"), ("POST", "/causes", "GET"), ("PUT", "/api/v1/reports", "POST")]
    {
        let answer = service.send(method, path, &[("accept", "application/json")], "").await;
        assert_eq!(answer.status, 405, "{method} {path}");
        assert!(answer.header("allow").contains(allowed), "{method} {path}: {}", answer.header("allow"));
        let error = answer.json();
        assert_eq!(error["error"]["code"], "wrong-method");
        assert!(error["error"]["remedy"].as_str().is_some_and(|text| text.contains(allowed)));
    }
}

#[tokio::test]
async fn empty_and_binary_pastes_are_refused() {
    let service = Service::start(&[]).await;
    for body in ["", "  \n\t\n"] {
        let answer = service.send("PUT", "/", &[], body).await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.starts_with("empty-paste") && answer.body.contains("http://faults.test:8088"));
    }
    let (kind, body) = multipart(&[("text", "", ""), ("file", "", "")]);
    assert_eq!(service.send("POST", "/", &[("content-type", &kind), PAGE], body).await.status, 400);
    let binary: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).chain([0, 1, 2, 0]).collect();
    let answer = service.send("POST", "/api/v1/reports", &[], binary).await;
    assert_eq!((answer.status.as_u16(), answer.json()["error"]["code"].as_str()), (415, Some("not-text")));
}

#[tokio::test]
async fn over_the_limit_is_413_with_the_limit_and_what_to_do() {
    let service = Service::start(&[("max-body", "1KiB")]).await;
    let big = "x".repeat(1025);
    let declared = service.send("POST", "/api/v1/reports", &[("content-length", "1025")], big.clone()).await;
    let counted = service.send("POST", "/api/v1/reports", &[], big.clone()).await;
    let (kind, body) = multipart(&[("file", "a.log", &big)]);
    let form = service.send("POST", "/api/v1/reports", &[("content-type", &kind)], body).await;
    let (kind, body) = multipart(&[("file", "a.log", &"x".repeat(200_000))]);
    let large_form = service.send("POST", "/api/v1/reports", &[("content-type", &kind)], body).await;
    for answer in [declared, counted, form, large_form] {
        assert_eq!(answer.status, 413, "{}", answer.body);
        let error = answer.json();
        assert_eq!((error["error"]["code"].as_str(), error["error"]["limit"].as_u64()), (Some("body-too-large"), Some(1024)));
        assert!(error["error"]["remedy"].as_str().is_some_and(|text| text.contains("tail -c 1024")));
    }
    assert_eq!(service.send("POST", "/api/v1/reports", &[], "ok\n".repeat(341)).await.status, 201, "1023 bytes pass");
    let page = service.send("POST", "/", &[PAGE], big).await;
    assert!(page.status == 413 && page.body.contains("tail -c 1024") && page.body.contains("<h1>"));
    let decoded = Service::start(&[("max-decoded", "1KiB")]).await;
    let answer = decoded.send("PUT", "/", &[], "line\n".repeat(1000)).await;
    assert!(answer.status == 413 && answer.body.starts_with("decoded-too-large"));
}

#[tokio::test]
async fn a_form_from_another_site_is_refused() {
    let service = Service::start(&[]).await;
    let (kind, body) = multipart(&[("text", "", LOG)]);
    let headers = [("content-type", kind.as_str()), PAGE, ("origin", "http://elsewhere.test"), ("sec-fetch-site", "cross-site")];
    let answer = service.send("POST", "/", &headers, body).await;
    assert!(answer.status == 400 && answer.body.contains("another site"), "{}", answer.body);
    let broken = service.send("POST", "/", &[("content-type", "multipart/form-data")], "x").await;
    assert!(broken.status == 400 && broken.body.starts_with("bad-request"), "{}", broken.body);
}

#[tokio::test]
async fn the_rate_limit_says_truly_when_to_come_back() {
    let service = Service::start(&[("rate-per-minute", "2")]).await;
    for _ in 0..2 {
        assert_eq!(service.send("POST", "/api/v1/analyze", &[], LOG).await.status, 200);
    }
    let refused = service.send("POST", "/api/v1/analyze", &[], LOG).await;
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=30).contains(&seconds), "{seconds}");
    assert_eq!(service.get("/", "text/html").await.status, 200, "reading is not limited");
}

#[tokio::test]
async fn a_store_that_is_gone_is_said_and_analysing_goes_on() {
    let service = Service::start(&[]).await;
    service.app.store.close().await;
    let answer = service.send("POST", "/api/v1/reports", &[], LOG).await;
    assert_eq!((answer.status.as_u16(), answer.json()["error"]["code"].as_str()), (503, Some("store-unavailable")));
    assert_eq!(service.get("/readyz", "*/*").await.status, 503);
    assert_eq!(service.get("/healthz", "*/*").await.status, 200);
    assert_eq!(service.send("POST", "/api/v1/analyze", &[], LOG).await.status, 200);
    assert_eq!(service.get("/", "text/html").await.status, 200);
}

#[tokio::test]
async fn hostile_heads_do_no_harm() {
    let service = Service::start(&[]).await;
    for (name, value) in [
        ("accept-language", "zh;q=nan, en;q=-1, *"),
        ("accept", "text/html;q=x,,;"),
        ("cookie", "lang=\"><script>; token"),
        ("host", "\"><script>alert(1)</script>"),
    ] {
        let answer = service.send("GET", "/", &[(name, value)], "").await;
        assert_eq!(answer.status, 200, "{name}");
        assert!(!answer.body.contains("<script>alert") && !answer.body.contains("\"><script>"), "{name}");
    }
    let searched = service.get("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&lang=%00", "text/html").await;
    assert!(searched.status == 200 && !searched.body.contains("<script>alert"));
    for q in ["%22", "*", "a%20OR", "NEAR(", "words:x", "%F0%9F", "-", "^a"] {
        assert_eq!(service.get(&format!("/api/v1/search?q={q}"), "*/*").await.status, 200, "{q}");
    }
}

#[tokio::test]
async fn hostile_files_get_a_harmless_answer() {
    let service = Service::start(&[]).await;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/hostile");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path().join("input.log");
        let Ok(log) = std::fs::read(&path) else { continue };
        count += 1;
        let answer = service.send("PUT", "/x.log", &[("accept", "*/*")], log).await;
        assert!([201, 400, 413, 415].contains(&answer.status.as_u16()), "{}: {}", path.display(), answer.body);
        let harmful = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!answer.body.contains(harmful) && answer.body.lines().count() <= 25, "{}", path.display());
        if answer.status == 201 {
            let place = answer.header("location").trim_start_matches("http://faults.test:8088").to_owned();
            let page = service.get(&place, "text/html").await.body;
            let text = service.get(&format!("{place}.txt"), "*/*").await.body;
            assert!(!text.contains(harmful), "{}", path.display());
            for markup in ["<script>", "<img", "<iframe", "onerror=\"", "javascript:\""] {
                assert!(!page.to_lowercase().contains(markup), "{markup} of {}", path.display());
            }
        }
    }
    assert!(count > 5, "too few hostile files: {count}");
}
