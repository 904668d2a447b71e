//! Saving a report: one transaction, acknowledged after its commit.

use super::words::index_words;
use super::{Receipt, Store, ids, unavailable};
use crate::diagnose::analysis::Analysis;
use crate::error::Error;
use crate::facts::Register;
use crate::i18n::Lang;
use crate::report::Report;
use serde::Serialize;
use sqlx::{Row, Sqlite, Transaction};
use std::time::Duration;

impl Store {
    /// Stores a report and gives its id and delete token. `now` in seconds since 1970.
    ///
    /// # Errors
    /// [`Error::StoreUnavailable`]; nothing is stored then.
    pub async fn save(&self, report: &Report, register: &Register, now: i64, retention: Option<Duration>) -> Result<Receipt, Error> {
        let Store::Sqlite(db) = self;
        let expires = retention.map(|time| now.saturating_add(time.as_secs() as i64));
        let receipt = Receipt { id: ids::new_id(), delete_token: ids::new_token(), created: now, expires };
        let mut tx = db.write.begin_with("begin immediate").await.map_err(unavailable)?;
        let number = insert_report(&mut tx, report, &receipt).await?;
        insert_analysis(&mut tx, report, &receipt).await?;
        insert_findings(&mut tx, report.analysis(Lang::En), &receipt).await?;
        insert_facts(&mut tx, report.analysis(Lang::En), &receipt, register).await?;
        sqlx::query("insert into search (rowid, words) values ($1, $2)")
            .bind(number)
            .bind(search_text(report))
            .execute(&mut *tx)
            .await
            .map_err(unavailable)?;
        tx.commit().await.map_err(unavailable)?;
        Ok(receipt)
    }
}

async fn insert_report(tx: &mut Transaction<'static, Sqlite>, report: &Report, receipt: &Receipt) -> Result<i64, Error> {
    let row = sqlx::query(
        "insert into report (id, token_hash, created, expires, fingerprint, lines, anonymized) \
         values ($1, $2, $3, $4, $5, $6, $7) returning number",
    );
    let row = row
        .bind(&receipt.id)
        .bind(ids::hash(&receipt.delete_token))
        .bind(receipt.created)
        .bind(receipt.expires)
        .bind(&report.analysis(Lang::En).fingerprint)
        .bind(report.lines().join("\n"))
        .bind(json(report.anonymized())?)
        .fetch_one(&mut **tx)
        .await
        .map_err(unavailable)?;
    row.try_get("number").map_err(unavailable)
}

async fn insert_analysis(tx: &mut Transaction<'static, Sqlite>, report: &Report, receipt: &Receipt) -> Result<(), Error> {
    let analysis = report.analysis(Lang::En);
    let query = sqlx::query("insert into analysis (report, patterns, made, en, zh) values ($1, $2, $3, $4, $5)");
    let query = query.bind(&receipt.id).bind(&analysis.patterns).bind(receipt.created);
    let query = query.bind(json(analysis)?).bind(json(report.analysis(Lang::Zh))?);
    query.execute(&mut **tx).await.map_err(unavailable)?;
    Ok(())
}

async fn insert_findings(tx: &mut Transaction<'static, Sqlite>, analysis: &Analysis, receipt: &Receipt) -> Result<(), Error> {
    for (at, finding) in analysis.findings.iter().enumerate() {
        let query = sqlx::query(
            "insert into finding (report, rank, cause, kind, layer, confidence, created) values ($1, $2, $3, $4, $5, $6, $7)",
        );
        let query = query.bind(&receipt.id).bind(at as i64 + 1).bind(&finding.cause);
        let query = query.bind(name(&finding.kind)).bind(finding.layer.name()).bind(name(&finding.confidence));
        query.bind(receipt.created).execute(&mut **tx).await.map_err(unavailable)?;
    }
    Ok(())
}

async fn insert_facts(tx: &mut Transaction<'static, Sqlite>, analysis: &Analysis, receipt: &Receipt, register: &Register) -> Result<(), Error> {
    let safe = |name: &str| register.get(name).is_some_and(|entry| entry.safe);
    for fact in analysis.facts.iter().filter(|fact| !fact.derived && safe(&fact.name)) {
        let value = match &fact.value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let query = sqlx::query("insert into fact (report, scope, name, value) values ($1, $2, $3, $4)");
        let query = query.bind(&receipt.id).bind(&fact.scope).bind(&fact.name).bind(value);
        query.execute(&mut **tx).await.map_err(unavailable)?;
    }
    Ok(())
}

/// The words that a report is found by: its findings' titles in both languages, then its lines.
fn search_text(report: &Report) -> String {
    let findings = [Lang::En, Lang::Zh].into_iter().flat_map(|lang| &report.analysis(lang).findings);
    let titles = findings.flat_map(|finding| [finding.cause.as_str(), finding.title.as_str()]);
    index_words(titles.chain(report.lines().iter().map(String::as_str)))
}

/// The serialised name of an enum value.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::Internal)
}
