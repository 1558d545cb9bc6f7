//! Boards of players and guilds, over all time or a window.

mod active;
mod lines;
mod orders;
mod windows;

use std::sync::{Arc, PoisonError, RwLock};

pub use orders::want_all_of_a_large_site;
pub use windows::{Window, scores_of_window};

use crate::app::{App, GuildLine, PlayerLine, Standing};
use crate::domain::ranks::Ranks;
use crate::domain::scores::Metric;
use crate::domain::windows::RankedRow;
use crate::error::AppError;
use crate::store::guilds as stored_guilds;
use crate::store::leaderboard::{self, PageStart};
use crate::views::OffsetPagination;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;

/// Sites with more players are large: what takes long is made ready ahead of whoever asks.
const LARGE_SITE: i64 = 100_000;

/// Which part of a board is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardQuery {
    pub metric: Metric,
    pub is_desc: bool,
    pub window: Window,
    pub limit: i64,
    pub offset: i64,
}

/// Who stands on a page, in order, and of how many.
struct Page {
    places: Places,
    total: i64,
}

/// Figures and ranks over all time are those of now; a window has its own.
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

/// Makes and counts anew what somebody asked for and what has grown old. A timer calls it.
pub async fn keep(app: &App) -> Result<(), AppError> {
    orders::keep(app).await?;
    windows::keep(app).await?;
    active::keep(app).await
}

/// A page of players and how many there are.
pub async fn players(app: &App, query: BoardQuery) -> Result<(Vec<PlayerRow>, i64), AppError> {
    let Page { places, total } = players_page(app, query).await?;
    let lines = lines::players(app, &places.ids()).await?;
    // Who was hidden while a window was counted is in that count, and must not be named.
    let lines: Vec<_> = lines.into_iter().map(|line| line.filter(|line| !line.is_hidden)).collect();
    let of_guilds: Vec<Option<i64>> = lines.iter().flatten().map(|line| line.guild_id).collect();
    let guild_ids: Vec<i64> = of_guilds.iter().flatten().copied().collect();
    let mut guilds = lines::guilds(app, &guild_ids).await?.into_iter();
    let mut rows: Vec<PlayerRow> = match &places {
        Places::AllTime(ids) => {
            let shown: Vec<_> = ids.iter().zip(&lines).filter_map(|(id, line)| Some((*id, line.as_ref()?))).collect();
            let standings = app.player_standings(query.metric, shown.iter().map(|(id, line)| (*id, &line.scores)));
            let row = |((_, line), standing): (&(i64, &Arc<PlayerLine>), Standing)| {
                // A commit that is not announced yet may have given the first score.
                let rank = standing.rank.unwrap_or(1);
                PlayerRow { rank, movement: standing.movement, ..line.row.clone() }
            };
            shown.iter().zip(standings).map(row).collect()
        }
        Places::InWindow(places) => {
            let row = |(place, line): (&RankedRow, &Option<Arc<PlayerLine>>)| {
                let row = PlayerRow { rank: place.rank, ..line.as_ref()?.row.clone() };
                Some(lines::with_figures(row, &place.scores))
            };
            places.iter().zip(&lines).filter_map(row).collect()
        }
    };
    for (row, guild_id) in rows.iter_mut().zip(of_guilds) {
        let guild = guild_id.and_then(|_| guilds.next().flatten());
        row.org_short = guild.as_ref().map(|guild| guild.row.org_short.clone());
        row.org_name = guild.as_ref().map(|guild| guild.row.org_name.clone());
    }
    Ok((rows, total))
}

/// What a guild shows, as its line has it; `None` when it is not there.
pub async fn guild_row(app: &App, id: i64) -> Result<Option<GuildRow>, AppError> {
    Ok(lines::guilds(app, &[id]).await?.into_iter().flatten().next().map(|line| line.row.clone()))
}

async fn players_page(app: &App, query: BoardQuery) -> Result<Page, AppError> {
    let BoardQuery { metric, is_desc, limit, offset, window } = query;
    if window != Window::All {
        let counted = windows::counted(app, window).await?;
        let (places, total) = counted.board.players(metric, is_desc, offset, limit);
        return Ok(Page { places: Places::InWindow(places), total });
    }
    let (start, total) = start(&app.player_ranks, &query);
    let ids = match (app.player_boards.page(metric, offset, limit).filter(|_| is_desc), start) {
        (Some(ids), _) => ids,
        (None, None) => Vec::new(),
        (None, Some(start)) => {
            app.store.read(move |conn| leaderboard::page(conn, metric, is_desc, start, limit)).await?
        }
    };
    Ok(Page { places: Places::AllTime(ids), total })
}

/// A page of guilds and where it stands.
pub async fn guilds(app: &App, query: BoardQuery) -> Result<(Vec<GuildRow>, OffsetPagination), AppError> {
    let Page { places, total } = guilds_page(app, query).await?;
    let lines = lines::guilds(app, &places.ids()).await?;
    let active = active::members(app, lines.iter().flatten().map(|line| (line.id, line.known_members))).await?;
    let counted =
        |id: &i64, row: GuildRow| GuildRow { active_member_count: active.get(id).copied().unwrap_or(0), ..row };
    let rows = match &places {
        Places::AllTime(_) => {
            let shown: Vec<_> = lines.iter().flatten().collect();
            let standings = app.guild_standings(query.metric, shown.iter().map(|line| (line.id, &line.scores)));
            let row = |(line, standing): (&&Arc<GuildLine>, Standing)| {
                let rank = standing.rank.unwrap_or(1);
                counted(&line.id, GuildRow { rank, movement: standing.movement, ..line.row.clone() })
            };
            shown.iter().zip(standings).map(row).collect()
        }
        Places::InWindow(places) => {
            let row = |(place, line): (&RankedRow, &Option<Arc<GuildLine>>)| {
                let row = GuildRow { rank: place.rank, ..line.as_ref()?.row.clone() };
                Some(counted(&place.id, lines::with_sums(row, &place.scores)))
            };
            places.iter().zip(&lines).filter_map(row).collect()
        }
    };
    Ok((rows, OffsetPagination::new(query.limit, query.offset, total)))
}

async fn guilds_page(app: &App, query: BoardQuery) -> Result<Page, AppError> {
    let BoardQuery { metric, is_desc, limit, offset, window } = query;
    if window != Window::All {
        let counted = windows::counted(app, window).await?;
        let (places, total) = counted.board.guilds(metric, is_desc, offset, limit);
        return Ok(Page { places: Places::InWindow(places), total });
    }
    let (start, total) = start(&app.guild_ranks, &query);
    let ids = match (app.guild_boards.page(metric, offset, limit).filter(|_| is_desc), start) {
        (Some(ids), _) => ids,
        (None, None) => Vec::new(),
        (None, Some(start)) => {
            app.store.read(move |conn| stored_guilds::page(conn, metric, is_desc, start, limit)).await?
        }
    };
    Ok(Page { places: Places::AllTime(ids), total })
}

/// Where a page of all time begins, `None` behind the last row, and how many rows there are.
fn start(ranks: &RwLock<Ranks>, query: &BoardQuery) -> (Option<PageStart>, i64) {
    let ranks = ranks.read().unwrap_or_else(PoisonError::into_inner);
    let total = ranks.ranked(query.metric);
    let place = if query.is_desc { query.offset } else { total - 1 - query.offset };
    let start = ranks.nth(query.metric, place).map(|nth| {
        let before = if query.is_desc { nth.above } else { total - nth.above - nth.equal };
        PageStart { score: nth.score, skip: query.offset - before }
    });
    (start, total)
}
