//! Moving a team from one store to another.

use super::rows::{AnalysisRow, Head, Rows};
use super::{Store, opened, unavailable};
use crate::error::Error;
use crate::facts::Register;
use sqlx::Row;
use std::collections::HashSet;

/// Reports copied in one transaction.
const BATCH: i64 = 50;

const READ_SQLITE: &str = "select r.number, r.id, r.token_hash, r.created, r.expires, r.fingerprint, r.lines, r.anonymized, null as key \
     from report r where r.number > $1 order by r.number limit $2";
const READ_POSTGRES: &str = "select r.number, r.id, r.token_hash, r.created, r.expires, r.fingerprint, r.lines, r.anonymized, k.key \
     from report r join report_key k on k.number = r.number and k.bucket = r.number % 16 \
     where r.number > $1 order by r.number limit $2";

/// How many rows a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub reports: i64,
    pub analyses: i64,
    pub findings: i64,
    /// Reports that search can find.
    pub searchable: i64,
}

/// What a copy did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub copied: u64,
    /// Reports that the target held already.
    pub present: u64,
}

/// A report as read, with its number in the source.
type Read = (i64, Head, Vec<AnalysisRow>);

impl Store {
    /// Counts every table; slow on a large store.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn counts(&self) -> Result<Counts, Error> {
        on_read!(self, pool => {
            let row = sqlx::query(
                "select (select count(*) from report), (select count(*) from analysis), \
                 (select count(*) from finding), (select count(*) from search)",
            );
            let row = row.fetch_one(pool).await.map_err(unavailable)?;
            let counts = (|| Ok(Counts { reports: row.try_get(0)?, analyses: row.try_get(1)?, findings: row.try_get(2)?, searchable: row.try_get(3)? }))();
            counts.map_err(unavailable)
        })
    }

    /// Copies every report that `to` does not hold, in order, with its id, delete token and times.
    /// Interrupted, it may be started again.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`]; [`Error::Internal`] where a report cannot be read.
    pub async fn copy_to(&self, to: &Store, register: &Register) -> Result<Copied, Error> {
        let (mut copied, mut after) = (Copied::default(), 0);
        loop {
            let batch = self.batch(after).await?;
            let Some((last, _, _)) = batch.last() else { return Ok(copied) };
            after = *last;
            let ids: Vec<&str> = batch.iter().map(|(_, head, _)| head.id.as_str()).collect();
            let present = to.present(&ids).await?;
            copied.present += present.len() as u64;
            let missing = batch.into_iter().filter(|(_, head, _)| !present.contains(&head.id));
            let rows = missing.map(|(_, head, analyses)| Rows::of_stored(head, analyses, register)).collect::<Result<Vec<_>, _>>()?;
            to.insert(&rows).await?;
            copied.copied += rows.len() as u64;
        }
    }

    async fn batch(&self, after: i64) -> Result<Vec<Read>, Error> {
        let statement = match self {
            Store::Sqlite(_) => READ_SQLITE,
            Store::Postgres(_) => READ_POSTGRES,
        };
        on_read!(self, pool => {
            let rows = sqlx::query(statement).bind(after).bind(BATCH).fetch_all(pool).await.map_err(unavailable)?;
            let mut out = Vec::with_capacity(rows.len());
            for row in &rows {
                let key: Option<Vec<u8>> = row.try_get("key").map_err(unavailable)?;
                let text = |column: &str| opened(key.as_deref(), row.try_get(column).map_err(unavailable)?);
                let head = Head {
                    id: row.try_get("id").map_err(unavailable)?,
                    token_hash: row.try_get("token_hash").map_err(unavailable)?,
                    created: row.try_get("created").map_err(unavailable)?,
                    expires: row.try_get("expires").map_err(unavailable)?,
                    fingerprint: row.try_get("fingerprint").map_err(unavailable)?,
                    lines: text("lines")?,
                    anonymized: text("anonymized")?,
                };
                let analyses = self.analyses_of(&head.id, key.as_deref()).await?;
                out.push((row.try_get("number").map_err(unavailable)?, head, analyses));
            }
            Ok(out)
        })
    }

    async fn analyses_of(&self, id: &str, key: Option<&[u8]>) -> Result<Vec<AnalysisRow>, Error> {
        on_read!(self, pool => {
            let rows = sqlx::query("select patterns, made, en, zh from analysis where report = $1 order by made, patterns");
            let rows = rows.bind(id).fetch_all(pool).await.map_err(unavailable)?;
            let mut out = Vec::with_capacity(rows.len());
            for row in &rows {
                let text = |column: &str| opened(key, row.try_get(column).map_err(unavailable)?);
                let (patterns, made) = (row.try_get("patterns").map_err(unavailable)?, row.try_get("made").map_err(unavailable)?);
                out.push(AnalysisRow { patterns, made, en: text("en")?, zh: text("zh")? });
            }
            Ok(out)
        })
    }

    /// Which of these ids the store holds.
    async fn present(&self, ids: &[&str]) -> Result<HashSet<String>, Error> {
        let mut out = HashSet::new();
        for id in ids {
            let held = on_read!(self, pool => {
                let row = sqlx::query("select 1 from report where id = $1").bind(*id).fetch_optional(pool).await;
                row.map_err(unavailable)?.is_some()
            });
            if held {
                out.insert((*id).to_owned());
            }
        }
        Ok(out)
    }
}
