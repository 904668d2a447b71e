//! Whether the store takes writes: a probe, and what became of the last real one.

use super::Store;
use crate::error::Error;
use sqlx::{PgPool, SqlitePool};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

/// A store that could not save is called unready for so many seconds, or until it saves again: a
/// disk that is nearly full may still take the probe, which is small.
const DISTRUST: i64 = 30;
/// A probe without an answer after this time is a failure.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct Health {
    /// When a report could last not be saved, in seconds since 1970; 0 after one that was.
    failed: AtomicI64,
    /// The last probe failed.
    probe: AtomicBool,
}

impl Health {
    /// True while writes fail.
    pub(super) fn failing(&self) -> bool {
        self.failed.load(Ordering::Relaxed) != 0 || self.probe.load(Ordering::Relaxed)
    }

    fn distrusted(&self, now: i64) -> bool {
        let failed = self.failed.load(Ordering::Relaxed);
        // A clock that was set back must not keep it unready.
        failed != 0 && (0..DISTRUST).contains(&now.saturating_sub(failed))
    }
}

impl Store {
    /// True where the database can be written and the last report, if any, could be saved.
    pub async fn ready(&self) -> bool {
        let now = jiff::Timestamp::now().as_second();
        let probe = async {
            match self {
                Store::Sqlite(db) => probe_sqlite(&db.write, now).await,
                Store::Postgres(db) => probe_postgres(&db.pool, now).await,
            }
        };
        let written = tokio::time::timeout(PATIENCE, probe).await;
        let fine = matches!(written, Ok(Ok(())));
        self.health().probe.store(!fine, Ordering::Relaxed);
        if let Ok(Err(error)) = written {
            tracing::warn!(kind = super::class(&error), advice = super::advice(&error), "the store is not ready");
        }
        fine && !self.health().distrusted(now)
    }

    /// Remembers how a write ended.
    pub(super) fn note_write(&self, outcome: &Result<(), Error>) {
        let at = if outcome.is_ok() { 0 } else { jiff::Timestamp::now().as_second() };
        self.health().failed.store(at, Ordering::Relaxed);
    }

    fn health(&self) -> &Health {
        match self {
            Store::Sqlite(db) => &db.health,
            Store::Postgres(db) => &db.health,
        }
    }
}

/// The statement of either probe.
const PULSE: &str = "update pulse set at = $1 where one = 1";

async fn probe_sqlite(pool: &SqlitePool, now: i64) -> Result<(), sqlx::Error> {
    sqlx::query(PULSE).bind(now).execute(pool).await.map(|_| ())
}

async fn probe_postgres(pool: &PgPool, now: i64) -> Result<(), sqlx::Error> {
    sqlx::query(PULSE).bind(now).execute(pool).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distrust_ends() {
        let health = Health::default();
        assert!(!health.distrusted(1_000));
        health.failed.store(1_000, Ordering::Relaxed);
        assert!(health.distrusted(1_000) && health.distrusted(1_029));
        assert!(!health.distrusted(1_030));
        assert!(!health.distrusted(500), "the clock was set back");
    }
}
