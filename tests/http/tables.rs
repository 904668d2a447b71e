//! The tables' pages and the meaning of a code.

use super::client::Service;

const HTML: &str = "text/html";

#[tokio::test]
async fn every_table_has_a_page_and_its_first_row_too() {
    let service = Service::start(&[]).await;
    let index = service.get("/tables", HTML).await;
    let names: Vec<&str> = index.body.split("href=\"/tables/").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let page = service.get(&format!("/tables/{name}"), HTML).await;
        let inside = format!("href=\"/tables/{name}/");
        let row = page.body.split(inside.as_str()).nth(1).and_then(|part| part.split('"').next());
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        assert_eq!(service.get(&format!("/tables/{name}/{row}"), HTML).await.status.as_u16(), 200, "{name}/{row}");
    }
}

#[tokio::test]
async fn a_code_has_a_page_with_its_cause() {
    let service = Service::start(&[]).await;
    let page = service.get("/tables/xid/xid-79", HTML).await;
    assert!(page.body.contains("/causes/gpu-fell-off-bus") && page.body.contains("FALLEN_OFF_THE_BUS"));
    let answer = service.get("/explain?q=cuda+804", HTML).await;
    assert!(answer.body.contains("/causes/cuda-compat-unsupported"));
    assert_eq!(service.get("/tables/xid/xid-99999", HTML).await.status.as_u16(), 404);
    assert_eq!(service.get("/tables/none", HTML).await.status.as_u16(), 404);
    assert!(service.get("/explain?q=xid+79", "*/*").await.body.starts_with("Xid 79 "));
}

#[tokio::test]
async fn the_install_line_has_a_page() {
    let service = Service::start(&[]).await;
    let page = service.get("/wheel?driver=470&gpu=RTX+3090&python=3.10", HTML).await;
    assert!(page.body.contains("whl/cu118") && page.body.contains("450.80.02"));
    let text = service.get("/wheel?driver=390&gpu=RTX+5090", "*/*").await;
    assert!(text.body.contains("sm_120") && !text.body.contains("pip install"));
    assert_eq!(service.get("/wheel?gpu=Voodoo", HTML).await.status.as_u16(), 200);
}
