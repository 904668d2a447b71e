//! Deleting for good: rows, search words, and the write-ahead log's copies of them.

use super::{Store, ids, unavailable};
use crate::error::Error;
use sqlx::{Row, Sqlite, Transaction};
use std::time::Duration;

/// How often a checkpoint that readers hold up is tried again.
const TRIES: u32 = 20;

impl Store {
    /// Deletes a report for whoever holds its token.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::WrongToken`], [`Error::StoreUnavailable`].
    pub async fn delete(&self, id: &str, token: &str) -> Result<(), Error> {
        let Store::Sqlite(db) = self;
        let mut tx = db.write.begin_with("begin immediate").await.map_err(unavailable)?;
        let row = sqlx::query("select number, token_hash from report where id = $1").bind(id);
        let row = row.fetch_optional(&mut *tx).await.map_err(unavailable)?.ok_or(Error::UnknownId)?;
        let wanted: String = row.try_get("token_hash").map_err(unavailable)?;
        if ids::hash(token) != wanted {
            return Err(Error::WrongToken);
        }
        remove(&mut tx, row.try_get("number").map_err(unavailable)?).await?;
        tx.commit().await.map_err(unavailable)?;
        self.fold_log().await;
        Ok(())
    }

    /// Deletes the reports whose time is over; gives their number.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`].
    pub async fn expire(&self, now: i64) -> Result<usize, Error> {
        let Store::Sqlite(db) = self;
        let mut tx = db.write.begin_with("begin immediate").await.map_err(unavailable)?;
        let rows = sqlx::query("select number from report where expires <= $1 order by expires limit 500").bind(now);
        let rows = rows.fetch_all(&mut *tx).await.map_err(unavailable)?;
        for row in &rows {
            remove(&mut tx, row.try_get("number").map_err(unavailable)?).await?;
        }
        tx.commit().await.map_err(unavailable)?;
        self.fold_log().await;
        Ok(rows.len())
    }

    /// Writes the log back into the database and empties it, so that it keeps no deleted text.
    /// A reader may hold it up for a moment; the expiry task tries again later.
    async fn fold_log(&self) {
        let Store::Sqlite(db) = self;
        for _ in 0..TRIES {
            let row = sqlx::query("pragma wal_checkpoint(truncate)").fetch_one(&db.write).await;
            match row.and_then(|row| row.try_get::<i64, _>(0)) {
                Ok(0) => return,
                _ => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        tracing::warn!("readers hold up the emptying of the write-ahead log; it is tried again at the next expiry");
    }
}

async fn remove(tx: &mut Transaction<'static, Sqlite>, number: i64) -> Result<(), Error> {
    for statement in ["delete from search where rowid = $1", "delete from report where number = $1"] {
        sqlx::query(statement).bind(number).execute(&mut **tx).await.map_err(unavailable)?;
    }
    Ok(())
}
