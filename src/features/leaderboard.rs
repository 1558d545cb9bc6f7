//! Pages of the leaderboards of players and guilds, over all time or a window.

use std::sync::Arc;

use crate::app::App;
use crate::domain::patches::Patch;
use crate::domain::scores::{Metric, Scores};
use crate::domain::windows::{RankedRow, Slice, Window, WindowBoard};
use crate::error::AppError;
use crate::features::patch::current_patch;
use crate::projections::{CachedGuild, CachedPlayer, Leaderboard, Projections, RankWithMovement};
use crate::store::conn::AnyConn;
use crate::store::guilds as stored_guilds;
use crate::store::leaderboard::{self, PageStart};
use crate::store::patch::PatchRow;
use crate::views::OffsetPagination;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;

/// A page of a leaderboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardQuery {
    pub metric: Metric,
    pub is_desc: bool,
    pub window: Window,
    pub limit: i64,
    pub offset: i64,
}

impl BoardQuery {
    /// The best of a window.
    pub fn top(metric: Metric, window: Window, limit: i64) -> Self {
        Self { metric, is_desc: true, window, limit, offset: 0 }
    }

    /// Whether the page comes from a count of a window. All others come from the current scores.
    pub fn is_counted(&self) -> bool {
        self.window != Window::All
    }
}

/// Why leaderboards, lists of the best and profiles open on `career`; `None` if they open on `overall`. They do so if nobody visible
/// gained `overall` in the current patch.
pub async fn why_career(app: &App) -> Result<Option<String>, AppError> {
    // Without careers either, the other order would be no better.
    let (careers, _) = app.projections.players().nth(Metric::Career, |_| 0);
    if careers == 0 {
        return Ok(None);
    }
    let current = current_patch(app).await?;
    let unscored = current.patch.as_ref().filter(|_| !current.is_scored);
    Ok(unscored.map(|newest| reason(newest, app.settings.trust.last_fight_patch)))
}

fn reason(newest: &PatchRow, last_fight_patch: Option<i64>) -> String {
    let fact = match last_fight_patch.filter(|last| *last < newest.version) {
        Some(last) => format!("Game builds after {} write no kills to the log", Patch::number_of(last)),
        None => format!("Nobody has scored a kill in {} yet", newest.name),
    };
    format!("{fact}, so rankings and profiles open on Career: time and contracts in the universe.")
}

/// The metric that leaderboards and lists of the best open on.
pub async fn opening_metric(app: &App) -> Result<Metric, AppError> {
    Ok(if why_career(app).await?.is_some() { Metric::Career } else { Metric::Overall })
}

/// Whether the profile of a player or a guild opens on its career: not if kills are all that there is.
pub fn opens_on_career(opening: Metric, scores: &Scores) -> bool {
    let rankings_do = opening == Metric::Career;
    if scores.overall() == 0 { rankings_do || scores.career > 0 } else { rankings_do && scores.career > 0 }
}

/// The entries of a page, in order. Over all time, figures and ranks are the current ones; a window has its own.
enum Places {
    AllTime(Vec<i64>),
    InWindow(Vec<RankedRow>),
}

impl Places {
    fn ids(&self) -> Vec<i64> {
        match self {
            Self::AllTime(ids) => ids.clone(),
            Self::InWindow(places) => places.iter().map(|place| place.id).collect(),
        }
    }
}

/// A page of players, and the number of all.
pub async fn players(app: &App, query: BoardQuery) -> Result<(Vec<PlayerRow>, i64), AppError> {
    let (places, total) = page(app, query, app.projections.players(), WindowBoard::players, leaderboard::page).await?;
    let cached = app.projections.player_rows(&places.ids()).await?;
    // A player that was hidden while a window was counted is in that count, and must not be named.
    let cached: Vec<_> = cached.into_iter().map(|player| player.filter(|player| !player.is_hidden)).collect();
    let guild_of: Vec<Option<i64>> = cached.iter().flatten().map(|player| player.guild_id).collect();
    let guild_ids: Vec<i64> = guild_of.iter().flatten().copied().collect();
    let mut guilds = app.projections.guild_rows(&guild_ids).await?.into_iter();
    let mut rows: Vec<PlayerRow> = match &places {
        Places::AllTime(ids) => {
            let shown: Vec<_> =
                ids.iter().zip(&cached).filter_map(|(id, player)| Some((*id, player.as_ref()?))).collect();
            let entries = shown.iter().map(|(id, player)| (*id, &player.scores));
            let ranks = app.projections.players().ranks_with_movement(query.metric, entries);
            let row = |((_, player), ranked): (&(i64, &Arc<CachedPlayer>), RankWithMovement)| {
                // The first score may come from a commit that is not applied yet.
                let rank = ranked.rank.unwrap_or(1);
                PlayerRow { rank, movement: ranked.movement, ..player.row.clone() }
            };
            shown.iter().zip(ranks).map(row).collect()
        }
        Places::InWindow(places) => {
            let row = |(place, player): (&RankedRow, &Option<Arc<CachedPlayer>>)| {
                let row = PlayerRow { rank: place.rank, ..player.as_ref()?.row.clone() };
                Some(with_figures(row, &place.scores))
            };
            places.iter().zip(&cached).filter_map(row).collect()
        }
    };
    for (row, guild_id) in rows.iter_mut().zip(guild_of) {
        let guild = guild_id.and_then(|_| guilds.next().flatten());
        row.org_short = guild.as_ref().map(|guild| guild.row.org_short.clone());
        row.org_name = guild.as_ref().map(|guild| guild.row.org_name.clone());
    }
    Ok((rows, total))
}

/// The row of a guild without rank; `None` if it does not exist.
pub async fn guild_row(projections: &Projections, id: i64) -> Result<Option<GuildRow>, AppError> {
    let guild = projections.guild_rows(&[id]).await?.into_iter().flatten().next();
    Ok(guild.map(|guild| guild.row.clone()))
}

/// A page of guilds.
pub async fn guilds(app: &App, query: BoardQuery) -> Result<(Vec<GuildRow>, OffsetPagination), AppError> {
    let (places, total) = page(app, query, app.projections.guilds(), WindowBoard::guilds, stored_guilds::page).await?;
    let cached = app.projections.guild_rows(&places.ids()).await?;
    let members = cached.iter().flatten().map(|guild| (guild.id, guild.known_members));
    let active = app.projections.active_members(members).await?;
    let with_active =
        |id: &i64, row: GuildRow| GuildRow { active_member_count: active.get(id).copied().unwrap_or(0), ..row };
    let rows = match &places {
        Places::AllTime(_) => {
            let shown: Vec<_> = cached.iter().flatten().collect();
            let entries = shown.iter().map(|guild| (guild.id, &guild.scores));
            let ranks = app.projections.guilds().ranks_with_movement(query.metric, entries);
            let row = |(guild, ranked): (&&Arc<CachedGuild>, RankWithMovement)| {
                let rank = ranked.rank.unwrap_or(1);
                let row = GuildRow { rank, movement: ranked.movement, ..guild.row.clone() };
                with_active(&guild.id, row)
            };
            shown.iter().zip(ranks).map(row).collect()
        }
        Places::InWindow(places) => {
            let row = |(place, guild): (&RankedRow, &Option<Arc<CachedGuild>>)| {
                let row = GuildRow { rank: place.rank, ..guild.as_ref()?.row.clone() };
                Some(with_active(&place.id, with_sums(row, &place.scores)))
            };
            places.iter().zip(&cached).filter_map(row).collect()
        }
    };
    Ok((rows, OffsetPagination::new(query.limit, query.offset, total)))
}

/// Reads the ids of a page from the database.
type ReadPage = fn(&mut AnyConn, Metric, bool, PageStart, i64) -> diesel::QueryResult<Vec<i64>>;

/// The entries of a page, and the number of all entries.
async fn page<E>(
    app: &App,
    query: BoardQuery,
    board: &Leaderboard<E>,
    in_window: fn(&WindowBoard, Metric, Slice) -> (Vec<RankedRow>, i64),
    read: ReadPage,
) -> Result<(Places, i64), AppError> {
    let BoardQuery { metric, is_desc, limit, offset, window } = query;
    if query.is_counted() {
        let counted = app.projections.window(window).await?;
        let (places, total) = in_window(&counted.board, metric, Slice { is_desc, offset, limit });
        return Ok((Places::InWindow(places), total));
    }
    let (start, total) = start(board, &query);
    let ids = match (board.cached_page(metric, offset, limit).filter(|_| is_desc), start) {
        (Some(ids), _) => ids,
        (None, None) => Vec::new(),
        (None, Some(start)) => app.store.read(move |conn| read(conn, metric, is_desc, start, limit)).await?,
    };
    Ok((Places::AllTime(ids), total))
}

/// The start of a page over all time, `None` behind the last row, and the number of all rows.
fn start<E>(board: &Leaderboard<E>, query: &BoardQuery) -> (Option<PageStart>, i64) {
    let place = |total: i64| if query.is_desc { query.offset } else { total - 1 - query.offset };
    let (total, nth) = board.nth(query.metric, place);
    let start = nth.map(|nth| {
        let before = if query.is_desc { nth.above } else { total - nth.above - nth.equal };
        PageStart { score: nth.score, skip: query.offset - before }
    });
    (start, total)
}

/// A player's row with the figures of a window.
fn with_figures(row: PlayerRow, scores: &Scores) -> PlayerRow {
    PlayerRow {
        overall: scores.overall(),
        pu_player_kills: scores.pu_player_kills,
        pve_kills: scores.pve_kills,
        vehicle_destructions: scores.vehicle_destructions,
        missions_completed: scores.missions_completed,
        playtime: scores.playtime,
        career: scores.career,
        ships_flown: scores.ships_flown,
        universe_time: scores.universe_time,
        ..row
    }
}

/// A guild's row with the sums of a window.
fn with_sums(row: GuildRow, sums: &Scores) -> GuildRow {
    GuildRow {
        pu_player_kills: sums.pu_player_kills,
        pu_npc_kills: sums.pve_kills,
        pu_vehicle_destruction_caused: sums.vehicle_destructions,
        overall: sums.overall(),
        missions_completed: sums.missions_completed,
        playtime: sums.playtime,
        career: sums.career,
        ships_flown: sums.ships_flown,
        universe_time: sums.universe_time,
        ..row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_opens_on_the_career_where_rankings_do_unless_kills_are_all_that_there_is() {
        for (pve_kills, career, without_rankings, with_rankings) in
            [(0, 0, false, true), (0, 5, true, true), (5, 0, false, false), (5, 5, false, true)]
        {
            let scores = Scores { pve_kills, career, ..Scores::default() };
            let found = [Metric::Overall, Metric::Career].map(|opening| opens_on_career(opening, &scores));
            assert_eq!(found, [without_rankings, with_rankings], "{pve_kills} kills, career {career}");
        }
    }
}
