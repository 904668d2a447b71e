//! Saving a report: one transaction, acknowledged after its commit.

use super::rows::Rows;
use super::seal::{Key, digest};
use super::{Receipt, Store, ids, postgres, sqlite};
use crate::error::Error;
use crate::facts::Register;
use crate::report::Report;
use sqlx::{Postgres, QueryBuilder, Row, Sqlite, Transaction};
use std::time::Duration;

/// Rows per statement; far below either database's limit of bound values.
const BATCH: usize = 500;

impl Store {
    /// Stores a report and gives its id and delete token. `now` in seconds since 1970.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`]; nothing is stored then.
    pub async fn save(&self, report: &Report, register: &Register, now: i64, retention: Option<Duration>) -> Result<Receipt, Error> {
        let expires = retention.map(|time| now.saturating_add(time.as_secs() as i64));
        let receipt = Receipt { id: ids::new_id(), delete_token: ids::new_token(), created: now, expires };
        self.insert(&[Rows::of_report(report, &receipt, register)?]).await?;
        Ok(receipt)
    }

    /// Inserts all reports or none.
    pub(super) async fn insert(&self, reports: &[Rows]) -> Result<(), Error> {
        let done = match self {
            Store::Sqlite(db) => sqlite_reports(db, reports).await,
            Store::Postgres(db) => postgres_reports(db, reports).await,
        };
        self.note_write(&done);
        done
    }
}

async fn sqlite_reports(db: &sqlite::Sqlite, reports: &[Rows]) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    for rows in reports {
        insert_sqlite(&mut tx, rows).await.map_err(super::unavailable)?;
    }
    tx.commit().await.map_err(super::unavailable)
}

async fn postgres_reports(db: &postgres::Postgres, reports: &[Rows]) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    for rows in reports {
        insert_postgres(&mut tx, rows).await?;
    }
    tx.commit().await.map_err(super::unavailable)
}

/// The statements that both databases share; `$keep` gives a text the form in which it is kept,
/// `$value` a fact's. Gives the report's number, or the error of the database.
macro_rules! insert_shared {
    ($database:ty, $tx:expr, $rows:expr, $keep:expr, $value:expr) => {{
        let head = &$rows.head;
        let query = sqlx::query(
            "insert into report (id, token_hash, created, expires, fingerprint, lines, anonymized) \
             values ($1, $2, $3, $4, $5, $6, $7) returning number",
        );
        let query = query.bind(&head.id).bind(&head.token_hash).bind(head.created).bind(head.expires);
        let query = query.bind(&head.fingerprint).bind($keep(&head.lines)).bind($keep(&head.anonymized));
        let number: i64 = query.fetch_one(&mut **$tx).await?.try_get("number")?;
        for row in &$rows.analyses {
            let query = sqlx::query("insert into analysis (report, patterns, made, en, zh) values ($1, $2, $3, $4, $5)");
            let query = query.bind(&head.id).bind(&row.patterns).bind(row.made);
            query.bind($keep(&row.en)).bind($keep(&row.zh)).execute(&mut **$tx).await?;
        }
        for chunk in $rows.findings.chunks(BATCH) {
            let mut insert = QueryBuilder::<$database>::new("insert into finding (report, rank, cause, kind, layer, confidence, created) ");
            insert.push_values(chunk, |mut to, row| {
                to.push_bind(&head.id).push_bind(row.rank).push_bind(&row.cause).push_bind(&row.kind);
                to.push_bind(&row.layer).push_bind(&row.confidence).push_bind(head.created);
            });
            insert.build().execute(&mut **$tx).await?;
        }
        for chunk in $rows.facts.chunks(BATCH) {
            let mut insert = QueryBuilder::<$database>::new("insert into fact (report, scope, name, value) ");
            insert.push_values(chunk, |mut to, row| {
                to.push_bind(&head.id).push_bind(&row.scope).push_bind(&row.name).push_bind($value(&row.value));
            });
            insert.build().execute(&mut **$tx).await?;
        }
        Ok::<i64, sqlx::Error>(number)
    }};
}

async fn insert_sqlite(tx: &mut Transaction<'static, Sqlite>, rows: &Rows) -> Result<(), sqlx::Error> {
    let shared = async { insert_shared!(Sqlite, tx, rows, String::as_str, String::as_str) };
    let number = shared.await?;
    let query = sqlx::query("insert into search (rowid, words) values ($1, $2)").bind(number).bind(&rows.words);
    query.execute(&mut **tx).await?;
    Ok(())
}

async fn insert_postgres(tx: &mut Transaction<'static, Postgres>, rows: &Rows) -> Result<(), Error> {
    let key = Key::new();
    // A text that cannot be sealed becomes null, which no column takes: nothing is stored then.
    let keep = |text: &str| key.seal(text);
    let value = |text: &str| digest(text);
    let shared = async { insert_shared!(Postgres, tx, rows, keep, value) };
    let number = shared.await.map_err(super::unavailable)?;
    let query = sqlx::query("insert into report_key (number, bucket, key) values ($1, $2, $3)");
    let query = query.bind(number).bind(postgres::bucket(number)).bind(key.bytes());
    query.execute(&mut **tx).await.map_err(super::unavailable)?;
    let words: Vec<String> = rows.words.split_ascii_whitespace().map(digest).collect();
    let query = sqlx::query("insert into search (number, words) values ($1, array_to_tsvector($2))").bind(number).bind(words);
    query.execute(&mut **tx).await.map_err(super::unavailable)?;
    Ok(())
}
