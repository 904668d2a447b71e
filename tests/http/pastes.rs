//! Every way to send a paste.

use super::client::{LOG, Service, multipart};

#[tokio::test]
async fn curl_t_answers_in_text_with_a_link_and_a_token() {
    let service = Service::start(&[]).await;
    for path in ["/", "/error.log", "/causes", "/metrics", "/%E9%94%99%E8%AF%AF.log"] {
        let answer = service.send("PUT", path, &[("accept", "*/*")], LOG).await;
        assert_eq!(answer.status, 201, "{path}: {}", answer.body);
        assert!(answer.body.lines().count() <= 25);
        let link = answer.header("location");
        assert!(link.starts_with("http://faults.test:8088/r/") && answer.body.contains(link), "{}", answer.body);
        assert!(answer.body.contains("Authorization: Bearer "));
    }
}

#[tokio::test]
async fn the_api_answers_as_documented() {
    let service = Service::start(&[]).await;
    let answer = service.send("POST", "/api/v1/reports", &[], LOG).await;
    assert_eq!(answer.status, 201);
    let body = answer.json();
    for key in ["id", "url", "delete_token", "expires", "anonymized", "analysis"] {
        assert!(body.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(answer.header("location"), body["url"]);
    assert_eq!(body["analysis"]["schema"], "faultbook.analysis.v1");
    let id = body["id"].as_str().expect("id");
    assert!(id.len() >= 26);
    let read = service.get(&format!("/api/v1/reports/{id}"), "*/*").await.json();
    assert_eq!(read["analysis"], body["analysis"]);
    assert!(read.get("delete_token").is_none(), "the token is shown once");
    assert_eq!(read["lines"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn what_the_api_answers_fits_the_published_schema() {
    let service = Service::start(&[]).await;
    let schema = service.get("/api/schema/analysis.v1.json", "*/*").await.json();
    let validator = jsonschema::validator_for(&schema).expect("schema");
    let body = service.store(LOG).await;
    let faults: Vec<String> = validator.iter_errors(&body["analysis"]).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[tokio::test]
async fn analyze_stores_nothing() {
    let service = Service::start(&[]).await;
    let answer = service.send("POST", "/api/v1/analyze", &[], LOG).await;
    assert_eq!(answer.status, 200);
    let analysis = answer.json();
    assert_eq!(analysis["schema"], "faultbook.analysis.v1");
    let (kind, body) = multipart(&[("text", "", LOG), ("analyse_only", "", "1")]);
    let page = service.send("POST", "/", &[("content-type", &kind), ("accept", "text/html")], body).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<h1>") && page.header("cache-control") == "no-store");
    assert_eq!(service.reports(analysis["fingerprint"].as_str().expect("fingerprint")).await, 0);
}

#[tokio::test]
async fn the_form_leads_to_the_report_and_the_token_is_on_it_once() {
    let service = Service::start(&[]).await;
    let (kind, body) = multipart(&[("text", "", LOG), ("file", "", "")]);
    let headers = [("content-type", kind.as_str()), ("accept", "text/html"), ("origin", "http://faults.test:8088")];
    let answer = service.send("POST", "/", &headers, body).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let place = answer.header("location").to_owned();
    let cookie = answer.header("set-cookie").split(';').next().unwrap_or("").to_owned();
    let token = cookie.strip_prefix("token=").expect("token cookie");
    assert!(answer.header("set-cookie").contains("HttpOnly") && !place.contains(token));
    let page = service.send("GET", &place, &[("accept", "text/html"), ("cookie", &cookie)], "").await;
    assert!(page.body.contains(token));
    assert!(!service.get(&place, "text/html").await.body.contains(token));
}

#[tokio::test]
async fn several_files_are_one_case() {
    let service = Service::start(&[]).await;
    let (kind, body) =
        multipart(&[("file", "error.log", LOG), ("file", "dmesg.txt", "[1.0] a\n[2.0] b\n"), ("title", "ignored.txt", "x\n")]);
    let answer = service.send("POST", "/api/v1/reports", &[("content-type", &kind)], body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = answer.json()["id"].as_str().expect("id").to_owned();
    let report = service.get(&format!("/api/v1/reports/{id}"), "*/*").await.json();
    assert_eq!(report["lines"].as_array().map(Vec::len), Some(6));
    assert_eq!(report["lines"][3], "[1.0] a");
}

#[tokio::test]
async fn data_binary_is_raw_text_and_lost_newlines_are_said() {
    let service = Service::start(&[]).await;
    let urlencoded = ("content-type", "application/x-www-form-urlencoded");
    let good = service.send("POST", "/", &[urlencoded], LOG).await;
    assert_eq!(good.status, 201);
    assert!(!good.body.contains("curl -d"));
    let one_line = LOG.repeat(10).replace('\n', "");
    let bad = service.send("POST", "/", &[urlencoded], one_line.clone()).await;
    assert_eq!(bad.status, 201);
    assert!(bad.body.contains("curl -T"), "{}", bad.body);
    let json = service.send("POST", "/api/v1/reports", &[urlencoded], one_line).await.json();
    assert!(json["hint"].as_str().is_some_and(|hint| hint.contains("curl -T")));
}

#[tokio::test]
async fn a_stored_report_survives_a_restart() {
    let service = Service::start(&[]).await;
    let body = service.store(LOG).await;
    let service = service.restart().await;
    let path = format!("/api/v1/reports/{}", body["id"].as_str().expect("id"));
    let read = service.get(&path, "*/*").await;
    assert_eq!(read.status, 200);
    assert_eq!(read.json()["analysis"], body["analysis"]);
}

#[tokio::test]
async fn many_at_once_are_all_stored() {
    let service = std::sync::Arc::new(Service::start(&[]).await);
    let send = |n: usize| {
        let service = service.clone();
        tokio::spawn(async move { service.store(&format!("{LOG}run {n}\n")).await["id"].as_str().map(str::to_owned) })
    };
    let tasks: Vec<_> = (0..24).map(send).collect();
    let mut ids = std::collections::HashSet::new();
    for task in tasks {
        ids.insert(task.await.expect("task").expect("id"));
    }
    assert_eq!(ids.len(), 24);
    for id in ids {
        assert_eq!(service.get(&format!("/r/{id}.json"), "*/*").await.status, 200);
    }
}
