//! Deleting for good: rows, search words, and what the database's files would keep of them.

use super::{Store, ids, postgres, unavailable};
use crate::error::Error;
use sqlx::{Postgres, Row, Sqlite, Transaction};

/// Reports deleted in one transaction when their time is over.
const BATCH: i64 = 500;
/// Advisory lock of the instance that deletes what has expired.
const EXPIRER: i64 = 0x0066_6175_6c74_0001;

/// Runs the same statements in a transaction that writes, then commits and sweeps.
macro_rules! in_transaction {
    ($store:expr, $tx:ident => $body:expr) => {
        match $store {
            Store::Sqlite(db) => {
                let mut $tx = db.begin().await?;
                let out = $body;
                $tx.commit().await.map_err(unavailable)?;
                db.sweep().await;
                Ok(out)
            }
            Store::Postgres(db) => {
                let mut $tx = db.begin().await?;
                let out = $body;
                $tx.commit().await.map_err(unavailable)?;
                db.sweep().await;
                Ok(out)
            }
        }
    };
}

impl Store {
    /// Deletes a report for whoever holds its token.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::WrongToken`], [`Error::StoreUnavailable`].
    pub async fn delete(&self, id: &str, token: &str) -> Result<(), Error> {
        in_transaction!(self, tx => {
            let row = sqlx::query("select number, token_hash from report where id = $1").bind(id);
            let row = row.fetch_optional(&mut *tx).await.map_err(unavailable)?.ok_or(Error::UnknownId)?;
            let wanted: String = row.try_get("token_hash").map_err(unavailable)?;
            if ids::hash(token) != wanted {
                return Err(Error::WrongToken);
            }
            tx.remove(row.try_get("number").map_err(unavailable)?).await.map_err(unavailable)?;
        })
    }

    /// Deletes reports whose time is over, some hundreds at most; gives their number. Of several
    /// instances on one database, one does so at a time and the others find nothing to do.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn expire(&self, now: i64) -> Result<usize, Error> {
        in_transaction!(self, tx => {
            if !tx.only_one().await.map_err(unavailable)? {
                return Ok(0);
            }
            let rows = sqlx::query("select number from report where expires <= $1 order by expires limit $2").bind(now).bind(BATCH);
            let rows = rows.fetch_all(&mut *tx).await.map_err(unavailable)?;
            for row in &rows {
                tx.remove(row.try_get("number").map_err(unavailable)?).await.map_err(unavailable)?;
            }
            rows.len()
        })
    }

    /// Hastens the end of what PostgreSQL's write-ahead log still holds of deleted keys: a new
    /// segment and a checkpoint, after which the server removes or reuses the old ones. False
    /// where the database's user may not ask for that; SQLite's log is always emptied.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn retire_log(&self) -> Result<bool, Error> {
        let Store::Postgres(db) = self else { return Ok(true) };
        for statement in ["select pg_switch_wal()", "checkpoint"] {
            match sqlx::raw_sql(statement).execute(&db.pool).await {
                Ok(_) => {}
                Err(error) if error.as_database_error().is_some_and(|e| e.code().as_deref() == Some("42501")) => return Ok(false),
                Err(error) => return Err(unavailable(error)),
            }
        }
        Ok(true)
    }
}

/// What the two databases do differently while deleting.
trait Removing {
    /// True where this is the only instance that deletes what has expired.
    async fn only_one(&mut self) -> Result<bool, sqlx::Error>;
    /// Removes one report with all that belongs to it.
    async fn remove(&mut self, number: i64) -> Result<(), sqlx::Error>;
}

impl Removing for Transaction<'static, Sqlite> {
    async fn only_one(&mut self) -> Result<bool, sqlx::Error> {
        Ok(true)
    }

    async fn remove(&mut self, number: i64) -> Result<(), sqlx::Error> {
        for statement in ["delete from search where rowid = $1", "delete from report where number = $1"] {
            sqlx::query(statement).bind(number).execute(&mut **self).await?;
        }
        Ok(())
    }
}

impl Removing for Transaction<'static, Postgres> {
    async fn only_one(&mut self) -> Result<bool, sqlx::Error> {
        sqlx::query("select pg_try_advisory_xact_lock($1)").bind(EXPIRER).fetch_one(&mut **self).await?.try_get(0)
    }

    async fn remove(&mut self, number: i64) -> Result<(), sqlx::Error> {
        let bucket = postgres::bucket(number);
        sqlx::query("delete from report_key where number = $1 and bucket = $2").bind(number).bind(bucket).execute(&mut **self).await?;
        sqlx::query("delete from report where number = $1").bind(number).execute(&mut **self).await?;
        let listed = sqlx::query(
            "insert into unswept (bucket, last) values ($1, pg_current_xact_id()::xid::text) \
             on conflict (bucket) do update set last = excluded.last",
        );
        listed.bind(bucket).execute(&mut **self).await?;
        Ok(())
    }
}
