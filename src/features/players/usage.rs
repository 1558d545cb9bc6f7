//! The weapons, vehicles and missions of a player.

use std::collections::HashMap;

use super::profile::require_visible;
use crate::domain::events::{GameMode, mode_code};
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::store::Store;
use crate::store::conn::AnyConn;
use crate::store::usage::{self, MissionUseRow};
use crate::views::contracts::ContractTitles;
use crate::views::players::{MissionRow, VehicleRow, WeaponRow};
use gamelog::catalogue;

/// Sums the rows of each key and sorts the sums in descending order, equal sums by key.
pub fn grouped<'a>(
    rows: impl Iterator<Item = (&'a str, i64)>,
    key: impl Fn(&'a str) -> &'a str,
) -> Vec<(&'a str, i64)> {
    let mut sums: HashMap<&str, i64> = HashMap::new();
    for (class, count) in rows {
        *sums.entry(key(class)).or_default() += count;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    sums
}

/// Kills by weapon in descending order. Paint variants count as one weapon.
pub async fn weapons(
    store: &Store,
    viewer: &Viewer,
    handle: &str,
    game_mode: Option<GameMode>,
    limit: usize,
) -> Result<Vec<WeaponRow>, AppError> {
    let player = require_visible(store, viewer, handle).await?;
    let mode = game_mode.map(|mode| mode_code(Some(mode)));
    let rows = store.read(move |conn| usage::weapons(conn, player.id, mode)).await?;
    let row = |(class, kills): (&str, i64)| WeaponRow {
        id: class.to_owned(),
        name: catalogue::weapon_group_name(class).into_owned(),
        r#type: catalogue::weapon_kind(class).map_or("Weapon", |kind| kind.as_str()).to_owned(),
        kills,
        usage_count: kills,
        headshot_percentage: None,
    };
    Ok(grouped(rows.iter().map(|(class, n)| (class.as_str(), *n)), catalogue::weapon_key)
        .into_iter()
        .take(limit)
        .map(row)
        .collect())
}

/// Uses by vehicle in descending order. Special variants count as their base vehicle.
pub async fn vehicles(
    store: &Store,
    viewer: &Viewer,
    handle: &str,
    game_mode: Option<GameMode>,
    limit: usize,
) -> Result<Vec<VehicleRow>, AppError> {
    let player = require_visible(store, viewer, handle).await?;
    let mode = game_mode.map(|mode| mode_code(Some(mode)));
    let rows = store.read(move |conn| usage::vehicles(conn, player.id, mode)).await?;
    let row = |(class, uses): (&str, i64)| VehicleRow {
        id: class.to_owned(),
        name: catalogue::vehicle_name(class).into_owned(),
        r#type: catalogue::vehicle_role(class).unwrap_or("Vehicle").to_owned(),
        times_entered: uses,
        usage_count: uses,
    };
    Ok(grouped(rows.iter().map(|(class, n)| (class.as_str(), *n)), catalogue::vehicle_key)
        .into_iter()
        .take(limit)
        .map(row)
        .collect())
}

/// Missions by contract, most accepted first.
pub async fn missions(store: &Store, viewer: &Viewer, handle: &str, limit: usize) -> Result<Vec<MissionRow>, AppError> {
    let player = require_visible(store, viewer, handle).await?;
    let read = move |conn: &mut AnyConn| {
        let mut rows = usage::missions(conn, player.id)?;
        rows.truncate(limit);
        let titles = ContractTitles::read(conn, rows.iter().map(|row| row.contract.as_str()))?;
        Ok((rows, titles))
    };
    let (rows, titles) = store.read(read).await?;
    Ok(rows.into_iter().map(|row| mission(row, &titles)).collect())
}

fn mission(row: MissionUseRow, titles: &ContractTitles) -> MissionRow {
    let MissionUseRow { contract, class, accepted, completed } = row;
    let title = titles.title(Some(&contract), Some(&class)).unwrap_or_default();
    let id = if titles.shows(&contract) { contract } else { title.clone() };
    // A contract without a name is stored under its class.
    let kind = catalogue::mission_type(if class.is_empty() { &id } else { &class }, &title);
    let rate = (completed as f64 * 1000.0 / accepted.max(1) as f64).round() / 10.0;
    MissionRow {
        contract_name: title.clone(),
        name: title,
        r#type: kind,
        id,
        missions_accepted: accepted,
        accepted,
        missions_completed: completed,
        completed,
        // More can be completed than accepted: shared contracts, and logs that begin after the acceptance.
        success_rate: (accepted > 0).then_some(rate.min(100.0)),
    }
}
