//! Deleted is gone: rows, search, and every file of the database.

use super::Test;
use super::shelf::{HOUR, Kind, MISMATCH, NOW, Shelf, assert_whole, run, save};
use faultbook::error::Error;

pub const TESTS: &[Test] = &[
    ("only_the_token_deletes", only_the_token_deletes),
    ("no_file_holds_a_deleted_report", no_file_holds_a_deleted_report),
    ("no_file_holds_an_expired_report", no_file_holds_an_expired_report),
    ("a_held_up_sweep_is_made_good", a_held_up_sweep_is_made_good),
    ("a_rebuilt_index_finds_the_same", a_rebuilt_index_finds_the_same),
];

/// Text that no other file of the cluster holds; `word` differs by test and database.
fn planted(shelf: &Shelf, word: &str) -> (String, Vec<String>) {
    let word = format!("{word}{}q", shelf.name.replace('_', "q"));
    let log = (0..400).map(|n| format!("[{n}.0] {word} step{n} 琥珀海豚 failed to allocate\n")).collect();
    (log, vec![word, "琥珀海豚".to_owned()])
}

/// What must be in no file after a deletion: the words, and on PostgreSQL the key besides.
fn key(shelf: &Shelf, id: &str) -> Option<Vec<u8>> {
    (shelf.kind == Kind::Postgres).then(|| {
        let hex =
            shelf.sql(&format!("select encode(key, 'hex') from report_key k join report r on r.number = k.number where r.id = '{id}'"));
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
    })
}

fn only_the_token_deletes(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let (one, two) = (save(&store, MISMATCH, NOW).await, save(&store, MISMATCH, NOW).await);
        for token in ["", "x", &two.delete_token, &one.id] {
            assert!(matches!(store.delete(&one.id, token).await, Err(Error::WrongToken)), "{token}");
        }
        assert!(matches!(store.delete("nothing", &one.delete_token).await, Err(Error::UnknownId)));
        assert_whole(&store, &one.id, MISMATCH, NOW).await;
        assert_eq!(shelf.holding(one.delete_token.as_bytes()), Vec::<String>::new(), "only its hash is stored");
        store.delete(&one.id, &one.delete_token).await.expect("deleted");
        assert!(matches!(store.delete(&one.id, &one.delete_token).await, Err(Error::UnknownId)));
        assert_whole(&store, &two.id, MISMATCH, NOW).await;
    });
}

/// Waits for what PostgreSQL has in memory to be in its files.
fn settle(shelf: &Shelf) {
    if shelf.kind == Kind::Postgres {
        shelf.sql("checkpoint");
    }
}

fn assert_gone(shelf: &Shelf, words: &[String], key: Option<&[u8]>) {
    settle(shelf);
    for word in words {
        assert_eq!(shelf.holding(word.as_bytes()), Vec::<String>::new(), "{word}");
    }
    if let Some(key) = key {
        // The write-ahead log holds the key until the server is done with the segment.
        let left: Vec<String> = shelf.holding(key).into_iter().filter(|path| !path.contains("/pg_wal/")).collect();
        assert_eq!(left, Vec::<String>::new(), "the key");
    }
}

fn no_file_holds_a_deleted_report(shelf: &Shelf) {
    let (log, words) = planted(shelf, "zebrafinch");
    run(async {
        let store = shelf.open().await;
        for n in 0..5 {
            save(&store, &format!("other report {n}\n").repeat(200), 0).await;
        }
        let receipt = save(&store, &log, NOW).await;
        save(&store, &"a later report\n".repeat(300), NOW).await;
        settle(shelf);
        let key = key(shelf, &receipt.id);
        match &key {
            None => assert!(!shelf.holding(words[0].as_bytes()).is_empty(), "the search for it must be able to fail"),
            Some(key) => assert!(shelf.holding(key).iter().any(|path| path.contains("/base/")), "the search for it must be able to fail"),
        }
        assert_eq!(store.search(&words[0], NOW, 20).await.expect("search").len(), 1);
        store.delete(&receipt.id, &receipt.delete_token).await.expect("deleted");
        assert_eq!(store.search(&words[0], NOW, 20).await.expect("search").len(), 0);
        assert_gone(shelf, &words, key.as_deref());
        let counts = store.counts().await.expect("counts");
        assert_eq!((counts.reports, counts.analyses, counts.searchable), (6, 6, 6));
        store.close().await;
        assert_gone(shelf, &words, key.as_deref());
        // `purge` retires the log; a server that does not reuse old segments then has none of it.
        let purged = super::copying::faultbook(&["purge", "--database-url", &shelf.url]);
        assert_eq!(String::from_utf8_lossy(&purged.stdout), "deleted 5 expired reports\n");
        let left = key.map_or_else(Vec::new, |key| shelf.holding(&key));
        assert_eq!(left, Vec::<String>::new(), "the key, in the log too");
    });
}

fn no_file_holds_an_expired_report(shelf: &Shelf) {
    let (log, words) = planted(shelf, "whimbrel");
    run(async {
        let store = shelf.open().await;
        let (gone, kept) = (save(&store, &log, NOW).await, save(&store, MISMATCH, NOW + HOUR).await);
        settle(shelf);
        let key = key(shelf, &gone.id);
        assert_eq!(store.expire(NOW).await.expect("expiry"), 0);
        assert_eq!(store.expire(NOW + HOUR).await.expect("expiry"), 1);
        assert_gone(shelf, &words, key.as_deref());
        assert_whole(&store, &kept.id, MISMATCH, NOW + HOUR).await;
    });
}

/// A reader with an old view keeps deleted rows in the files; they go with the next expiry.
fn a_held_up_sweep_is_made_good(shelf: &Shelf) {
    use sqlx::{Connection, Executor};
    let (log, words) = planted(shelf, "corncrake");
    run(async {
        let store = shelf.open().await;
        let receipt = save(&store, &log, NOW).await;
        settle(shelf);
        let key = key(shelf, &receipt.id);
        match shelf.kind {
            Kind::Sqlite => {
                let mut reader = sqlx::SqliteConnection::connect(&shelf.url).await.expect("connects");
                reader.execute("begin; select count(*) from report").await.expect("reads");
                store.delete(&receipt.id, &receipt.delete_token).await.expect("deleted");
                assert!(!shelf.holding(words[0].as_bytes()).is_empty(), "the reader holds it up");
                reader.execute("commit").await.expect("ends");
            }
            Kind::Postgres => {
                let mut reader = sqlx::PgConnection::connect(&shelf.url).await.expect("connects");
                reader.execute("begin isolation level repeatable read; select count(*) from report").await.expect("reads");
                store.delete(&receipt.id, &receipt.delete_token).await.expect("deleted");
                assert_eq!(shelf.sql("select count(*) from unswept"), "1", "the reader holds it up");
                reader.execute("commit").await.expect("ends");
            }
        }
        assert_eq!(store.expire(NOW).await.expect("expiry"), 0);
        assert_gone(shelf, &words, key.as_deref());
        if shelf.kind == Kind::Postgres {
            assert_eq!(shelf.sql("select count(*) from unswept"), "0");
        }
    });
}

fn a_rebuilt_index_finds_the_same(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let (gone, kept) = (save(&store, "corncrakes call\n", NOW).await, save(&store, "curlews call\n", NOW).await);
        store.delete(&gone.id, &gone.delete_token).await.expect("deleted");
        store.rebuild_search().await.expect("rebuilt");
        let hits = store.search("call", NOW, 20).await.expect("search");
        assert_eq!(hits.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&kept.id]);
        assert_eq!(store.search("corncrakes", NOW, 20).await.expect("search"), Vec::new());
    });
}
