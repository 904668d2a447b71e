//! Search over reports: the same words and the same order on both databases.
//!
//! Results stand newest first. Where no report holds every word, words that no report holds are
//! left out; where that does not help either, reports with the most of the words come first.

use super::seal::digest;
use super::words::query_words;
use super::{Store, unavailable};
use crate::error::Error;
use sqlx::Row;
use std::collections::HashMap;

/// Newest reports looked at for each word when no report holds them all.
const NEWEST: u32 = 200;

const SQLITE: &str = "select r.number, r.id, r.created, f.cause from search s join report r on r.number = s.rowid \
     left join finding f on f.report = r.id and f.rank = 1 \
     where s.words match $1 and (r.expires is null or r.expires > $2) order by s.rowid desc limit $3";

/// What both of PostgreSQL's statements end with. The lateral join with its `offset 0` keeps the
/// planner from walking through all reports in search of the few that are wanted.
macro_rules! of_hits {
    ($hits:literal) => {
        concat!(
            $hits,
            " select r.number, r.id, r.created, f.cause from (select number from hits order by number desc) s \
             cross join lateral (select number, id, created from report \
             where report.number = s.number and (expires is null or expires > $2) offset 0) r \
             left join finding f on f.report = r.id and f.rank = 1 order by s.number desc limit $3"
        )
    };
}

/// Looks through the newest reports only: finds frequent words at once.
const POSTGRES_RECENT: &str = of_hits!(
    "with recent as materialized (select number, words from search order by number desc limit 2000), \
     hits as materialized (select number from recent where words @@ $1::text::tsquery)"
);
/// Looks into the index: fast for words that are not frequent. The planner cannot tell which are,
/// and with one statement for both took seconds for a word that stands in one report of a million.
const POSTGRES: &str = of_hits!("with hits as materialized (select number from search where words @@ $1::text::tsquery)");

/// A report that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub id: String,
    pub created: i64,
    /// Its first finding.
    pub cause: Option<String>,
}

impl Store {
    /// Reports that hold the words of `query`: all of them, or else as many as possible.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn search(&self, query: &str, now: i64, limit: u32) -> Result<Vec<Hit>, Error> {
        let words = query_words(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let all = self.holding(&words, now, limit).await?;
        if !all.is_empty() || words.len() == 1 {
            return Ok(all.into_iter().map(|(_, hit)| hit).collect());
        }
        self.holding_most(&words, now, limit).await
    }

    /// Rebuilds the search index, so that it holds no trace of words that no report holds. On
    /// PostgreSQL searches and new reports go on meanwhile.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn rebuild_search(&self) -> Result<(), Error> {
        let done = match self {
            Store::Sqlite(db) => sqlx::query("insert into search (search) values ('optimize')").execute(&db.write).await.map(|_| ()),
            Store::Postgres(db) => sqlx::raw_sql("reindex index concurrently search_words").execute(&db.pool).await.map(|_| ()),
        };
        done.map_err(unavailable)
    }

    async fn holding_most(&self, words: &[String], now: i64, limit: u32) -> Result<Vec<Hit>, Error> {
        let mut found: HashMap<i64, (usize, Hit)> = HashMap::new();
        let mut known = Vec::new();
        for word in words {
            let hits = self.holding(std::slice::from_ref(word), now, NEWEST).await?;
            if !hits.is_empty() {
                known.push(word.clone());
            }
            for (number, hit) in hits {
                found.entry(number).or_insert((0, hit)).0 += 1;
            }
        }
        if known.len() < words.len() && !known.is_empty() {
            let rest = self.holding(&known, now, limit).await?;
            if !rest.is_empty() {
                return Ok(rest.into_iter().map(|(_, hit)| hit).collect());
            }
        }
        let mut ranked: Vec<(usize, i64, Hit)> = found.into_iter().map(|(number, (count, hit))| (count, number, hit)).collect();
        ranked.sort_by_key(|(count, number, _)| std::cmp::Reverse((*count, *number)));
        Ok(ranked.into_iter().take(limit as usize).map(|(_, _, hit)| hit).collect())
    }

    /// The newest reports that hold every one of the words, each with its number.
    async fn holding(&self, words: &[String], now: i64, limit: u32) -> Result<Vec<(i64, Hit)>, Error> {
        // Words and digests are letters and digits only, so quoting is safe.
        let Store::Postgres(_) = self else {
            return self.hits(SQLITE, &quoted(words.iter().map(String::as_str), '"', " AND "), now, limit).await;
        };
        let digests: Vec<String> = words.iter().map(|word| digest(word)).collect();
        let expression = quoted(digests.iter().map(String::as_str), '\'', " & ");
        let recent = self.hits(POSTGRES_RECENT, &expression, now, limit).await?;
        if recent.len() >= limit as usize {
            return Ok(recent);
        }
        self.hits(POSTGRES, &expression, now, limit).await
    }

    async fn hits(&self, statement: &'static str, expression: &str, now: i64, limit: u32) -> Result<Vec<(i64, Hit)>, Error> {
        on_read!(self, pool => {
            let rows = sqlx::query(statement).bind(expression).bind(now).bind(i64::from(limit));
            let rows = rows.fetch_all(pool).await.map_err(unavailable)?;
            let hits = rows.iter().map(|row| Ok((row.try_get(0)?, Hit { id: row.try_get(1)?, created: row.try_get(2)?, cause: row.try_get(3)? })));
            hits.collect::<Result<_, _>>().map_err(unavailable)
        })
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>, quote: char, glue: &str) -> String {
    words.map(|word| format!("{quote}{word}{quote}")).collect::<Vec<_>>().join(glue)
}
