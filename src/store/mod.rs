//! The store: anonymised reports with their analysis, over SQLite.
//!
//! One function per question. What is acknowledged is committed; what is deleted is gone from
//! every file. Nothing here sees raw text: a [`Report`] can only be made of anonymised lines.

mod delete;
mod ids;
mod questions;
mod save;
pub mod words;

pub use ids::{new_id, new_token};
pub use questions::{CauseCount, Hit, Seen};

use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::i18n::Lang;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Row, SqlitePool};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

/// How long a statement waits for a lock.
const BUSY: Duration = Duration::from_secs(10);

/// The database behind the service.
#[derive(Clone, Debug)]
pub enum Store {
    Sqlite(Sqlite),
}

/// One writer, so that writers queue here and never fail on a lock, and several readers.
#[derive(Clone, Debug)]
pub struct Sqlite {
    write: SqlitePool,
    read: SqlitePool,
}

/// A report as it was stored.
#[derive(Clone, Debug)]
pub struct Stored {
    pub id: String,
    /// Seconds since 1970.
    pub created: i64,
    /// Seconds since 1970; none: kept for ever.
    pub expires: Option<i64>,
    pub fingerprint: String,
    /// The anonymised lines.
    pub lines: Vec<String>,
    analyses: [Analysis; 2],
    /// How many values of each kind were replaced.
    pub anonymized: BTreeMap<String, usize>,
}

impl Stored {
    /// The analysis in a language.
    pub fn analysis(&self, lang: Lang) -> &Analysis {
        &self.analyses[matches!(lang, Lang::Zh) as usize]
    }
}

/// What the sender of a report gets.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub id: String,
    /// Shown once; the store keeps only its hash.
    pub delete_token: String,
    pub created: i64,
    pub expires: Option<i64>,
}

impl Store {
    /// Opens (and where needed makes and migrates) the database of a setting such as
    /// `sqlite://faultbook.db`.
    ///
    /// # Errors
    /// [`Error::BadSetting`] for a database that is not built in or cannot be opened.
    pub async fn open(url: &str) -> Result<Store, Error> {
        let fault = |reason: String| Error::BadSetting { name: "FAULTBOOK_DATABASE_URL".to_owned(), reason };
        if !url.starts_with("sqlite:") {
            return Err(fault("it must start with sqlite://".to_owned()));
        }
        let options = SqliteConnectOptions::from_str(url)
            .map_err(|_| fault("it is no address of a SQLite file".to_owned()))?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .pragma("secure_delete", "ON");
        let write = SqlitePoolOptions::new().max_connections(1).acquire_timeout(BUSY);
        let write = write.connect_with(options.clone()).await.map_err(|e| fault(format!("it cannot be opened ({})", class(&e))))?;
        let migrated = sqlx::migrate!("migrations/sqlite").run(&write).await;
        migrated.map_err(|_| fault("its tables are of another version or damaged".to_owned()))?;
        let read = SqlitePoolOptions::new().max_connections(4).acquire_timeout(BUSY);
        let read = read.connect_with(options.pragma("query_only", "ON")).await.map_err(unavailable)?;
        Ok(Store::Sqlite(Sqlite { write, read }))
    }

    /// True where the database answers.
    pub async fn ready(&self) -> bool {
        let Store::Sqlite(db) = self;
        sqlx::query("select 1 from report limit 1").fetch_optional(&db.read).await.is_ok()
    }

    /// The report with this id.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::StoreUnavailable`].
    pub async fn load(&self, id: &str, now: i64) -> Result<Stored, Error> {
        let Store::Sqlite(db) = self;
        let row = sqlx::query(
            "select r.id, r.created, r.expires, r.fingerprint, r.lines, r.anonymized, a.en, a.zh \
             from report r join analysis a on a.report = r.id \
             where r.id = $1 and (r.expires is null or r.expires > $2) order by a.made desc limit 1",
        );
        let row = row.bind(id).bind(now).fetch_optional(&db.read).await.map_err(unavailable)?;
        let row = row.ok_or(Error::UnknownId)?;
        let text = |column: &str| row.try_get::<String, _>(column).map_err(unavailable);
        let lines: String = text("lines")?;
        Ok(Stored {
            id: text("id")?,
            created: row.try_get("created").map_err(unavailable)?,
            expires: row.try_get("expires").map_err(unavailable)?,
            fingerprint: text("fingerprint")?,
            lines: lines.split('\n').map(str::to_owned).collect(),
            analyses: [json(&text("en")?)?, json(&text("zh")?)?],
            anonymized: json(&text("anonymized")?)?,
        })
    }

    /// Closes the database in order; the write-ahead log is folded in.
    pub async fn close(&self) {
        let Store::Sqlite(db) = self;
        db.read.close().await;
        db.write.close().await;
    }
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|_| {
        tracing::error!("a stored report cannot be read back");
        Error::Internal
    })
}

/// The kind of a database error, without any value that was bound to the statement.
fn class(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(inner) => format!("database error {}", inner.code().unwrap_or_default()),
        sqlx::Error::Io(inner) => format!("io error: {}", inner.kind()),
        sqlx::Error::PoolTimedOut => "no free connection".to_owned(),
        sqlx::Error::PoolClosed => "closed".to_owned(),
        _ => "unexpected answer".to_owned(),
    }
}

fn unavailable(error: sqlx::Error) -> Error {
    tracing::error!(kind = class(&error), "the store does not answer");
    Error::StoreUnavailable
}
