//! Unknown lines that log readers report.

use std::net::IpAddr;

use crate::app::App;
use crate::domain::device_login::MAX_SAMPLE_BATCHES;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::Store;
use crate::store::reader::{self, UnknownLineRow};
use crate::views::reader::SampleBatch;
use gamelog::{MAX_REDACTED_BYTES, redact};

use super::grammar::BUILT_IN;
use super::limit;

/// Stored unknown lines.
const MAX_SAMPLES: i64 = 2_000;
const MAX_SAMPLES_PER_UPLOAD: usize = 50;
const MAX_SAMPLES_LISTED: i64 = 200;
const MAX_PATCH_CHARS: usize = 40;
/// Limit of one reported count.
const MAX_SAMPLE_COUNT: i64 = 1_000_000;

/// Stores lines that a reader could not parse. They are redacted again: names and numbers are never stored.
pub async fn store_samples(app: &App, batch: SampleBatch, address: Option<IpAddr>) -> Result<usize, AppError> {
    limit("sample", MAX_SAMPLE_BATCHES).count(&app.accounts, address)?;
    if batch.samples.len() > MAX_SAMPLES_PER_UPLOAD {
        return Err(AppError::invalid_parameter("samples", &format!("at most {MAX_SAMPLES_PER_UPLOAD} lines")));
    }
    let now = app.store.now().0;
    let rows = tokio::task::spawn_blocking(move || redacted(&batch, now)).await.map_err(AppError::internal)??;
    let accepted = rows.len();
    if accepted > 0 {
        app.store.write(move |tx| reader::add_unknown_lines(tx, &rows, MAX_SAMPLES).map_err(AppError::from)).await?;
    }
    Ok(accepted)
}

/// Redacts and deduplicates the lines.
fn redacted(batch: &SampleBatch, now: i64) -> Result<Vec<UnknownLineRow>, AppError> {
    let patch: String = batch.patch.chars().filter(|c| !c.is_control()).take(MAX_PATCH_CHARS).collect();
    let grammar = BUILT_IN.as_ref().map_err(|error| AppError::internal(std::io::Error::other(error.to_string())))?;
    let mut rows: Vec<UnknownLineRow> = Vec::new();
    for sample in &batch.samples {
        let line = redact(grammar, &sample.line, None).ok_or_else(|| {
            AppError::invalid_parameter(
                "samples.line",
                &format!("a line that begins like a known one, up to {MAX_REDACTED_BYTES} bytes"),
            )
        })?;
        if !(1..=MAX_SAMPLE_COUNT).contains(&sample.count) {
            return Err(AppError::invalid_parameter("samples.count", "a whole number from 1 to 1000000"));
        }
        match rows.iter_mut().find(|row| row.line == line) {
            Some(row) => row.report_count += sample.count,
            None => rows.push(UnknownLineRow {
                line,
                patch: patch.clone(),
                report_count: sample.count,
                first_reported_at: now,
                last_reported_at: now,
            }),
        }
    }
    Ok(rows)
}

/// The unknown lines, for admins who maintain the grammar.
pub async fn samples(store: &Store, member: &Member) -> Result<Vec<UnknownLineRow>, AppError> {
    if !member.is_admin {
        return Err(AppError::Forbidden("Only admins of this site can see unknown lines.".into()));
    }
    Ok(store.read(|conn| reader::unknown_lines(conn, MAX_SAMPLES_LISTED)).await?)
}
