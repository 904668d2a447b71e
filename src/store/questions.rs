//! What the pages ask the store: counts by cause and fingerprint, and search.

use super::words::query_words;
use super::{Store, unavailable};
use crate::error::Error;
use sqlx::{Row, sqlite::SqliteRow};

/// How often a cause stood first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseCount {
    pub cause: String,
    pub count: i64,
    /// Seconds since 1970.
    pub last: i64,
}

/// How often something was seen, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub count: i64,
    /// Seconds since 1970; 0 where never.
    pub first: i64,
    /// Seconds since 1970; 0 where never.
    pub last: i64,
}

/// A report that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub id: String,
    pub created: i64,
    /// Its first finding.
    pub cause: Option<String>,
}

impl Store {
    /// The causes that stood first since `since`, the most frequent first.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn recent_causes(&self, since: i64, limit: u32) -> Result<Vec<CauseCount>, Error> {
        let Store::Sqlite(db) = self;
        let rows = sqlx::query(
            "select cause, count(*) as n, max(created) as last from finding \
             where rank = 1 and created >= $1 group by cause order by n desc, last desc, cause limit $2",
        );
        let rows = rows.bind(since).bind(i64::from(limit)).fetch_all(&db.read).await.map_err(unavailable)?;
        let count = |row: &SqliteRow| Ok(CauseCount { cause: row.try_get(0)?, count: row.try_get(1)?, last: row.try_get(2)? });
        rows.iter().map(count).collect::<Result<_, _>>().map_err(unavailable)
    }

    /// How often reports had this fingerprint.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn seen_fingerprint(&self, fingerprint: &str) -> Result<Seen, Error> {
        self.seen("select count(*), min(created), max(created) from report where fingerprint = $1", fingerprint).await
    }

    /// How many reports had this cause among their findings.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn seen_cause(&self, cause: &str) -> Result<Seen, Error> {
        self.seen("select count(distinct report), min(created), max(created) from finding where cause = $1", cause).await
    }

    async fn seen(&self, statement: &'static str, key: &str) -> Result<Seen, Error> {
        let Store::Sqlite(db) = self;
        let row = sqlx::query(statement).bind(key).fetch_one(&db.read).await.map_err(unavailable)?;
        let time = |column: usize| row.try_get::<Option<i64>, _>(column).map(Option::unwrap_or_default);
        let seen = (|| Ok(Seen { count: row.try_get(0)?, first: time(1)?, last: time(2)? }))();
        seen.map_err(unavailable)
    }

    /// Reports that hold the words of `query`: all of them, or else as many as possible; best first.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn search(&self, query: &str, now: i64, limit: u32) -> Result<Vec<Hit>, Error> {
        let words = query_words(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let all = self.matching(&match_expression(&words, " AND "), now, limit).await?;
        if !all.is_empty() || words.len() == 1 {
            return Ok(all);
        }
        self.matching(&match_expression(&words, " OR "), now, limit).await
    }

    async fn matching(&self, expression: &str, now: i64, limit: u32) -> Result<Vec<Hit>, Error> {
        let Store::Sqlite(db) = self;
        let rows = sqlx::query(
            "select r.id, r.created, f.cause from search s join report r on r.number = s.rowid \
             left join finding f on f.report = r.id and f.rank = 1 \
             where s.words match $1 and (r.expires is null or r.expires > $2) order by s.rank, r.created desc limit $3",
        );
        let rows = rows.bind(expression).bind(now).bind(i64::from(limit)).fetch_all(&db.read).await.map_err(unavailable)?;
        let hit = |row: &SqliteRow| Ok(Hit { id: row.try_get(0)?, created: row.try_get(1)?, cause: row.try_get(2)? });
        rows.iter().map(hit).collect::<Result<_, _>>().map_err(unavailable)
    }
}

/// Words are letters and digits only, so quoting is safe.
fn match_expression(words: &[String], glue: &str) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(glue)
}
