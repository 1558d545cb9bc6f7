//! Scores and counters that events increase.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::query_builder::QueryFragment;

use crate::domain::counters::Counters;
use crate::domain::scores::{Scores, career_of_day};
use crate::domain::trust::ReportState;
use crate::store::Tx;
use crate::store::conn::{Bulk, Merge, MultiBackend, bulk};
use crate::store::schema::*;
use crate::store::scores::{ColumnGroup, score_columns, scores_added};

/// Amounts to add to the scores of a player.
#[derive(Debug, Clone, Default)]
pub struct ScoreChange {
    pub player_id: i64,
    pub handle_folded: String,
    pub is_hidden: bool,
    pub scores: Scores,
    pub unknown_deaths: i64,
    /// Only increases.
    pub last_active_at: i64,
}

/// The scores of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = player_scores)]
pub struct ScoreRow {
    pub player_id: i64,
    pub is_hidden: bool,
    #[diesel(select_expression = score_columns!(player_scores), select_expression_type = score_columns!(player_scores))]
    pub scores: Scores,
    pub unknown_deaths: i64,
    pub last_active_at: i64,
}

/// Adds to scores; returns their new values.
pub fn add_scores(tx: &mut Tx, changes: &[ScoreChange]) -> QueryResult<Vec<ScoreRow>> {
    let merges = [
        &[("overall", Merge::Add), ("unknown_deaths", Merge::Add), ("last_active_at", Merge::Max)],
        &added::<Scores>()[..],
    ];
    score_rows(changes)
        .on_conflict("player_scores", &["player_id"], &merges.concat())
        .returning(ScoreRow::as_returning())
        .get_results::<ScoreRow>(tx)
}

/// Inserts the scores of players who have none.
pub fn insert_scores(tx: &mut Tx, changes: &[ScoreChange]) -> QueryResult<()> {
    score_rows(changes).execute(tx)?;
    Ok(())
}

fn score_rows(changes: &[ScoreChange]) -> Bulk<impl QueryFragment<MultiBackend>> {
    bulk!(player_scores, changes, |c| {
        player_id: c.player_id,
        handle_folded: c.handle_folded.as_str(),
        is_hidden: c.is_hidden,
        overall: c.scores.overall(),
        unknown_deaths: c.unknown_deaths,
        last_active_at: c.last_active_at,
        ..Scores: c.scores,
    })
}

/// Merges that add to each figure.
fn added<F: ColumnGroup>() -> Vec<(&'static str, Merge)> {
    F::columns().into_iter().map(|column| (column, Merge::Add)).collect()
}

/// Recomputes when these players were last active, after one of their events ceased to count.
pub fn refresh_last_active(tx: &mut Tx, player_ids: &[i64]) -> QueryResult<()> {
    for player_id in player_ids {
        let counted = event_players::table
            .inner_join(events::table.on(events::id.eq(event_players::event_id)))
            .filter(event_players::player_id.eq(player_id))
            .filter(events::state.eq(ReportState::COUNTED.code()));
        let newest = counted.order(event_players::event_time.desc()).select(event_players::event_time);
        let last: Option<i64> = newest.first(&mut **tx).optional()?;
        diesel::update(player_scores::table.find(player_id))
            .set(player_scores::last_active_at.eq(last.unwrap_or(0)))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Adds to the counters of players by game mode.
pub fn add_counters(tx: &mut Tx, rows: &BTreeMap<(i64, i16), Counters>) -> QueryResult<()> {
    bulk!(player_counters, rows, |((player, mode), counters)| {
        player_id: *player,
        game_mode: *mode,
        ..Counters: *counters,
    })
    .on_conflict("player_counters", &["player_id", "game_mode"], &added::<Counters>())
    .execute(tx)?;
    Ok(())
}

/// Merges of the scores of a day or a patch, whose career follows from its universe time and contracts.
fn added_with_career() -> Vec<(&'static str, Merge)> {
    let merge = |(column, merge)| (column, if column == "career" { Merge::Career } else { merge });
    added::<Scores>().into_iter().map(merge).collect()
}

/// The scores of a new day or patch.
fn with_career(scores: &Scores) -> Scores {
    Scores { career: career_of_day(scores.universe_time, scores.missions_completed), ..*scores }
}

/// Adds to the daily scores of players. Returns how their career changes, by player and day.
pub fn add_days(tx: &mut Tx, rows: &BTreeMap<(i64, i32), Scores>) -> QueryResult<Vec<((i64, i32), i64)>> {
    let write = |rows: &[(&(i64, i32), &Scores)]| {
        bulk!(player_days, rows, |((player, day), scores)| {
            player_id: *player,
            day: *day,
            ..Scores: with_career(scores),
        })
        .on_conflict("player_days", &["player_id", "day"], &added_with_career())
    };
    let (worked, others): (Vec<_>, Vec<_>) =
        rows.iter().partition(|(_, scores)| scores.universe_time != 0 || scores.missions_completed != 0);
    write(&others).execute(tx)?;
    let columns =
        (player_days::player_id, player_days::day, player_days::universe_time, player_days::missions_completed);
    let now: Vec<(i64, i32, i64, i64)> = write(&worked).returning(columns).get_results(tx)?;
    let change = |(player, day, secs, contracts): (i64, i32, i64, i64)| {
        let by = rows.get(&(player, day)).copied().unwrap_or_default();
        let before = career_of_day(secs - by.universe_time, contracts - by.missions_completed);
        ((player, day), career_of_day(secs, contracts) - before)
    };
    Ok(now.into_iter().map(change).collect())
}

/// Adds to the scores of players in a patch, by patch and player.
pub fn add_player_patches(tx: &mut Tx, rows: &BTreeMap<(i64, i64), Scores>) -> QueryResult<()> {
    bulk!(player_patches, rows, |((version, player), scores)| {
        patch_version: *version,
        player_id: *player,
        ..Scores: with_career(scores),
    })
    .on_conflict("player_patches", &["patch_version", "player_id"], &added_with_career())
    .execute(tx)?;
    Ok(())
}

/// Adds kills by player, mode and weapon.
pub fn add_weapon_use(tx: &mut Tx, rows: &BTreeMap<(i64, i16, String), i64>) -> QueryResult<()> {
    bulk!(weapon_use, rows, |((player, mode, weapon), kills)| {
        player_id: *player,
        game_mode: *mode,
        weapon: weapon.as_str(),
        kills: *kills,
    })
    .on_conflict("weapon_use", &["player_id", "game_mode", "weapon"], &[("kills", Merge::Add)])
    .execute(tx)?;
    Ok(())
}

/// Adds uses by player, mode and vehicle.
pub fn add_vehicle_use(tx: &mut Tx, rows: &BTreeMap<(i64, i16, String), i64>) -> QueryResult<()> {
    bulk!(vehicle_use, rows, |((player, mode, vehicle), uses)| {
        player_id: *player,
        game_mode: *mode,
        vehicle: vehicle.as_str(),
        uses: *uses,
    })
    .on_conflict("vehicle_use", &["player_id", "game_mode", "vehicle"], &[("uses", Merge::Add)])
    .execute(tx)?;
    Ok(())
}

/// Amounts to add to a contract of a player.
#[derive(Debug, Clone, Default)]
pub struct MissionChange {
    /// Empty if unknown.
    pub class: String,
    pub accepted: i64,
    pub completed: i64,
}

/// Adds to contracts, by player and contract. If a contract has two classes, the greater one is stored.
pub fn add_mission_use(tx: &mut Tx, rows: &BTreeMap<(i64, String), MissionChange>) -> QueryResult<()> {
    bulk!(mission_use, rows, |((player, contract), m)| {
        player_id: *player,
        contract: contract.as_str(),
        class: m.class.as_str(),
        accepted: m.accepted,
        completed: m.completed,
    })
    .on_conflict(
        "mission_use",
        &["player_id", "contract"],
        &[("class", Merge::Max), ("accepted", Merge::Add), ("completed", Merge::Add)],
    )
    .execute(tx)?;
    Ok(())
}

/// Contracts of a giver to add to a player.
#[derive(Debug, Clone, Default)]
pub struct GiverChange {
    pub completed: i64,
    pub failed: i64,
    pub abandoned: i64,
}

/// Adds contracts by player and giver.
pub fn add_giver_use(tx: &mut Tx, rows: &BTreeMap<(i64, String), GiverChange>) -> QueryResult<()> {
    bulk!(giver_use, rows, |((player, giver), ended)| {
        player_id: *player,
        giver: giver.as_str(),
        completed: ended.completed,
        failed: ended.failed,
        abandoned: ended.abandoned,
    })
    .on_conflict(
        "giver_use",
        &["player_id", "giver"],
        &[("completed", Merge::Add), ("failed", Merge::Add), ("abandoned", Merge::Add)],
    )
    .execute(tx)?;
    Ok(())
}

/// Amounts to add to the totals of a patch. If a version has two spellings, the greater one is stored.
#[derive(Debug, Clone, Default)]
pub struct PatchChange {
    pub name: String,
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
    /// When the patch is adopted, unless it is already; epoch milliseconds.
    pub adopted_at: Option<i64>,
}

/// Adds to the totals of patches by version.
pub fn add_patches(tx: &mut Tx, rows: &BTreeMap<i64, PatchChange>) -> QueryResult<()> {
    bulk!(patches, rows, |(version, p)| {
        version: *version,
        name: p.name.as_str(),
        npc_kills: p.npc_kills,
        player_kills: p.player_kills,
        vehicle_destructions: p.vehicle_destructions,
        adopted_at: p.adopted_at,
    })
    .on_conflict(
        "patches",
        &["version"],
        &[
            ("name", Merge::Max),
            ("npc_kills", Merge::Add),
            ("player_kills", Merge::Add),
            ("vehicle_destructions", Merge::Add),
            ("adopted_at", Merge::Fill),
        ],
    )
    .execute(tx)?;
    Ok(())
}

/// Adds uses and completions in a patch by version, kind and name; kinds as in the table.
pub fn add_patch_use(tx: &mut Tx, rows: &BTreeMap<(i64, i16, String), (i64, i64)>) -> QueryResult<()> {
    bulk!(patch_use, rows, |((version, kind, name), (uses, completed))| {
        patch_version: *version,
        kind: *kind,
        name: name.as_str(),
        uses: *uses,
        completed: *completed,
    })
    .on_conflict("patch_use", &["patch_version", "kind", "name"], &[("uses", Merge::Add), ("completed", Merge::Add)])
    .execute(tx)?;
    Ok(())
}

/// Adds to the totals of guilds; returns their new values.
pub fn add_guild_scores(tx: &mut Tx, rows: &BTreeMap<i64, Scores>) -> QueryResult<Vec<(i64, Scores)>> {
    let mut now = Vec::with_capacity(rows.len());
    for (guild_id, s) in rows {
        let sums: Scores = diesel::update(guilds::table.find(guild_id))
            .set(scores_added!(guilds, s))
            .returning(score_columns!(guilds))
            .get_result(&mut **tx)?;
        now.push((*guild_id, sums));
    }
    Ok(now)
}
