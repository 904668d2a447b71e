//! `migrate`, `copy`, `purge`: what the store needs from whoever runs it.

use super::print;
use crate::config::{Config, SettingFlags};
use crate::error::Error;
use crate::pattern::Patterns;
use crate::store::{Counts, Store};
use clap::Args;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    settings: SettingFlags,
}

#[derive(Debug, Args)]
pub struct CopyArgs {
    /// Store to read: sqlite://FILE or postgres://USER:PASSWORD@HOST/DATABASE.
    #[arg(long, value_name = "URL")]
    from: String,
    /// Store to fill; it must be empty.
    #[arg(long, value_name = "URL")]
    to: String,
    /// Go on with a copy that was interrupted: reports that the target holds are left alone.
    #[arg(long)]
    resume: bool,
}

#[derive(Debug, Args)]
pub struct PurgeArgs {
    /// Also rebuild the search index, which drops the traces of words that no report holds now.
    #[arg(long)]
    search_index: bool,
    #[command(flatten)]
    settings: SettingFlags,
}

impl MigrateArgs {
    /// Makes the tables, or brings them up to date.
    pub fn run(self) -> Result<ExitCode, Error> {
        let config = Config::load(&self.settings.0)?;
        wait(async {
            let store = Store::open(&config.database_url).await?;
            print(&format!("{}: the tables are up to date\n", store.kind()))?;
            store.close().await;
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl CopyArgs {
    /// Copies one store into another and compares the counts: 1 where they differ.
    pub fn run(self) -> Result<ExitCode, Error> {
        if self.from == self.to {
            return Err(refused("--to", "it is the store that is read"));
        }
        wait(async {
            let patterns = Patterns::builtin()?;
            let (from, to) = (Store::open(&self.from).await?, Store::open(&self.to).await?);
            if !self.resume && to.counts().await? != Counts::default() {
                return Err(refused("--to", "it holds reports already; take an empty one, or --resume to go on with a copy"));
            }
            let done = from.copy_to(&to, patterns.register()).await?;
            let (left, right) = (from.counts().await?, to.counts().await?);
            let same = left == right;
            let mut out = format!("copied {} reports, {} were there already\n", done.copied, done.present);
            let rows = [
                ("reports", left.reports, right.reports),
                ("analyses", left.analyses, right.analyses),
                ("findings", left.findings, right.findings),
                ("searchable", left.searchable, right.searchable),
            ];
            for (name, left, right) in rows {
                let mark = if left == right { "same" } else { "DIFFERENT" };
                out.push_str(&format!("{name:<11} {left:>9} -> {right:>9}  {mark}\n"));
            }
            print(&out)?;
            from.close().await;
            to.close().await;
            Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(1) })
        })
    }
}

impl PurgeArgs {
    /// Deletes every report whose time is over.
    pub fn run(self) -> Result<ExitCode, Error> {
        let config = Config::load(&self.settings.0)?;
        wait(async {
            let store = Store::open(&config.database_url).await?;
            let now = jiff::Timestamp::now().as_second();
            let mut total = 0;
            loop {
                match store.expire(now).await? {
                    0 => break,
                    count => total += count,
                }
            }
            if self.search_index {
                store.rebuild_search().await?;
            }
            let mut out = format!("deleted {total} expired reports\n");
            if !store.retire_log().await? {
                out.push_str("the write-ahead log keeps deleted keys until the server reuses it: the database user may not ask for a checkpoint (see docs/store.md)\n");
            }
            print(&out)?;
            store.close().await;
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn refused(name: &str, reason: &str) -> Error {
    Error::BadSetting { name: name.to_owned(), reason: reason.to_owned() }
}

fn wait(work: impl Future<Output = Result<ExitCode, Error>>) -> Result<ExitCode, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|_| Error::Internal)?;
    runtime.block_on(work)
}
