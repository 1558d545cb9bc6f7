//! Section of the ingest keys that need review after a restore.

use super::cells::{MAX_ROWS, format_time};
use crate::error::AppError;
use crate::store::{Store, keys};
use crate::views::admin::{AdminAction, AdminFact, AdminRows, AdminSection, Tone};

/// Shows user ids instead of names: admins copy this page into reports.
pub async fn section(store: &Store) -> Result<AdminSection, AppError> {
    let (live, waiting) =
        store.read(|conn| Ok((keys::count_all_live(conn)?, keys::for_review(conn, MAX_ROWS)?))).await?;
    let rows = waiting.iter().map(|key| {
        vec![Some(key.name.as_str().into()), key.user_id.map(Into::into), key.last_used_at.map(format_time)]
    });
    let confirm = |id: i64| AdminAction { label: "Confirm", path: format!("/api/keys/{id}/confirm") };
    Ok(AdminSection {
        id: "keys",
        title: "Ingest keys",
        tone: if waiting.is_empty() { Tone::Ok } else { Tone::Warn },
        summary: match waiting.len() {
            0 => "No key needs review.".into(),
            _ => "These keys come from a restored backup and cannot upload until they are confirmed.".into(),
        },
        facts: vec![AdminFact::new("Live", live)],
        rows: Some(AdminRows {
            heads: vec!["Key", "User", "Last used"],
            rows: rows.collect(),
            acts: waiting.iter().map(|key| vec![confirm(key.id)]).collect(),
        }),
    })
}
