//! What the pages ask the store: counts by cause and fingerprint.

use super::{Store, unavailable};
use crate::error::Error;
use sqlx::Row;

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

impl Store {
    /// The causes that stood first since `since`, the most frequent first.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn recent_causes(&self, since: i64, limit: u32) -> Result<Vec<CauseCount>, Error> {
        on_read!(self, pool => {
            let rows = sqlx::query(
                "select cause, count(*) as n, max(created) as last from finding \
                 where rank = 1 and created >= $1 group by cause order by n desc, last desc, cause limit $2",
            );
            let rows = rows.bind(since).bind(i64::from(limit)).fetch_all(pool).await.map_err(unavailable)?;
            let counts = rows.iter().map(|row| Ok(CauseCount { cause: row.try_get(0)?, count: row.try_get(1)?, last: row.try_get(2)? }));
            counts.collect::<Result<_, _>>().map_err(unavailable)
        })
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
        on_read!(self, pool => {
            let row = sqlx::query(statement).bind(key).fetch_one(pool).await.map_err(unavailable)?;
            let time = |column: usize| row.try_get::<Option<i64>, _>(column).map(Option::unwrap_or_default);
            let seen = (|| Ok(Seen { count: row.try_get(0)?, first: time(1)?, last: time(2)? }))();
            seen.map_err(unavailable)
        })
    }
}
