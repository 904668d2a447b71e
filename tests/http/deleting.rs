//! A deleted report is gone from every file.

use super::client::{Service, multipart};

/// A string of this paste that no other part of the database holds.
const PLANTED: &str = "zebrafinch7431";

fn log() -> String {
    (0..400).map(|n| format!("[{n}.0] {PLANTED} step{n} 琥珀海豚 failed to allocate\n")).collect()
}

/// The files that hold `text`.
fn holding(service: &Service, text: &str) -> Vec<String> {
    let holds = |path: &std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    service.files().into_iter().filter(holds).map(|path| path.display().to_string()).collect()
}

#[tokio::test]
async fn no_planted_string_stays_in_any_file() {
    let service = Service::start(&[]).await;
    for n in 0..5 {
        service.store(&format!("other report {n}\n").repeat(200)).await;
    }
    let body = service.store(&log()).await;
    service.store(&"a later report\n".repeat(300)).await;
    assert!(!holding(&service, PLANTED).is_empty(), "the search for it must be able to fail");
    let found = service.get(&format!("/api/v1/search?q={PLANTED}"), "*/*").await.json();
    assert_eq!(found["reports"].as_array().map(Vec::len), Some(1));

    let path = format!("/api/v1/reports/{}", body["id"].as_str().expect("id"));
    let token = body["delete_token"].as_str().expect("token");
    let deleted = service.send("DELETE", &path, &[("authorization", &format!("Bearer {token}"))], "").await;
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    for text in [PLANTED, "琥珀海豚", "琥珀", "海豚"] {
        assert_eq!(holding(&service, text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(service.get(&path, "*/*").await.status, 404);
    let found = service.get(&format!("/api/v1/search?q={PLANTED}"), "*/*").await.json();
    assert_eq!(found["reports"].as_array().map(Vec::len), Some(0));
    let service = service.restart().await;
    assert_eq!(holding(&service, PLANTED), Vec::<String>::new());
}

#[tokio::test]
async fn only_the_token_deletes() {
    let service = Service::start(&[]).await;
    let (one, two) = (service.store(&log()).await, service.store("another\n").await);
    let path = format!("/api/v1/reports/{}", one["id"].as_str().expect("id"));
    let other = format!("Bearer {}", two["delete_token"].as_str().expect("token"));
    for headers in
        [vec![], vec![("authorization", "Bearer x")], vec![("authorization", other.as_str())], vec![("authorization", "Basic x")]]
    {
        let answer = service.send("DELETE", &path, &headers, "").await;
        assert_eq!((answer.status.as_u16(), answer.json()["error"]["code"].as_str()), (403, Some("wrong-token")));
    }
    assert_eq!(service.get(&path, "*/*").await.status, 200);
    assert_eq!(holding(&service, one["delete_token"].as_str().expect("token")), Vec::<String>::new(), "only its hash is stored");
}

#[tokio::test]
async fn the_form_deletes_too() {
    let service = Service::start(&[]).await;
    let body = service.store(&log()).await;
    let path = format!("/r/{}/delete", body["id"].as_str().expect("id"));
    let (kind, wrong) = multipart(&[("token", "", "nonsense")]);
    assert_eq!(service.send("POST", &path, &[("content-type", &kind), ("accept", "text/html")], wrong).await.status, 403);
    let (kind, right) = multipart(&[("token", "", body["delete_token"].as_str().expect("token"))]);
    let answer = service.send("POST", &path, &[("content-type", &kind), ("accept", "text/html")], right).await;
    assert_eq!(answer.status, 303);
    assert_eq!(holding(&service, PLANTED), Vec::<String>::new());
}

#[tokio::test]
async fn what_has_expired_is_not_shown_and_then_deleted() {
    let service = Service::start(&[("retention", "1h")]).await;
    let body = service.store(&log()).await;
    let id = body["id"].as_str().expect("id");
    let now = jiff::Timestamp::now().as_second();
    let store = &service.app.store;
    assert!(store.load(id, now + 3_599).await.is_ok());
    assert!(store.load(id, now + 3_700).await.is_err());
    assert_eq!(store.expire(now).await.expect("expiry"), 0);
    assert_eq!(store.expire(now + 3_700).await.expect("expiry"), 1);
    assert_eq!(holding(&service, PLANTED), Vec::<String>::new());
}
