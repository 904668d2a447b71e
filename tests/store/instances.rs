//! Several instances on one database.

use super::Test;
use super::shelf::{HOUR, MISMATCH, NOW, PATTERNS, Shelf, assert_whole, report, run, save};
use faultbook::store::Store;
use std::time::Duration;

pub const TESTS: &[Test] = &[
    ("instances_write_side_by_side", instances_write_side_by_side),
    ("expiry_happens_once", expiry_happens_once),
    ("instances_migrate_one_at_a_time", instances_migrate_one_at_a_time),
    ("an_older_instance_goes_on", an_older_instance_goes_on),
];

fn instances_write_side_by_side(shelf: &Shelf) {
    run(async {
        let stores = [shelf.open().await, shelf.open().await];
        let report = std::sync::Arc::new(report(MISMATCH));
        let mut saving = Vec::new();
        for n in 0..40 {
            let (store, report) = (stores[n % 2].clone(), report.clone());
            saving.push(tokio::spawn(async move { store.save(&report, PATTERNS.register(), NOW, None).await.expect("saved").id }));
        }
        for (n, one) in saving.into_iter().enumerate() {
            let id = one.await.expect("joins");
            assert_whole(&stores[(n + 1) % 2], &id, MISMATCH, NOW).await;
        }
        assert_eq!(stores[0].counts().await.expect("counts").reports, 40);
    });
}

fn expiry_happens_once(shelf: &Shelf) {
    run(async {
        let stores = [shelf.open().await, shelf.open().await, shelf.open().await];
        for n in 0..30 {
            save(&stores[0], MISMATCH, NOW + n).await;
        }
        let kept = save(&stores[1], MISMATCH, NOW + HOUR).await;
        let (a, b, c) =
            tokio::join!(stores[0].expire(NOW + HOUR + 60), stores[1].expire(NOW + HOUR + 60), stores[2].expire(NOW + HOUR + 60));
        let total = a.expect("expiry") + b.expect("expiry") + c.expect("expiry");
        assert_eq!(total, 30, "each is deleted by one instance only");
        assert_eq!(stores[2].counts().await.expect("counts").reports, 1);
        assert_whole(&stores[2], &kept.id, MISMATCH, NOW + HOUR + 60).await;
    });
}

fn instances_migrate_one_at_a_time(shelf: &Shelf) {
    run(async {
        let opening: Vec<_> = (0..6).map(|_| tokio::spawn(Store::open(Box::leak(shelf.url.clone().into_boxed_str())))).collect();
        for one in opening {
            assert!(one.await.expect("joins").expect("opens").ready().await);
        }
    });
}

fn an_older_instance_goes_on(shelf: &Shelf) {
    run(async { shelf.open().await.close().await });
    // What a newer version would leave: one more migration, one more column.
    let checksum = if shelf.kind == super::Kind::Sqlite { "x'00'" } else { "'\\x00'" };
    shelf.sql(&format!(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (9999, 'later', true, {checksum}, 1)"
    ));
    shelf.sql("alter table report add column later text");
    run(async {
        let store = shelf.open().await;
        let receipt = store.save(&report(MISMATCH), PATTERNS.register(), NOW, Some(Duration::from_secs(60))).await.expect("saved");
        assert_whole(&store, &receipt.id, MISMATCH, NOW).await;
        store.delete(&receipt.id, &receipt.delete_token).await.expect("deleted");
    });
}
