//! The step before storing, and words that a sender hides.

use super::client::{LOG, Service, multipart};

const HTML: (&str, &str) = ("accept", "text/html");

/// What the page's field holds, as a browser would send it.
fn field(page: &str) -> String {
    let from = page.find("<textarea").and_then(|at| page[at..].find(">\n").map(|skip| at + skip + 2)).expect("field");
    let to = page[from..].find("</textarea>").expect("end") + from;
    let text =
        page[from..to].replace("&#60;", "<").replace("&#62;", ">").replace("&#38;", "&").replace("&#39;", "'").replace("&#34;", "\"");
    text.replace('\n', "\r\n")
}

#[tokio::test]
async fn a_preview_shows_what_would_be_stored_and_stores_nothing() {
    let service = Service::start(&[]).await;
    let raw = format!("{LOG}project aurora-x failed for /home/jbarlow/run\n");
    let (kind, body) = multipart(&[("text", "", &raw), ("hide", "", "aurora-x")]);
    let page = service.send("POST", "/preview", &[("content-type", &kind), HTML], body).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    for gone in ["jbarlow", "gpu-7"] {
        assert!(!page.body.contains(gone), "{gone}");
    }
    assert!(page.body.contains("<mark>") && page.body.contains("value=\"aurora-x\""), "{}", page.body);
    assert!(field(&page.body).contains("project <hidden-1> failed for /home/<user-1>/run"), "{}", field(&page.body));
    assert!(service.get("/search?q=NVML", "*/*").await.body.find("/r/").is_none(), "a preview was stored");
}

#[tokio::test]
async fn what_was_shown_is_what_is_stored() {
    let service = Service::start(&[]).await;
    let raw = format!("{LOG}project aurora-x failed for /home/jbarlow/run\n");
    let (kind, body) = multipart(&[("text", "", &raw), ("hide", "", "aurora-x")]);
    let page = service.send("POST", "/preview", &[("content-type", &kind), HTML], body).await;
    let shown = field(&page.body);
    let (kind, body) = multipart(&[("hide", "", "aurora-x"), ("name", "", "a.log"), ("text", "", &shown)]);
    let stored = service.send("POST", "/", &[("content-type", &kind), HTML], body).await;
    assert_eq!(stored.status, 303, "{}", stored.body);
    let report = service.get(&format!("{}.json", stored.header("location")), "*/*").await.json();
    let lines: Vec<&str> = report["lines"].as_array().expect("lines").iter().filter_map(|line| line.as_str()).collect();
    assert_eq!(lines.join("\r\n"), shown.trim_end());
    assert_eq!(report["anonymized"]["hidden"], 1, "{}", report["anonymized"]);
    assert_eq!(report["analysis"]["verdict"], "machine");
}

#[tokio::test]
async fn curl_names_words_in_the_address_or_in_a_header() {
    let service = Service::start(&[("hide-regex", "TICKET-\\d+")]).await;
    let log = format!("{LOG}aurora-x and kiln-y, TICKET-4127\n");
    for (path, headers) in [("/?hide=aurora-x,kiln-y", vec![]), ("/x.log", vec![("x-faultbook-hide", "aurora-x, kiln-y")])] {
        let answer = service.send("PUT", path, &headers, log.clone()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let link = answer.header("location").trim_start_matches("http://faults.test:8088").to_owned();
        let report = service.get(&format!("{link}.json"), "*/*").await;
        for gone in ["aurora-x", "kiln-y", "4127"] {
            assert!(!report.body.contains(gone), "{path}: {gone}");
        }
        assert_eq!(report.json()["anonymized"]["hidden"], 3);
    }
    let text = service.send("POST", "/preview?hide=aurora-x", &[("accept", "*/*")], log).await;
    assert!(text.body.contains("<hidden-1> and kiln-y, <hidden-2>"), "{}", text.body);
}

#[tokio::test]
async fn the_rules_are_published() {
    let service = Service::start(&[]).await;
    let rules = service.get("/api/v1/privacy-rules", "*/*").await.json();
    let rules = rules.as_array().expect("rules");
    assert!(rules.len() > 25 && rules.iter().any(|rule| rule["kind"] == "host-name" && rule["placeholder"] == "<host-1>"));
    let page = service.get("/privacy?lang=zh", "text/html").await;
    assert!(page.body.contains("&#60;host-1&#62;") || page.body.contains("&lt;host-1&gt;"), "{}", page.body);
    assert!(page.body.contains("主机名"));
}
