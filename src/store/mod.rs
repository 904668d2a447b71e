//! The store: anonymised reports with their analysis, over SQLite or PostgreSQL.
//!
//! One function per question, the same statements on both wherever both understand them. What is
//! acknowledged is committed; what is deleted is gone from every file. Nothing here sees raw
//! text: a [`crate::report::Report`] can only be made of anonymised lines.

/// Runs the same statements on a connection that reads, of whichever database it is.
macro_rules! on_read {
    ($store:expr, $pool:ident => $body:expr) => {
        match $store {
            $crate::store::Store::Sqlite(db) => {
                let $pool = &db.read;
                $body
            }
            $crate::store::Store::Postgres(db) => {
                let $pool = &db.pool;
                $body
            }
        }
    };
}

mod copy;
mod delete;
mod health;
mod ids;
mod postgres;
mod questions;
mod rows;
mod save;
mod seal;
mod search;
mod sqlite;
pub mod words;

pub use copy::{Copied, Counts};
pub use ids::{new_id, new_token};
pub use postgres::Postgres;
pub use questions::{CauseCount, Seen};
pub use search::Hit;
pub use sqlite::Sqlite;

use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::i18n::Lang;
use seal::Key;
use sqlx::Row;
use std::collections::BTreeMap;

/// The database behind the service.
#[derive(Clone, Debug)]
pub enum Store {
    Sqlite(Sqlite),
    Postgres(Postgres),
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

/// A report and its newest analysis. `key` opens what PostgreSQL keeps sealed.
const LOAD_SQLITE: &str = "select r.id, r.created, r.expires, r.fingerprint, r.lines, r.anonymized, a.en, a.zh, null as key \
     from report r join analysis a on a.report = r.id \
     where r.id = $1 and (r.expires is null or r.expires > $2) order by a.made desc, a.patterns desc limit 1";
const LOAD_POSTGRES: &str = "select r.id, r.created, r.expires, r.fingerprint, r.lines, r.anonymized, a.en, a.zh, k.key \
     from report r join analysis a on a.report = r.id join report_key k on k.number = r.number and k.bucket = r.number % 16 \
     where r.id = $1 and (r.expires is null or r.expires > $2) order by a.made desc, a.patterns desc limit 1";

impl Store {
    /// Opens (and where needed migrates) the database of a setting such as
    /// `sqlite://faultbook.db`, which is made where it is missing, or
    /// `postgres://user:password@host/database`, which must exist.
    ///
    /// # Errors
    /// [`Error::BadSetting`] for a database that is not built in or cannot be opened.
    pub async fn open(url: &str) -> Result<Store, Error> {
        match url.split_once(':') {
            Some(("sqlite", _)) => Ok(Store::Sqlite(Sqlite::open(url).await?)),
            Some(("postgres" | "postgresql", _)) => Ok(Store::Postgres(Postgres::open(url).await?)),
            _ => Err(fault("it must start with sqlite:// or postgres://")),
        }
    }

    /// The database's name, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Store::Sqlite(_) => "SQLite",
            Store::Postgres(_) => "PostgreSQL",
        }
    }

    /// The report with this id.
    ///
    /// # Errors
    /// [`Error::UnknownId`], [`Error::StoreUnavailable`].
    pub async fn load(&self, id: &str, now: i64) -> Result<Stored, Error> {
        let statement = match self {
            Store::Sqlite(_) => LOAD_SQLITE,
            Store::Postgres(_) => LOAD_POSTGRES,
        };
        on_read!(self, pool => {
            let row = sqlx::query(statement).bind(id).bind(now).fetch_optional(pool).await.map_err(unavailable)?;
            let row = row.ok_or(Error::UnknownId)?;
            let key: Option<Vec<u8>> = row.try_get("key").map_err(unavailable)?;
            let text = |column: &str| opened(key.as_deref(), row.try_get(column).map_err(unavailable)?);
            let lines = text("lines")?;
            Ok(Stored {
                id: row.try_get("id").map_err(unavailable)?,
                created: row.try_get("created").map_err(unavailable)?,
                expires: row.try_get("expires").map_err(unavailable)?,
                fingerprint: row.try_get("fingerprint").map_err(unavailable)?,
                lines: lines.split('\n').map(str::to_owned).collect(),
                analyses: [json(&text("en")?)?, json(&text("zh")?)?],
                anonymized: json(&text("anonymized")?)?,
            })
        })
    }

    /// Closes the database in order; SQLite's write-ahead log is folded in.
    pub async fn close(&self) {
        match self {
            Store::Sqlite(db) => {
                db.read.close().await;
                db.write.close().await;
            }
            Store::Postgres(db) => db.pool.close().await,
        }
    }
}

/// A kept text as it was given; without a key it was never sealed.
fn opened(key: Option<&[u8]>, kept: Vec<u8>) -> Result<String, Error> {
    match key {
        None => String::from_utf8(kept).map_err(|_| damaged()),
        Some(key) => Key::from_bytes(key).and_then(|key| key.open(&kept)).ok_or_else(damaged),
    }
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|_| damaged())
}

fn damaged() -> Error {
    tracing::error!("a stored report cannot be read back");
    Error::Internal
}

fn fault(reason: &str) -> Error {
    Error::BadSetting { name: "FAULTBOOK_DATABASE_URL".to_owned(), reason: reason.to_owned() }
}

/// Why the tables could not be brought up to date.
fn not_migrated(error: &sqlx::migrate::MigrateError) -> Error {
    use sqlx::migrate::MigrateError;
    let reason = match error {
        MigrateError::VersionMismatch(_) => "its tables were made by another line of versions".to_owned(),
        MigrateError::Dirty(_) => "a migration was interrupted; restore the last backup".to_owned(),
        MigrateError::Execute(inner) | MigrateError::ExecuteMigration(inner, _) => {
            format!("its tables cannot be brought up to date ({}; {})", class(inner), advice(inner))
        }
        _ => "its tables are of another version or damaged".to_owned(),
    };
    fault(&reason)
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

/// What whoever runs the service can do about an error of the database.
fn advice(error: &sqlx::Error) -> &'static str {
    let code = error.as_database_error().and_then(|e| e.code().map(std::borrow::Cow::into_owned));
    match (error, code.as_deref()) {
        (sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut, _) => "start the database, or see whether it can be reached",
        (_, Some("13" | "53100")) => "the disk is full: free some space; nothing else needs to be done",
        (_, Some("8" | "264" | "520" | "776" | "1032" | "1288" | "1544" | "25006")) => {
            "the database is read-only: make its file and folder, or the server, writable"
        }
        (_, Some("5" | "261" | "517" | "773")) => "another program holds the database's lock: end it",
        (_, Some("14" | "526" | "1550")) => "the file cannot be opened: check its folder's permissions",
        (_, Some("11" | "26" | "XX001" | "XX002")) => "the database is damaged: restore the last backup",
        (_, Some("53300")) => "the server has no free connections: raise max_connections",
        (_, Some("57P01" | "57P02" | "57P03")) => "the server is starting or ending: wait",
        (_, Some("42501")) => "the database user lacks rights: make it the owner of the tables",
        _ => "see the database's own log",
    }
}

fn unavailable(error: sqlx::Error) -> Error {
    tracing::error!(kind = class(&error), advice = advice(&error), "the store does not answer");
    Error::StoreUnavailable
}
