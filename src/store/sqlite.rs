//! SQLite: one file, one writer, several readers.

use super::health::Health;
use super::{class, fault, unavailable};
use crate::error::Error;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row, SqlitePool, Transaction};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for a lock.
const BUSY: Duration = Duration::from_secs(5);
/// Connections that read at the same time.
const READERS: u32 = 4;
/// How often a checkpoint that readers hold up is tried again.
const TRIES: u32 = 10;
/// How often a migration is tried again beside programs that migrate at the same moment.
const MIGRATION_TRIES: u32 = 50;
/// In between, others may write.
const PAUSE: Duration = Duration::from_millis(100);

/// One writer, so that writers queue here and never fail on a lock, and several readers.
#[derive(Clone, Debug)]
pub struct Sqlite {
    pub(super) write: SqlitePool,
    pub(super) read: SqlitePool,
    pub(super) health: Arc<Health>,
}

impl Sqlite {
    /// Opens (and where needed makes and migrates) the file of a setting such as
    /// `sqlite://faultbook.db`.
    pub(super) async fn open(url: &str) -> Result<Sqlite, Error> {
        let options = SqliteConnectOptions::from_str(url)
            .map_err(|_| fault("it is no address of a SQLite file"))?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .pragma("secure_delete", "ON");
        let health = Arc::new(Health::default());
        let seen = health.clone();
        let write = SqlitePoolOptions::new().max_connections(1).acquire_timeout(BUSY);
        // A connection that was opened while the file was read-only stays so for good; after a
        // failed write the next one opens the file anew.
        let write = write.after_release(move |_, _| {
            let keep = !seen.failing();
            Box::pin(async move { Ok(keep) })
        });
        let write = write.connect_with(options.clone()).await.map_err(|e| fault(&format!("it cannot be opened ({})", class(&e))))?;
        migrate(&write).await?;
        let read = SqlitePoolOptions::new().max_connections(READERS).acquire_timeout(BUSY);
        let read = read.connect_with(options.pragma("query_only", "ON")).await.map_err(unavailable)?;
        Ok(Sqlite { write, read, health })
    }

    /// A transaction that writes: it takes the lock at once, since one that took it later would
    /// fail where another writer came first.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, sqlx::Sqlite>, Error> {
        self.write.begin_with("begin immediate").await.map_err(unavailable)
    }

    /// Writes the log back into the database and empties it, so that it keeps no deleted text.
    /// A reader may hold it up for a moment; the expiry task tries again later.
    pub(super) async fn sweep(&self) {
        for _ in 0..TRIES {
            if matches!(self.truncate_log().await, Ok(true)) {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
        tracing::warn!("readers hold up the emptying of the write-ahead log; it is tried again at the next expiry");
    }
    /// True where the log is empty now. Waits for readers a short time only, since writers wait too.
    async fn truncate_log(&self) -> Result<bool, sqlx::Error> {
        let mut connection = self.write.acquire().await?;
        sqlx::query("pragma busy_timeout = 100").execute(&mut *connection).await?;
        let row = sqlx::query("pragma wal_checkpoint(truncate)").fetch_one(&mut *connection).await;
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("pragma busy_timeout = {}", BUSY.as_millis()))).execute(&mut *connection).await?;
        Ok(row?.try_get::<i64, _>(0)? == 0)
    }
}

/// Brings the tables up to date. SQLite has no lock for that: of two programs that start at the
/// same moment one fails, changes nothing, and finds the work done when it tries again.
async fn migrate(pool: &SqlitePool) -> Result<(), Error> {
    let mut migrations = sqlx::migrate!("migrations/sqlite");
    migrations.set_ignore_missing(true);
    for _ in 0..MIGRATION_TRIES {
        match migrations.run(pool).await {
            Err(MigrateError::Execute(_) | MigrateError::ExecuteMigration(..)) => tokio::time::sleep(PAUSE).await,
            done => return done.map_err(|e| super::not_migrated(&e)),
        }
    }
    migrations.run(pool).await.map_err(|e| super::not_migrated(&e))
}
