//! The current patch with its statistics, and counts of the whole site.

use std::borrow::Cow;
use std::sync::Arc;

use crate::app::{App, CurrentPatch};
use crate::error::AppError;
use crate::features::players::grouped;
use crate::projections::Projections;
use crate::store::Store;
use crate::store::conn::AnyConn;
use crate::store::patch::{self, CONTRACT, GIVER, LOADING_TIME, TOTAL, VEHICLE, WEAPON};
use crate::views::contracts::ContractTitles;
use crate::views::patch::{Counts, MostCommonMission, MostUsed, PatchCareer, PatchStats, PatchStatus, PatchView};
use gamelog::catalogue;

/// The number of classes that are read before variants of one item are summed.
const MAX_CLASSES: i64 = 200;
/// The number of contracts among which the first is chosen whose name is shown.
const MAX_CONTRACTS: i64 = 20;

/// The pinned or else the newest adopted patch. It is read once after each commit, because every profile asks for it.
pub async fn current_patch(app: &App) -> Result<Arc<CurrentPatch>, AppError> {
    let generation = app.projections.generation();
    if let Some(known) = app.current_patch.load_full().filter(|known| known.generation == generation) {
        return Ok(known);
    }
    let read = move |conn: &mut AnyConn| {
        let patch = patch::newest(conn)?;
        let is_scored =
            patch.as_ref().map(|newest| patch::has_visible_score(conn, newest)).transpose()?.unwrap_or(false);
        Ok(CurrentPatch { patch, is_scored, generation })
    };
    let read = Arc::new(app.store.read(read).await?);
    app.current_patch.store(Some(Arc::clone(&read)));
    Ok(read)
}

/// The name of the current patch, or the configured one if none is adopted.
pub async fn name(app: &App) -> Result<String, AppError> {
    let current = current_patch(app).await?;
    Ok(current.patch.as_ref().map_or_else(|| app.settings.patch.clone(), |patch| patch.name.clone()))
}

/// All patches of events, newest first.
pub async fn list(store: &Store) -> Result<Vec<PatchStatus>, AppError> {
    let (rows, current) = store.read(|conn| Ok((patch::list(conn)?, patch::newest(conn)?))).await?;
    let current = current.map(|patch| patch.version);
    let status = |row: patch::AdoptionRow| PatchStatus {
        state: match (row.pinned_at, row.adopted_at) {
            (Some(_), _) => "pinned",
            (None, Some(_)) => "adopted",
            (None, None) => "not adopted",
        },
        is_current: Some(row.version) == current,
        name: row.name,
    };
    Ok(rows.into_iter().map(status).collect())
}

/// The current patch with its totals and most used items.
pub async fn current(app: &App) -> Result<PatchView, AppError> {
    let found = app
        .store
        .read(|conn| {
            let Some(newest) = patch::newest(conn)? else { return Ok(None) };
            let vehicles = patch::most_used(conn, newest.version, VEHICLE, MAX_CLASSES)?;
            let weapons = patch::most_used(conn, newest.version, WEAPON, MAX_CLASSES)?;
            let missions = patch::most_used(conn, newest.version, CONTRACT, MAX_CONTRACTS)?;
            let titles = ContractTitles::read(conn, missions.iter().map(|(name, ..)| name.as_str()))?;
            let mission = missions.into_iter().find(|(name, ..)| titles.shows(name));
            let career = career(conn, newest.version)?;
            Ok(Some((newest, vehicles, weapons, mission, career)))
        })
        .await?;
    let Some((newest, vehicles, weapons, mission, career)) = found else {
        return Ok(PatchView { patch: app.settings.patch.clone(), stats: PatchStats::default() });
    };
    let stats = PatchStats {
        npc_kills: newest.npc_kills,
        player_kills: newest.player_kills,
        vehicle_destructions: newest.vehicle_destructions,
        most_used_vehicle: most(&vehicles, catalogue::vehicle_key, catalogue::vehicle_name),
        most_used_weapon: most(&weapons, catalogue::weapon_key, catalogue::weapon_group_name),
        most_common_mission: mission.map(|(contract, accepted, completed)| MostCommonMission {
            name: catalogue::mission_title(&contract).into_owned(),
            accepted,
            completed,
        }),
        career,
    };
    Ok(PatchView { patch: newest.name, stats })
}

/// Loading times beyond this many different ones are left out.
const MAX_LOADING_TIMES: i64 = 10_000;
/// Crashes are shown if at least this many players have spent time in the universe.
const MIN_PLAYERS_OF_CRASHES: i64 = 5;

/// What a patch tells of careers, also if its builds log no kills.
fn career(conn: &mut AnyConn, version: i64) -> diesel::QueryResult<PatchCareer> {
    let totals = patch::most_used(conn, version, TOTAL, MAX_CLASSES)?;
    let total = |name: &str| totals.iter().find(|(total, ..)| total == name).map_or(0, |(_, sum, _)| *sum);
    let giver = patch::most_used(conn, version, GIVER, 1)?.into_iter().next();
    let times = patch::most_used(conn, version, LOADING_TIME, MAX_LOADING_TIMES)?;
    let times = times.iter().filter_map(|(secs, arrivals, _)| Some((secs.parse().ok()?, *arrivals)));
    let (universe_time, crashes) = (total("universe_time"), total("game_crashes"));
    let has_players = patch::has_players(conn, version, MIN_PLAYERS_OF_CRASHES)?;
    let per_100_hours = (crashes as f64 * 3_600_000.0 / universe_time.max(1) as f64).round() / 10.0;
    Ok(PatchCareer {
        contracts_completed: total("missions_completed"),
        universe_time,
        ships_flown: total("ships_flown"),
        top_giver: giver.map(|(name, uses, _)| MostUsed { name, uses }),
        loading_time: weighted_median(times.collect()),
        crashes_per_100_hours: has_players.then_some(per_100_hours),
    })
}

/// The middle of values that occur several times: `(value, times)`.
fn weighted_median(mut values: Vec<(i64, i64)>) -> Option<i64> {
    values.sort_unstable();
    let all: i64 = values.iter().map(|(_, times)| times).sum();
    let mut counted = 0;
    values.into_iter().find_map(|(value, times)| {
        counted += times;
        (2 * counted >= all).then_some(value)
    })
}

fn most<'a>(
    rows: &'a [(String, i64, i64)],
    key: impl Fn(&'a str) -> &'a str,
    name: impl Fn(&str) -> Cow<'static, str>,
) -> Option<MostUsed> {
    let uses = rows.iter().map(|(class, uses, _)| (class.as_str(), *uses));
    let (class, uses) = grouped(uses, key).into_iter().next()?;
    Some(MostUsed { name: name(class).into_owned(), uses })
}

/// The number of players and guilds.
pub fn counts(projections: &Projections) -> Counts {
    Counts { players: projections.players().count(), orgs: projections.guilds().count() }
}
