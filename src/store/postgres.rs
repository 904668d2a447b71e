//! PostgreSQL: several instances of Faultbook may share one database.

use super::health::Health;
use super::{class, fault, unavailable};
use crate::error::Error;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{PgPool, Row, Transaction};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Connections of one instance.
const CONNECTIONS: u32 = 10;
/// How long a request waits for a connection; PostgreSQL may be restarting.
const WAIT: Duration = Duration::from_secs(5);
/// Advisory lock of the instance that sweeps; any number that nobody else uses.
const SWEEPER: i64 = 0x0066_6175_6c74_0002;
/// The keys are kept in so many parts; see the migration.
const BUCKETS: i64 = 16;
/// How often, and how long apart, a sweep waits for a transaction that still sees deleted keys.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// A pool of connections.
#[derive(Clone, Debug)]
pub struct Postgres {
    pub(super) pool: PgPool,
    pub(super) health: Arc<Health>,
}

/// The part of the key table that holds a report's key.
pub(super) fn bucket(number: i64) -> i64 {
    number.rem_euclid(BUCKETS)
}

impl Postgres {
    /// Connects and brings the tables up to date; of several instances one does so at a time.
    /// An older instance goes on: migrations only add.
    pub(super) async fn open(url: &str) -> Result<Postgres, Error> {
        let options = PgConnectOptions::from_str(url).map_err(|_| fault("it is no address of a PostgreSQL database"))?;
        let options = options.application_name("faultbook");
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(WAIT)
            .after_connect(|connection, _| Box::pin(prepare(connection)));
        let pool =
            pool.connect_with(options).await.map_err(|e| fault(&format!("PostgreSQL does not let in ({}{})", class(&e), reason(&e))))?;
        let mut migrations = sqlx::migrate!("migrations/postgres");
        migrations.set_ignore_missing(true).run(&pool).await.map_err(|e| super::not_migrated(&e))?;
        Ok(Postgres { pool, health: Arc::default() })
    }

    pub(super) async fn begin(&self) -> Result<Transaction<'static, sqlx::Postgres>, Error> {
        self.pool.begin().await.map_err(unavailable)
    }

    /// Rewrites the parts of the key table from which keys were deleted, so that no file holds
    /// them. One instance does so at a time; what cannot be done now is done at the next expiry.
    pub(super) async fn sweep(&self) {
        let swept = async {
            let mut connection = self.pool.acquire().await?;
            let row = sqlx::query("select pg_try_advisory_lock($1)").bind(SWEEPER).fetch_one(&mut *connection).await?;
            if !row.try_get::<bool, _>(0)? {
                return Ok(true);
            }
            let swept = sweep_parts(&mut connection).await;
            // Closing ends the session's settings and its lock, whatever became of the sweep.
            connection.close().await?;
            swept
        };
        match swept.await {
            Ok(true) => {}
            Ok(false) => tracing::warn!("a long transaction holds up the removal of deleted keys; it is tried again at the next expiry"),
            Err(error) => tracing::warn!(kind = class(&error), "deleted keys could not be removed; it is tried again at the next expiry"),
        }
    }
}

/// Every new connection: what was acknowledged must be on the disk whatever the server's default,
/// and a statement is planned for its values, since words differ a millionfold in frequency.
async fn prepare(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select set_config('plan_cache_mode', 'force_custom_plan', false)").execute(&mut *connection).await?;
    let statement = "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";
    sqlx::query(statement).execute(&mut *connection).await?;
    Ok(())
}

/// False where a part could not be rewritten in time.
async fn sweep_parts(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let rows = sqlx::query("select bucket, last from unswept order by bucket").fetch_all(&mut *connection).await?;
    if rows.is_empty() {
        return Ok(true);
    }
    // A rewrite shuts everybody out of its part; it must not queue behind a backup, with all
    // readers queueing behind it.
    sqlx::query("set lock_timeout = '2s'").execute(&mut *connection).await?;
    for row in rows {
        let (bucket, last): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
        if !unseen(connection, &last).await? {
            return Ok(false);
        }
        let rewrite = format!("vacuum (full) report_key_{}", bucket.rem_euclid(BUCKETS));
        sqlx::raw_sql(sqlx::AssertSqlSafe(rewrite)).execute(&mut *connection).await?;
        // A deletion meanwhile has changed `last`, and its part stays on the list.
        let done = sqlx::query("delete from unswept where bucket = $1 and last = $2");
        done.bind(bucket).bind(last).execute(&mut *connection).await?;
    }
    Ok(true)
}

/// Waits until no transaction sees what transaction `last` deleted: a rewrite would keep it.
async fn unseen(connection: &mut PgConnection, last: &str) -> Result<bool, sqlx::Error> {
    for _ in 0..TRIES {
        let row = sqlx::query(
            "select exists (select from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() \
             and backend_xmin is not null and age(backend_xmin) >= age($1::text::xid))",
        );
        if !row.bind(last).fetch_one(&mut *connection).await?.try_get::<bool, _>(0)? {
            return Ok(true);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(false)
}

/// What the person who set the address can do, where the code says it.
fn reason(error: &sqlx::Error) -> &'static str {
    let code = error.as_database_error().and_then(|e| e.code().map(|c| c.into_owned()));
    match code.as_deref() {
        Some("28P01" | "28000") => ": the user or password is not accepted",
        Some("3D000") => ": there is no such database; make it with createdb",
        Some("42501") => ": the user may not do that",
        Some("53300") => ": it has no free connections",
        _ => "",
    }
}
