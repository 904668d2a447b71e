//! Pages, twins, negotiation, heads.

use super::client::{LOG, Service};

const HTML: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_report_has_a_page_and_three_twins() {
    let service = Service::start(&[]).await;
    let log = format!("{LOG}<script>alert('x')</script> & \u{1b}[31mred\n");
    let body = service.store(&log).await;
    let path = format!("/r/{}", body["id"].as_str().expect("id"));
    let page = service.get(&path, HTML).await;
    assert!(page.header("content-type").starts_with("text/html") && page.body.contains("id=\"L2\""));
    assert!(!page.body.contains("<script>alert") && !page.body.contains('\u{1b}'));
    assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
    let text = service.get(&format!("{path}.txt"), HTML).await;
    assert!(text.header("content-type").starts_with("text/plain") && text.body.contains("Driver/library version mismatch"));
    assert!(!text.body.contains('\u{1b}'));
    let json = service.get(&format!("{path}.json"), HTML).await;
    assert_eq!(json.json()["id"], body["id"]);
    let markdown = service.get(&format!("{path}.md"), HTML).await;
    assert!(markdown.header("content-type").starts_with("text/markdown") && markdown.body.starts_with("## "));
    assert_eq!(service.get(&path, "application/json").await.json()["id"], body["id"]);
    assert_eq!(service.get(&path, "*/*").await.body, text.body);
}

#[tokio::test]
async fn every_page_answers_in_both_languages_with_strict_heads() {
    let service = Service::start(&[]).await;
    for path in ["/", "/causes", "/search", "/search?q=nvml", "/privacy", "/tables", "/tables/xid", "/explain?q=xid+79", "/wheel"] {
        let english = service.get(path, HTML).await;
        let chinese = service.send("GET", path, &[("accept", HTML), ("accept-language", "zh-CN")], "").await;
        assert_eq!((english.status.as_u16(), chinese.status.as_u16()), (200, 200), "{path}");
        assert!(english.body.contains("<html lang=\"en\">") && chinese.body.contains("<html lang=\"zh-CN\">"), "{path}");
        let policy = english.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
        assert_eq!((english.header("x-content-type-options"), english.header("referrer-policy")), ("nosniff", "no-referrer"));
        for inline in ["<style", " style=\"", "onclick", "javascript:", "http://www", "https://"] {
            assert!(!english.body.contains(inline), "{inline} on {path}");
        }
    }
}

#[tokio::test]
async fn the_chosen_language_is_kept() {
    let service = Service::start(&[]).await;
    let chosen = service.get("/search?q=a&lang=zh", HTML).await;
    assert!(chosen.header("set-cookie").starts_with("lang=zh") && chosen.body.contains("zh-CN"));
    assert!(
        chosen.body.contains("/search?q=a&amp;lang=en") || chosen.body.contains("/search?q=a&#38;lang=en"),
        "the switch keeps the query"
    );
    let later = service.send("GET", "/", &[("accept", HTML), ("cookie", "lang=zh"), ("accept-language", "en")], "").await;
    assert!(later.body.contains("zh-CN"));
    let text = service.send("PUT", "/?lang=zh", &[], LOG).await;
    assert!(text.body.contains("报告"), "{}", text.body);
}

#[tokio::test]
async fn the_home_page_names_its_own_address() {
    let service = Service::start(&[]).await;
    assert!(service.get("/", HTML).await.body.contains("curl -T error.log http://faults.test:8088/"));
    assert!(service.get("/", "*/*").await.body.contains("curl -T error.log http://faults.test:8088/"));
    let named = Service::start(&[("base-url", "https://faults.example/")]).await;
    assert!(named.get("/", HTML).await.body.contains("curl -T error.log https://faults.example/"));
}

#[tokio::test]
async fn assets_are_named_by_their_content_and_kept() {
    let service = Service::start(&[]).await;
    let home = service.get("/", HTML).await.body;
    let at = home.find("/static/faultbook-").expect("style sheet");
    let path = home[at..].split('"').next().expect("address").to_owned();
    let asset = service.get(&path, "*/*").await;
    assert!(asset.status == 200 && asset.header("cache-control").contains("immutable"));
    let again = service.send("GET", &path, &[("if-none-match", asset.header("etag"))], "").await;
    assert_eq!(again.status, 304);
    let packed = service.send("GET", "/", &[("accept", HTML), ("accept-encoding", "gzip")], "").await;
    assert_eq!(packed.header("content-encoding"), "gzip");
}

#[tokio::test]
async fn the_api_describes_every_api_route() {
    let service = Service::start(&[]).await;
    let document = service.get("/api/openapi.json", "*/*").await.json();
    let paths = document["paths"].as_object().expect("paths");
    for (path, method) in [
        ("/api/v1/reports", "post"),
        ("/api/v1/analyze", "post"),
        ("/api/v1/reports/{id}", "get"),
        ("/api/v1/reports/{id}", "delete"),
        ("/api/v1/causes", "get"),
        ("/api/v1/causes/{id}", "get"),
        ("/api/v1/search", "get"),
        ("/api/v1/privacy-rules", "get"),
    ] {
        assert!(paths[path][method].is_object(), "{method} {path}");
    }
    assert_eq!(paths.len(), 7, "a route that is not tested here");
    let text = document.to_string();
    let references = text.match_indices("#/components/schemas/");
    for (at, prefix) in references {
        let name = text[at + prefix.len()..].split('"').next().expect("name");
        assert!(document["components"]["schemas"][name].is_object(), "{name} is not defined");
    }
}

#[tokio::test]
async fn the_collecting_script_only_reads() {
    let service = Service::start(&[]).await;
    let script = service.get("/collect.sh", "*/*").await;
    assert!(script.body.starts_with("#!/bin/sh") && script.body.contains("#faultbook 1 %s rc=%s scope=%s :: %s"));
    let code: String = script.body.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    for word in ["sudo", "rm ", "curl", "wget", "modprobe"] {
        assert!(!code.contains(word), "{word}");
    }
    // Every kind it writes is one of the register's.
    for line in script.body.lines().filter(|line| line.starts_with("show ") || line.starts_with("show_file ")) {
        let kind = line.split_whitespace().nth(1).expect("kind");
        assert!(faultbook::segment::Kind::from_name(kind).is_some(), "{kind}");
    }
}

#[tokio::test]
async fn seen_counts_and_recent_causes_grow() {
    let service = Service::start(&[]).await;
    let first = service.store(LOG).await;
    service.store(LOG).await;
    let path = format!("/api/v1/reports/{}", first["id"].as_str().expect("id"));
    assert_eq!(service.get(&path, "*/*").await.json()["seen"], 2);
    if let Some(cause) = first["analysis"]["findings"][0]["cause"].as_str() {
        assert!(service.get("/", HTML).await.body.contains(&format!("/causes/{cause}")));
    }
    let metrics = service.get("/metrics", "*/*").await;
    assert_eq!(metrics.status, 200);
}

#[tokio::test]
async fn a_long_log_stays_light() {
    let service = Service::start(&[]).await;
    let log: String = (0..50_000).map(|n| format!("[{n}.000000] usb 1-1: quiet line number {n} of a long journal\n")).collect();
    let body = service.store(&format!("{log}{LOG}")).await;
    let path = format!("/r/{}", body["id"].as_str().expect("id"));
    let page = service.get(&path, HTML).await;
    assert!(page.body.len() < 300_000, "{} bytes", page.body.len());
    let opened = service.get(&format!("{path}?from=20000&to=20100"), HTML).await;
    assert!(opened.body.contains("id=\"L20050\""));
}
