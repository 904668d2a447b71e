//! Moving a team: `migrate`, `copy`, `purge` as commands, and backup and restore.

use super::Test;
use super::shelf::{HOUR, Kind, MISMATCH, NOW, PATTERNS, Shelf, assert_whole, report, run, save};
use faultbook::store::{Receipt, Store};
use std::process::{Command, Output};

pub const TESTS: &[Test] = &[
    ("copy_takes_everything_along", copy_takes_everything_along),
    ("copy_goes_on_where_it_stopped", copy_goes_on_where_it_stopped),
    ("migrate_and_purge_are_commands", migrate_and_purge_are_commands),
    ("a_backup_is_restored", a_backup_is_restored),
];

const LOGS: &[&str] = &[MISMATCH, "quiet\n", "显卡驱动版本不匹配\n", "CUDA error: out of memory\n"];

/// The program with these arguments, run to its end.
pub fn faultbook(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_faultbook")).args(arguments).env_remove("FAULTBOOK_DATABASE_URL").output().expect("runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Saves 120 reports: more than one batch.
async fn fill(store: &Store) -> Vec<(Receipt, &'static str)> {
    let mut out = Vec::new();
    for n in 0..120 {
        let log = LOGS[n % LOGS.len()];
        out.push((store.save(&report(log), PATTERNS.register(), NOW + n as i64, None).await.expect("saved"), log));
    }
    out
}

fn copy_takes_everything_along(shelf: &Shelf) {
    let (there, back) = (shelf.other(), Shelf::new(shelf.kind, shelf.cluster.clone()));
    run(async {
        let saved = fill(&shelf.open().await).await;
        for (from, to) in [(shelf, &there), (&there, &back)] {
            let done = faultbook(&["copy", "--from", &from.url, "--to", &to.url]);
            assert_eq!(done.status.code(), Some(0), "{}", text(&done));
            assert!(text(&done).contains("copied 120 reports") && !text(&done).contains("DIFFERENT"), "{}", text(&done));
            let (from, to) = (from.open().await, to.open().await);
            assert_eq!(from.counts().await.expect("counts"), to.counts().await.expect("counts"));
            for (receipt, log) in saved.iter().step_by(17) {
                assert_whole(&to, &receipt.id, log, NOW).await;
            }
            for query in ["驱动", "cuda memory", "quiet", "mismatch quiet"] {
                let (left, right) = (from.search(query, NOW, 50).await.expect("search"), to.search(query, NOW, 50).await.expect("search"));
                assert!(!left.is_empty() && left == right, "{query}");
            }
        }
        let (receipt, _) = &saved[0];
        back.open().await.delete(&receipt.id, &receipt.delete_token).await.expect("the token came along");
        let refused = faultbook(&["copy", "--from", &shelf.url, "--to", &back.url]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused).contains("--resume"), "{}", text(&refused));
        assert_eq!(faultbook(&["copy", "--from", &shelf.url, "--to", &shelf.url]).status.code(), Some(2));
    });
}

fn copy_goes_on_where_it_stopped(shelf: &Shelf) {
    let there = shelf.other();
    run(async {
        let (from, to) = (shelf.open().await, there.open().await);
        fill(&from).await;
        // The first part, as an interrupted copy leaves it.
        from.copy_to(&to, PATTERNS.register()).await.expect("copied");
        save(&from, "a later one\n", NOW).await;
        let done = faultbook(&["copy", "--resume", "--from", &shelf.url, "--to", &there.url]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done));
        assert!(text(&done).contains("copied 1 reports, 120 were there already"), "{}", text(&done));
        // A target with reports of its own is told apart.
        save(&to, "not from there\n", NOW).await;
        let done = faultbook(&["copy", "--resume", "--from", &shelf.url, "--to", &there.url]);
        assert_eq!(done.status.code(), Some(1), "{}", text(&done));
        assert!(text(&done).contains("DIFFERENT"));
    });
}

fn migrate_and_purge_are_commands(shelf: &Shelf) {
    for _ in 0..2 {
        let done = faultbook(&["migrate", "--database-url", &shelf.url]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done));
    }
    run(async {
        let store = shelf.open().await;
        let long_ago = jiff::Timestamp::now().as_second() - 2 * HOUR;
        for _ in 0..3 {
            save(&store, MISMATCH, long_ago).await;
        }
        save(&store, MISMATCH, long_ago + 2 * HOUR).await;
        let done = faultbook(&["purge", "--search-index", "--database-url", &shelf.url]);
        assert_eq!((done.status.code(), text(&done).as_str()), (Some(0), "deleted 3 expired reports\n"));
        assert_eq!(store.counts().await.expect("counts").reports, 1);
    });
    for url in ["mysql://x", "postgres://nobody@127.0.0.1:1/x", "sqlite:///no/such/folder/x.db"] {
        let done = faultbook(&["migrate", "--database-url", url]);
        assert_eq!(done.status.code(), Some(2), "{url}");
        assert!(text(&done).contains("bad-setting: The setting FAULTBOOK_DATABASE_URL cannot be used"), "{}", text(&done));
    }
}

/// The commands of docs/store.md, while the service has the store open.
fn a_backup_is_restored(shelf: &Shelf) {
    let copy = tempfile::tempdir().expect("folder");
    let path = copy.path().join("backup");
    run(async {
        let store = shelf.open().await;
        let receipt = save(&store, MISMATCH, NOW).await;
        let restored = match shelf.kind {
            Kind::Sqlite => {
                shelf.sql(&format!("vacuum into '{}'", path.display()));
                Store::open(&format!("sqlite://{}", path.display())).await
            }
            Kind::Postgres => {
                let dump = shelf.cluster.program("pg_dump").args(["-Fc", "-f"]).arg(&path).arg(&shelf.name).output().expect("pg_dump");
                assert!(dump.status.success(), "{}", text(&dump));
                let name = format!("{}_restored", shelf.name);
                let url = shelf.cluster.database(&name, true);
                let restore = shelf.cluster.program("pg_restore").args(["-d", &name]).arg(&path).output().expect("pg_restore");
                assert!(restore.status.success(), "{}", text(&restore));
                Store::open(&url).await
            }
        };
        store.delete(&receipt.id, &receipt.delete_token).await.expect("deleted");
        let restored = restored.expect("opens");
        assert_whole(&restored, &receipt.id, MISMATCH, NOW).await;
        assert_eq!(restored.search("mismatch", NOW, 20).await.expect("search").len(), 1);
        save(&restored, MISMATCH, NOW).await;
    });
}
