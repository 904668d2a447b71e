//! What is saved comes back, is counted and is found.

use super::Test;
use super::shelf::{HOUR, MISMATCH, NOW, Shelf, assert_whole, report, run, save};
use faultbook::error::Error;
use faultbook::i18n::Lang;
use faultbook::store::{Seen, Store};

pub const TESTS: &[Test] = &[
    ("what_is_saved_comes_back_whole", what_is_saved_comes_back_whole),
    ("unknown_and_expired_are_not_shown", unknown_and_expired_are_not_shown),
    ("likes_are_counted", likes_are_counted),
    ("causes_stand_in_order", causes_stand_in_order),
    ("search_finds_the_same", search_finds_the_same),
    ("search_finds_what_is_old", search_finds_what_is_old),
    ("search_takes_any_query", search_takes_any_query),
    ("many_long_words_are_taken", many_long_words_are_taken),
    ("a_clock_set_back_loses_nothing", a_clock_set_back_loses_nothing),
];

fn what_is_saved_comes_back_whole(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let odd = "first\n\n  \t indented\n驱动版本不匹配 🦀 é \u{10ffff}\nquote ' \" \\ $1 %s {x} \u{0}nul\nlast";
        for log in [MISMATCH, odd, "x"] {
            let receipt = save(&store, log, NOW).await;
            assert_eq!((receipt.created, receipt.expires), (NOW, Some(NOW + HOUR)));
            assert_whole(&store, &receipt.id, log, NOW).await;
            let stored = store.load(&receipt.id, NOW).await.expect("loads");
            assert_eq!((stored.id, stored.created, stored.expires), (receipt.id, NOW, Some(NOW + HOUR)));
        }
        // Closed and opened again, it is still there.
        let receipt = save(&store, MISMATCH, NOW).await;
        store.close().await;
        assert_whole(&shelf.open().await, &receipt.id, MISMATCH, NOW).await;
    });
}

fn unknown_and_expired_are_not_shown(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let receipt = save(&store, MISMATCH, NOW).await;
        for id in ["", "x", "' or 1=1 --", "00000000000000000000000000", "\u{1f980}"] {
            assert!(matches!(store.load(id, NOW).await, Err(Error::UnknownId)), "{id}");
        }
        assert!(store.load(&receipt.id, NOW + HOUR - 1).await.is_ok());
        assert!(matches!(store.load(&receipt.id, NOW + HOUR).await, Err(Error::UnknownId)));
        assert_eq!(store.search("mismatch", NOW + HOUR, 20).await.expect("search"), Vec::new());
    });
}

fn likes_are_counted(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let fingerprint = report(MISMATCH).analysis(Lang::En).fingerprint.clone();
        assert_eq!(store.seen_fingerprint(&fingerprint).await.expect("seen"), Seen::default());
        for at in [NOW + 5, NOW, NOW + 9] {
            save(&store, MISMATCH, at).await;
        }
        save(&store, "an ordinary line\n", NOW).await;
        let expected = Seen { count: 3, first: NOW, last: NOW + 9 };
        assert_eq!(store.seen_fingerprint(&fingerprint).await.expect("seen"), expected);
        assert_eq!(store.seen_cause("driver-library-mismatch").await.expect("seen"), expected);
        assert_eq!(store.seen_cause("no-such-cause").await.expect("seen"), Seen::default());
    });
}

fn causes_stand_in_order(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let xid = "[ 1.0] NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n";
        for (log, at) in [(MISMATCH, NOW - 10), (MISMATCH, NOW), (xid, NOW + 1), (MISMATCH, NOW + 2), ("quiet\n", NOW)] {
            save(&store, log, at).await;
        }
        let causes = store.recent_causes(NOW, 8).await.expect("causes");
        let shown: Vec<(&str, i64, i64)> = causes.iter().map(|c| (c.cause.as_str(), c.count, c.last)).collect();
        assert_eq!(shown, [("driver-library-mismatch", 2, NOW + 2), ("gpu-fell-off-bus", 1, NOW + 1)]);
        assert_eq!(store.recent_causes(NOW, 1).await.expect("causes").len(), 1);
    });
}

/// The positions in `ids` of what a search finds, in its order.
async fn found(store: &Store, ids: &[String], query: &str) -> Vec<usize> {
    let hits = store.search(query, NOW, 20).await.expect("search");
    hits.iter().map(|hit| ids.iter().position(|id| *id == hit.id).expect("known id")).collect()
}

fn search_finds_the_same(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let logs = [
            "NCCL WARN Call to connect returned Connection refused, retrying\n",
            "RuntimeError: CUDA error: out of memory on torch 2.4.1+cu124\n",
            "显卡驱动版本不匹配，请重启机器\n",
            "Connection closed by peer, NCCL timeout after 600s\n",
            "驱动程序无法加载 nvidia_uvm ÉCOLE Straße ΣΊΣΥΦΟΣ\n",
            "nothing of note here at all\n",
        ];
        let mut ids = Vec::new();
        for log in logs {
            ids.push(save(&store, log, NOW).await.id);
        }
        let cases: &[(&str, &[usize])] = &[
            ("nccl", &[3, 0]),
            ("NCCL connection", &[3, 0]),
            ("connection refused", &[0]),
            ("驱动", &[4, 2]),
            ("驱动版本", &[2]),
            ("驱动 nvidia_uvm", &[4]),
            ("2.4.1+cu124", &[1]),
            ("école", &[4]),
            ("STRASSE", &[]),
            ("straße", &[4]),
            ("σίσυφος", &[4]),
            ("zebrafinch", &[]),
            // A word that no report holds is left out.
            ("nccl zebrafinch", &[3, 0]),
            // No report holds all of them: most first, then the newest.
            ("nccl refused 驱动 cuda", &[0, 4, 3, 2, 1]),
            ("", &[]),
            ("?!", &[]),
        ];
        for (query, expected) in cases {
            assert_eq!(found(&store, &ids, query).await, *expected, "{query}");
        }
        assert_eq!(store.search("connection", NOW, 1).await.expect("search").len(), 1);
    });
}

/// PostgreSQL looks at the newest reports first, and must not stop there.
fn search_finds_what_is_old(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let old = [save(&store, "corncrake one\n", NOW).await.id, save(&store, "corncrake two\n", NOW).await.id];
        let (numbers, blob, words, key) = match shelf.kind {
            super::Kind::Sqlite => (
                "(with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select i from n) n",
                "''",
                "'filler'",
                "rowid",
            ),
            super::Kind::Postgres => ("generate_series(1, 2500) n(i)", "''::bytea", "array_to_tsvector('{filler}')", "number"),
        };
        shelf.sql(&format!("insert into report (id, token_hash, created, fingerprint, lines, anonymized) select 'filler-' || i, '', {NOW}, '', {blob}, {blob} from {numbers}"));
        shelf.sql(&format!("insert into search ({key}, words) select number, {words} from report where id like 'filler-%'"));
        let new = save(&store, "corncrake three\n", NOW).await.id;
        let found = |query: &'static str, limit| {
            let store = store.clone();
            async move { store.search(query, NOW, limit).await.expect("search").into_iter().map(|hit| hit.id).collect::<Vec<_>>() }
        };
        assert_eq!(found("one", 20).await, [old[0].clone()]);
        assert_eq!(found("corncrake", 20).await, [new.clone(), old[1].clone(), old[0].clone()]);
        assert_eq!(found("corncrake", 2).await, [new.clone(), old[1].clone()]);
        assert_eq!(found("corncrake", 1).await, [new]);
    });
}

fn search_takes_any_query(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        save(&store, "near and or not select drop table report\n", NOW).await;
        let hostile = [
            "' or 1=1",
            "\" OR \"",
            "a & | ! <-> b:*",
            "near(x y)",
            "NOT and OR",
            "\\",
            "a\u{0}b",
            "words:x",
            "^*",
            "🦀",
            "\u{301}",
            "٣٤",
            "ǅ ﬁ ⅷ ²",
        ];
        for query in hostile {
            store.search(query, NOW, 20).await.expect(query);
        }
        assert_eq!(store.search("NOT and OR", NOW, 20).await.expect("search").len(), 1);
        let long = "word ".repeat(10_000) + &(0..5_000).map(|n| format!("w{n} ")).collect::<String>();
        assert_eq!(store.search(&long, NOW, 20).await.expect("search").len(), 0);
    });
}

fn many_long_words_are_taken(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let log: String = (0..22_000).map(|n| format!("{n:0>60}q\n")).collect();
        let receipt = save(&store, &log, NOW).await;
        assert_whole(&store, &receipt.id, &log, NOW).await;
        let hits = store.search(&format!("{:0>60}q", 7), NOW, 20).await.expect("search");
        assert_eq!(hits.first().map(|hit| hit.id.clone()), Some(receipt.id));
    });
}

fn a_clock_set_back_loses_nothing(shelf: &Shelf) {
    run(async {
        let store = shelf.open().await;
        let later = save(&store, MISMATCH, NOW + 30 * 24 * HOUR).await;
        let sooner = save(&store, MISMATCH, NOW).await;
        assert_eq!(store.expire(NOW).await.expect("expiry"), 0);
        for receipt in [&later, &sooner] {
            assert_whole(&store, &receipt.id, MISMATCH, NOW).await;
        }
        assert_eq!(store.seen_cause("driver-library-mismatch").await.expect("seen").count, 2);
        assert!(store.ready().await);
    });
}
