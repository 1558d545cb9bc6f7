//! What the reports of an event are worth, and the user's own events that do not count.

use std::collections::{BTreeMap, HashMap};

use crate::domain::trust::{Reasons, Scope};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::logs::{self, LogBuild};
use crate::store::{Store, activity, ingest, moderation, names as provisional};
use crate::views::activity::Names;
use crate::views::evidence::{EventEvidence, HeldEvent, HeldPage, HeldReason};

/// The reports of an event that has a page.
pub async fn of_event(store: &Store, id: i64) -> Result<EventEvidence, AppError> {
    let found = store
        .read(move |conn| {
            let Some(event) = ingest::event_by_id(conn, id)? else { return Ok(None) };
            let names = Names::from(activity::names_of(conn, std::slice::from_ref(&event))?);
            if !names.has_page(&event) {
                return Ok(None);
            }
            let mut witnesses = ingest::list_witnesses(conn, &[id])?;
            witnesses.retain(|witness| !witness.is_void);
            witnesses.sort_by_key(|witness| (witness.received_at, witness.ingest_key_id));
            let log_ids: Vec<i64> = witnesses.iter().filter_map(|witness| witness.log_id).chain(event.log_id).collect();
            let builds: HashMap<i64, LogBuild> = logs::builds(conn, &log_ids)?.into_iter().collect();
            let build_of = |log_id: Option<i64>| log_id.and_then(|id| builds.get(&id)).cloned().unwrap_or_default();
            Ok(Some(EventEvidence::new(&event, &witnesses, build_of)))
        })
        .await?;
    found.ok_or_else(|| AppError::NotFound("Event not found.".into()))
}

/// The user's events that do not count, newest first by id.
pub async fn held(store: &Store, member: &Member, before: Option<i64>, limit: i64) -> Result<HeldPage, AppError> {
    let user_id = member.user_id;
    let last_id = before.map_or(i64::MAX, |before| before.saturating_sub(1));
    let page = store
        .read(move |conn| {
            let keys = provisional::keys_of(conn, Scope::Account(user_id))?;
            let counts = moderation::count_uncounted(conn, &keys)?;
            let ids = moderation::list_uncounted(conn, &keys, last_id, limit)?;
            let mut events = activity::find_many(conn, &ids)?;
            events.reverse();
            let names = Names::from(activity::names_of(conn, &events)?);
            let data: Vec<HeldEvent> = events
                .iter()
                .map(|event| HeldEvent { event: names.row(event), reasons: event.reasons().names() })
                .collect();
            let next = ids.last().copied().filter(|_| ids.len() as i64 == limit);
            Ok(HeldPage { summary: summary(counts), data, next })
        })
        .await?;
    Ok(page)
}

fn summary(counts: Vec<(i32, i64)>) -> Vec<HeldReason> {
    let mut by_reason: BTreeMap<&'static str, i64> = BTreeMap::new();
    for (bits, events) in counts {
        for reason in Reasons::from_bits(bits).names() {
            *by_reason.entry(reason).or_default() += events;
        }
    }
    let mut summary: Vec<HeldReason> =
        by_reason.into_iter().map(|(reason, events)| HeldReason { reason, events }).collect();
    summary.sort_by_key(|held| (-held.events, held.reason));
    summary
}
