//! A guild's page: sums, ranks and members.

use std::net::IpAddr;

use crate::app::App;
use crate::domain::names::GuildTag;
use crate::domain::scores::Metric;
use crate::error::AppError;
use crate::features::viewers::{self, Profile};
use crate::features::{leaderboard, patch};
use crate::projections::active_since;
use crate::store::Store;
use crate::store::guilds::{self, GuildRow as Stored};
use crate::store::rosters::{self, RosterRow};
use crate::views::guilds::{GuildCareer, GuildMember, GuildRoster, GuildSettings, GuildStats, GuildView};
use crate::views::{OffsetPagination, secs_or_none};

/// The number of members on the overview of a guild.
const TOP_MEMBERS: i64 = 5;
/// The number of contract givers of a guild's career.
const MAX_GIVERS: i64 = 100;

/// Finds a guild by the tag of a URL.
pub async fn find(store: &Store, tag: &str) -> Result<Stored, AppError> {
    let tag = GuildTag::parse(tag).map_err(|_| AppError::guild_not_found())?;
    let found = store.read(move |conn| guilds::find_by_tag(conn, tag.as_str())).await?;
    found.ok_or_else(AppError::guild_not_found)
}

/// The page of a guild.
pub async fn profile(app: &App, tag: &str) -> Result<GuildView, AppError> {
    let guild = find(&app.store, tag).await?;
    let (id, since) = (guild.id, active_since(app.store.now()));
    let opening = leaderboard::opening_metric(app).await?;
    let (top, active, is_claimed, roster) = app
        .store
        .read(move |conn| {
            let top = guilds::members(conn, id, opening, TOP_MEMBERS, 0)?;
            let active = guilds::active_members(conn, &[id], since)?;
            Ok((top, active.first().map_or(0, |(_, n)| *n), guilds::is_claimed(conn, id)?, rosters::find(conn, id)?))
        })
        .await?;
    let sums = guild.scores;
    let rank = |metric: Metric| app.projections.guilds().rank(metric, sums.get(metric));
    Ok(GuildView {
        member_count: guild.member_count(),
        active_member_count: active,
        total_member_count: guild.known_members,
        top_members: top.into_iter().map(GuildMember::from).collect(),
        profile_views: guild.views,
        rank_overall: rank(Metric::Overall),
        rank_pvp: rank(Metric::PuPlayerKills),
        rank_pve: rank(Metric::PveKills),
        rank_vehicle: rank(Metric::VehicleDestructions),
        rank_career: rank(Metric::Career),
        opens_on_career: leaderboard::opens_on_career(opening, &sums),
        overall: sums.overall(),
        missions_completed: sums.missions_completed,
        playtime: sums.playtime,
        career: sums.career,
        ships_flown: sums.ships_flown,
        universe_time: sums.universe_time,
        patch: patch::name(app).await?,
        is_claimed,
        roster: roster.and_then(roster_view),
        name: guild.name,
        short: guild.tag,
    })
}

fn roster_view(roster: RosterRow) -> Option<GuildRoster> {
    Some(GuildRoster {
        updated_at: secs_or_none(roster.read_at?)?,
        named: roster.main_members,
        affiliates: roster.affiliates,
        unnamed: roster.unnamed,
        total: roster.total,
        is_partial: roster.is_partial,
    })
}

/// The sums of a guild.
pub async fn stats(store: &Store, tag: &str) -> Result<GuildStats, AppError> {
    let sums = find(store, tag).await?.scores;
    Ok(GuildStats {
        pu_player_kills: sums.pu_player_kills,
        pu_npc_kills: sums.pve_kills,
        pu_vehicle_destruction_caused: sums.vehicle_destructions,
        overall: sums.overall(),
        missions_completed: sums.missions_completed,
        playtime: sums.playtime,
        career: sums.career,
        ships_flown: sums.ships_flown,
        universe_time: sums.universe_time,
    })
}

/// The career of a guild.
pub async fn career(app: &App, tag: &str) -> Result<GuildCareer, AppError> {
    let Stored { id, scores, .. } = find(&app.store, tag).await?;
    let givers = app.store.read(move |conn| guilds::givers(conn, id, MAX_GIVERS)).await?;
    Ok(GuildCareer {
        career: scores.career,
        rank_career: app.projections.guilds().rank(Metric::Career, scores.career),
        contracts_completed: scores.missions_completed,
        universe_time: scores.universe_time,
        givers: givers.into_iter().map(Into::into).collect(),
    })
}

/// The settings of a guild.
pub async fn settings(store: &Store, tag: &str) -> Result<GuildSettings, AppError> {
    Ok(find(store, tag).await?.into())
}

/// A page of the visible members, best first.
pub async fn members(
    store: &Store,
    tag: &str,
    metric: Metric,
    limit: i64,
    offset: i64,
) -> Result<(Vec<GuildMember>, OffsetPagination), AppError> {
    let guild = find(store, tag).await?;
    let (rows, total) = store
        .read(move |conn| {
            Ok((guilds::members(conn, guild.id, metric, limit, offset)?, guilds::count_members(conn, guild.id)?))
        })
        .await?;
    Ok((rows.into_iter().map(GuildMember::from).collect(), OffsetPagination::new(limit, offset, total)))
}

/// Counts a view, once per visitor, guild and day; returns the number of views.
pub async fn view(app: &App, tag: &str, address: Option<IpAddr>) -> Result<i64, AppError> {
    let guild = find(&app.store, tag).await?;
    Ok(viewers::count(app, Profile::Guild(guild.id), address).await?.unwrap_or(guild.views))
}
