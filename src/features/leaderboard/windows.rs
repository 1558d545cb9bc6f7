//! Boards over a window: counted when first asked for, kept, and counted anew in the background while somebody asks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::app::{App, CountedWindow, WindowSlot};
use crate::domain::scores::Scores;
use crate::domain::times::{DAY_MS, Day};
use crate::domain::windows::{GuildSums, WindowBoard};
use crate::error::AppError;
use crate::features::patch;
use crate::store::conn::AnyConn;
use crate::store::guilds;
use crate::store::leaderboard::{self, WindowRow};

/// A window slides on even when nothing happens: a count is made anew after this time.
const OLDEST: Duration = Duration::from_secs(60);
/// A count of more is kept for this many times as long, so that counting takes a tenth of the time at most.
const REST: u32 = 10;
/// A count of so few rows takes some milliseconds: it is made anew whenever something changed, and waited for.
const FEW: usize = 20_000;
/// How old a count may be when the next one is under way.
const WAITED_FOR: Duration = Duration::from_secs(120);

/// Which events a board counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    All,
    Day,
    Week,
    Month,
    /// Those of the newest patch.
    Patch,
}

/// Those that have to be counted.
const COUNTED: [Window; 4] = [Window::Day, Window::Week, Window::Month, Window::Patch];

impl Window {
    /// By the values of `window`.
    pub const NAMES: [(&str, Self); 5] =
        [("all", Self::All), ("24h", Self::Day), ("7d", Self::Week), ("30d", Self::Month), ("patch", Self::Patch)];

    /// When its figures were last counted; `None` for all time, which is never counted.
    pub fn counted_at(self, app: &App) -> Option<Instant> {
        let counted = (self != Self::All).then(|| self.slot(app).counted.load_full())?;
        counted.map(|counted| counted.counted_at)
    }

    fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            _ => 30,
        }
    }

    fn slot(self, app: &App) -> &WindowSlot {
        match self {
            Self::Day => &app.windows[0],
            Self::Week => &app.windows[1],
            Self::All | Self::Month => &app.windows[2],
            Self::Patch => &app.windows[3],
        }
    }
}

pub fn scores_of_window(row: &WindowRow) -> Scores {
    Scores {
        pu_player_kills: row.pu_player_kills,
        pve_kills: row.pve_kills,
        vehicle_destructions: row.vehicle_destructions,
        missions_completed: row.missions_completed,
        playtime: row.playtime,
    }
}

/// The sums of everybody who did something in the window.
///
/// A count of few is of now. Another may be as old as [`REST`] times what it takes, or while the next is under way as
/// [`WAITED_FOR`] on top: nobody waits for seconds because somebody else has just scored.
pub async fn counted(app: &App, window: Window) -> Result<Arc<CountedWindow>, AppError> {
    let slot = window.slot(app);
    slot.is_wanted.store(true, Ordering::Relaxed);
    if let Some(kept) = slot.counted.load_full().filter(|kept| is_fresh(app, kept) || is_bearable(kept)) {
        return Ok(kept);
    }
    let _counting = slot.counting.lock().await;
    match slot.counted.load_full().filter(|kept| is_fresh(app, kept)) {
        Some(counted_meanwhile) => Ok(counted_meanwhile),
        None => count(app, window, slot).await,
    }
}

/// Counts those windows anew that somebody asked for and that have grown old.
pub async fn keep(app: &App) -> Result<(), AppError> {
    for window in COUNTED {
        let slot = window.slot(app);
        let is_old = slot.counted.load().as_ref().is_some_and(|kept| !is_few(kept) && !is_fresh(app, kept));
        if is_old && slot.is_wanted.swap(false, Ordering::Relaxed) {
            let _counting = slot.counting.lock().await;
            count(app, window, slot).await?;
        }
    }
    Ok(())
}

fn is_fresh(app: &App, kept: &CountedWindow) -> bool {
    let age = kept.counted_at.elapsed();
    if !is_few(kept) && age < kept.took * REST {
        return true;
    }
    kept.generation == app.generation() && age < OLDEST
}

fn is_few(kept: &CountedWindow) -> bool {
    kept.board.len() <= FEW
}

fn is_bearable(kept: &CountedWindow) -> bool {
    !is_few(kept) && kept.counted_at.elapsed() < kept.took * REST + WAITED_FOR
}

async fn count(app: &App, window: Window, slot: &WindowSlot) -> Result<Arc<CountedWindow>, AppError> {
    // Read before the count: what is committed during it may be missing, and then this count is old.
    let generation = app.generation();
    let began = Instant::now();
    let board = read(app, window).await?;
    let counted = Arc::new(CountedWindow { board, counted_at: Instant::now(), took: began.elapsed(), generation });
    slot.counted.store(Some(Arc::clone(&counted)));
    Ok(counted)
}

async fn read(app: &App, window: Window) -> Result<WindowBoard, AppError> {
    if window == Window::Patch {
        let Some(version) = patch::version(app).await? else { return Ok(WindowBoard::default()) };
        let read = move |conn: &mut AnyConn| {
            let mut sums = Sums::default();
            leaderboard::for_each_in_patch(conn, version, |row| sums.add(row))?;
            sums.board(conn)
        };
        return Ok(app.store.read(read).await?);
    }
    let from = App::now().0 - window.days() * DAY_MS;
    let first = crate::domain::times::EpochMillis(from).day();
    let next = Day(first.0 + 1).start().0;
    let read = move |conn: &mut AnyConn| {
        let mut sums = Sums::default();
        leaderboard::for_each_since(conn, from, first.0, next, |row| sums.add(row))?;
        sums.board(conn)
    };
    Ok(app.store.read(read).await?)
}

/// What is read, until it is put in order.
#[derive(Default)]
struct Sums {
    players: Vec<(Box<str>, i64, Scores)>,
    guilds: GuildSums,
}

impl Sums {
    fn add(&mut self, row: WindowRow) {
        let scores = scores_of_window(&row);
        // Hidden members still count for their guild.
        if let Some(guild_id) = row.guild_id {
            self.guilds.add(guild_id, scores);
        }
        if !row.is_hidden {
            self.players.push((row.handle_folded.into(), row.player_id, scores));
        }
    }

    fn board(mut self, conn: &mut AnyConn) -> diesel::QueryResult<WindowBoard> {
        self.players.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        let mut tags: Vec<(i64, String)> = Vec::new();
        for ids in self.guilds.ids().chunks(1_000) {
            tags.extend(guilds::tags(conn, ids)?);
        }
        tags.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
        let players = self.players.into_iter().map(|(_, id, scores)| (id, scores));
        Ok(WindowBoard::new(players, tags.into_iter().map(|(id, _)| (id, self.guilds.get(id)))))
    }
}
