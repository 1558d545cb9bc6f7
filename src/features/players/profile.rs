//! A player's profile, its daily series, and its views.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::app::App;
use crate::domain::counters::{Counter, CountersByMode};
use crate::domain::names::fold_for_lookup;
use crate::domain::scores::{Metric, Scores, progress, ratio};
use crate::domain::times::Day;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::viewers::{self, Profile};
use crate::features::{leaderboard, patch};
use crate::store::conn::AnyConn;
use crate::store::players::PlayerRow;
use crate::store::{Store, leaderboard as stored_scores, players};
use crate::views::guilds::GuildRow;
use crate::views::players::{
    DayValue, GameStats, HiddenPlayer, Lifetime, LifetimeStat, PlayerPage, PlayerView, VehicleData,
};
use crate::views::secs_or_none;

/// Finds a player by the handle of a URL. One that the viewer may not see is a 403.
pub async fn require_visible(store: &Store, viewer: &Viewer, handle: &str) -> Result<PlayerRow, AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    let found = store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
    let player = found.ok_or_else(|| AppError::player_not_found(handle))?;
    if !is_visible(viewer, &player) {
        return Err(AppError::Forbidden("This profile has been hidden from public view by owner.".into()));
    }
    Ok(player)
}

fn is_visible(viewer: &Viewer, player: &PlayerRow) -> bool {
    !player.is_hidden || viewer.may_edit_player(player.id)
}

/// The page of a player.
pub async fn profile(app: &App, viewer: &Viewer, handle: &str) -> Result<PlayerPage, AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    // One read for everything: a round trip to the database costs more than these queries.
    let found = app
        .store
        .read(move |conn| {
            let Some(player) = players::find_by_handle(conn, &folded)? else { return Ok(None) };
            let parts = Parts::read(conn, &player)?;
            Ok(Some((player, parts)))
        })
        .await?;
    let (player, parts) = found.ok_or_else(|| AppError::player_not_found(handle))?;
    if !is_visible(viewer, &player) {
        return Ok(PlayerPage::Hidden(HiddenPlayer { handle: player.handle, is_hidden: true }));
    }
    let guild = match player.guild_id {
        Some(id) => leaderboard::guild_row(&app.projections, id).await?,
        None => None,
    };
    let opens_on_career = leaderboard::opens_on_career(leaderboard::opening_metric(app).await?, &parts.scores);
    let patch = patch::name(app).await?;
    Ok(PlayerPage::Full(PlayerView { opens_on_career, patch, ..page(app, viewer, player, parts, guild) }))
}

struct Parts {
    scores: Scores,
    unknown_deaths: i64,
    /// Epoch milliseconds; 0 if never.
    last_active_at: i64,
    counters: CountersByMode,
    is_claimed: bool,
    sessions: i64,
    matches: i64,
}

impl Parts {
    fn read(conn: &mut AnyConn, player: &PlayerRow) -> diesel::QueryResult<Self> {
        let stored = stored_scores::score_of(conn, player.id)?;
        Ok(Self {
            scores: stored.map(|row| row.scores).unwrap_or_default(),
            unknown_deaths: stored.map_or(0, |row| row.unknown_deaths),
            last_active_at: stored.map_or(0, |row| row.last_active_at),
            counters: players::counters(conn, player.id)?,
            is_claimed: players::is_claimed(conn, player.id)?,
            sessions: players::session_count(conn, player.id)?,
            matches: players::match_count(conn, player.id)?,
        })
    }
}

fn page(app: &App, viewer: &Viewer, player: PlayerRow, parts: Parts, guild: Option<GuildRow>) -> PlayerView {
    let scores = parts.scores;
    let total = |counter| parts.counters.total(counter);
    let last_active = secs_or_none(parts.last_active_at);
    let ranks = app.projections.players();
    let rank_overall = ranks.rank(Metric::Overall, scores.overall());
    let rank_pvp = ranks.rank(Metric::PuPlayerKills, scores.pu_player_kills);
    let rank_pve = ranks.rank(Metric::PveKills, scores.pve_kills);
    let rank_vehicle = ranks.rank(Metric::VehicleDestructions, scores.vehicle_destructions);
    let game_stats = game_stats(&player, &parts);
    let is_hidden_but_visible = player.is_hidden;
    PlayerView {
        id: player.id.to_string(),
        org_short: guild.as_ref().map(|guild| guild.org_short.to_string()),
        org_name: guild.map(|guild| guild.org_name.to_string()),
        rank: [rank_overall, rank_pvp, rank_pve, rank_vehicle].into_iter().flatten().min(),
        rank_overall,
        rank_pvp,
        rank_pve,
        rank_vehicle,
        rank_missions: ranks.rank(Metric::MissionsCompleted, scores.missions_completed),
        rank_playtime: ranks.rank(Metric::Playtime, scores.playtime),
        rank_career: ranks.rank(Metric::Career, scores.career),
        rank_ships_flown: ranks.rank(Metric::ShipsFlown, scores.ships_flown),
        opens_on_career: false,
        percentile_overall: ranks.percentile(Metric::Overall, scores.overall()),
        overall: scores.overall(),
        pu_player_kills: scores.pu_player_kills,
        pve_kills: scores.pve_kills,
        vehicle_destructions: scores.vehicle_destructions,
        missions_completed: scores.missions_completed,
        playtime: scores.playtime,
        career: scores.career,
        ships_flown: scores.ships_flown,
        universe_time: scores.universe_time,
        unknown_deaths: parts.unknown_deaths,
        profile_views: player.views,
        is_claimed: parts.is_claimed,
        is_hidden: player.is_hidden,
        is_hidden_but_visible,
        is_profile_hidden: player.is_hidden,
        viewing_as_admin: is_hidden_but_visible && viewer.is_admin() && !viewer.owns_player(player.id),
        viewing_as_owner: is_hidden_but_visible && viewer.owns_player(player.id),
        profile_image: player.profile_image,
        banner_image: player.banner_image,
        stickers: player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok()),
        kd_human: ratio(total(Counter::PlayerKills), total(Counter::PlayerDeaths)),
        kd_npc: ratio(total(Counter::NpcKills), total(Counter::NpcDeaths)),
        vehicle_data: VehicleData {
            destroyed: total(Counter::DestructionCaused) + total(Counter::InstantDestructionCaused),
            lost: total(Counter::DestructionReceived) + total(Counter::InstantDestructionReceived),
        },
        game_stats,
        lifetime: lifetime(&scores, parts.sessions, parts.matches),
        progress: progress(scores.overall()),
        patch: String::new(),
        last_active,
        handle: player.handle,
        player_name: player.player_name,
        player_geid: player.player_geid,
    }
}

fn game_stats(player: &PlayerRow, parts: &Parts) -> GameStats {
    GameStats {
        unknown_deaths: parts.unknown_deaths,
        player_geid: player.player_geid.clone(),
        player_name: player.player_name.clone(),
        last_updated: secs_or_none(parts.last_active_at),
        ..GameStats::from_counters(parts.counters)
    }
}

fn lifetime(scores: &Scores, sessions: i64, matches: i64) -> Lifetime {
    let hours = (scores.playtime as f64 / 360.0).round() / 10.0;
    let overall = scores.overall();
    let share = |part: i64| (overall > 0).then(|| (part as f64 * 1000.0 / overall as f64).round() / 10.0);
    let figure =
        |label, value: i64, percentage, icon_color| LifetimeStat { label, value: value as f64, percentage, icon_color };
    Lifetime {
        playtime_hours: hours,
        total_matches: matches,
        main_stats: vec![
            figure("PVP", scores.pu_player_kills, share(scores.pu_player_kills), "pvp"),
            figure("PVE", scores.pve_kills, share(scores.pve_kills), "pve"),
            figure("Vehicles", scores.vehicle_destructions, share(scores.vehicle_destructions), "vehicles"),
        ],
        detailed_stats: vec![
            figure("Missions completed", scores.missions_completed, None, "missions"),
            figure("Sessions", sessions, None, "overall"),
            LifetimeStat { label: "Hours played", value: hours, percentage: None, icon_color: "overall" },
        ],
    }
}

/// A daily series of one metric, oldest first. Days without play are 0.
pub async fn history(
    store: &Store,
    viewer: &Viewer,
    handle: &str,
    metric: Metric,
    days: i32,
) -> Result<Vec<DayValue>, AppError> {
    let player = require_visible(store, viewer, handle).await?;
    let today = store.now().day();
    let from = Day(today.0 - days + 1);
    let sums = store.read(move |conn| players::days(conn, player.id, from.0)).await?;
    let sums: BTreeMap<i32, Scores> = sums.into_iter().collect();
    let value = |day: i32| sums.get(&day).map_or(0, |scores| scores.get(metric));
    Ok((from.0..=today.0).map(|day| DayValue { day: Day(day).iso(), value: value(day) }).collect())
}

/// Counts a view, once per visitor, profile and day; returns the number of views.
pub async fn view(app: &App, viewer: &Viewer, handle: &str, address: Option<IpAddr>) -> Result<i64, AppError> {
    let player = require_visible(&app.store, viewer, handle).await?;
    Ok(viewers::count(app, Profile::Player(player.id), address).await?.unwrap_or(player.views))
}
