//! Disputes for admins: the list, and decisions about them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::app::App;
use crate::domain::trust::{Action, Reasons};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::ingest;
use crate::store::conn::AnyConn;
use crate::store::disputes::{self, DisputeRow};
use crate::store::{Store, activity, players, users};
use crate::views::disputes::{AdminDispute, AdminDisputes, DisputeAccount, DisputeDecision, OwnDispute, Stake};
use crate::views::moderation::{AdminEvent, LedgerEntry};

use super::events::to_views;
use super::target::{Selection, Target};
use super::{require_admin, start};

/// Maximum number of open disputes in the list.
const MAX_OPEN: i64 = 500;
/// Number of decided disputes in the list.
const DECIDED: i64 = 50;

/// Decides a dispute, and with it all open disputes of the event.
pub async fn decide_dispute(
    app: &Arc<App>,
    viewer: &Member,
    id: i64,
    decision: DisputeDecision,
    reason: &str,
) -> Result<LedgerEntry, AppError> {
    require_admin(viewer)?;
    let (action, selection) = decision_of(&app.store, id, decision).await?;
    start(app, viewer, action, selection, reason).await
}

/// The action that decides an open dispute.
pub async fn decision_of(store: &Store, id: i64, decision: DisputeDecision) -> Result<(Action, Selection), AppError> {
    let found = store.read(move |conn| disputes::find(conn, id)).await?;
    let dispute = found.ok_or_else(|| AppError::NotFound(format!("No dispute {id}.")))?;
    if dispute.outcome.is_some() {
        return Err(super::already_decided());
    }
    let action = match decision {
        DisputeDecision::Uphold => Action::Uphold,
        DisputeDecision::Dismiss => Action::Dismiss,
    };
    Ok((action, Selection { target: Target::Events(vec![dispute.event_id]), from: None, until: None }))
}

/// Open disputes, those with the largest effect on scores first, then decided ones.
pub async fn list_disputes(store: &Store, viewer: &Member) -> Result<AdminDisputes, AppError> {
    require_admin(viewer)?;
    let data = store
        .read(|conn| {
            let open = disputes::list_open(conn, MAX_OPEN)?;
            let mut open = read(conn, open)?;
            open.sort_by_key(|dispute| Reverse(dispute.stakes.iter().map(|stake| stake.points.abs()).sum::<i64>()));
            let decided = disputes::list_decided(conn, DECIDED)?;
            open.extend(read(conn, decided)?);
            Ok(open)
        })
        .await?;
    Ok(AdminDisputes { data })
}

/// Reads what admins see of disputes.
fn read(conn: &mut AnyConn, rows: Vec<DisputeRow>) -> diesel::QueryResult<Vec<AdminDispute>> {
    let mut event_ids: Vec<i64> = rows.iter().map(|row| row.event_id).collect();
    event_ids.sort_unstable();
    event_ids.dedup();
    let events = activity::find_many(conn, &event_ids)?;
    let suspended: HashMap<i64, bool> =
        events.iter().map(|event| (event.id, event.reasons().contains(Reasons::DISPUTED))).collect();
    let views: HashMap<i64, AdminEvent> = to_views(conn, events)?.into_iter().map(|view| (view.id, view)).collect();
    let stakes = ingest::stakes(conn, &event_ids)?;
    let named = rows.iter().map(|row| row.player_id).chain(stakes.values().flat_map(|stake| stake.keys().copied()));
    let named: Vec<i64> = named.collect();
    let handles: HashMap<i64, String> =
        players::find_refs_by_id(conn, &named)?.into_iter().map(|player| (player.id, player.handle)).collect();
    let mut accounts: HashMap<i64, DisputeAccount> = HashMap::new();
    for user_id in rows.iter().map(|row| row.user_id) {
        if !accounts.contains_key(&user_id)
            && let Some(user) = users::find(conn, user_id)?
        {
            let name = user.discord_global_name.unwrap_or(user.discord_username);
            accounts.insert(user_id, DisputeAccount { discord_id: user.discord_id, name });
        }
    }
    let view = |row: DisputeRow| {
        let (event_id, user_id, player_id) = (row.event_id, row.user_id, row.player_id);
        let is_suspended = suspended.get(&event_id).copied().unwrap_or(false);
        let OwnDispute { id, reason, created_at, state, decided_at, entry, .. } = OwnDispute::new(row, is_suspended);
        AdminDispute {
            id,
            event: views.get(&event_id).cloned(),
            player: handles.get(&player_id).cloned(),
            account: accounts.get(&user_id).cloned(),
            reason,
            created_at,
            state,
            decided_at,
            is_suspended,
            stakes: stakes.get(&event_id).map(|stake| named_stakes(stake, &handles)).unwrap_or_default(),
            entry,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

fn named_stakes(stake: &BTreeMap<i64, i64>, handles: &HashMap<i64, String>) -> Vec<Stake> {
    let named =
        stake.iter().filter_map(|(id, points)| Some(Stake { handle: handles.get(id)?.clone(), points: *points }));
    let mut stakes: Vec<Stake> = named.collect();
    stakes.sort_by_key(|stake| Reverse(stake.points.abs()));
    stakes
}
