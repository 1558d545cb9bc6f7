//! Leaderboards over a window: counted on the first request, cached, and counted again in the background while there are
//! requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use crate::domain::scores::Scores;
use crate::domain::times::{DAY_MS, Day, EpochMillis};
use crate::domain::windows::{Window, WindowBoard};
use crate::store::conn::AnyConn;
use crate::store::leaderboard::{self, WindowRow};
use crate::store::{StoreError, guilds, patch};

use super::Projections;

/// The start of a window moves even when nothing is committed: a count is repeated after this time.
const MAX_AGE: Duration = Duration::from_secs(60);
/// A slow count is used for this many times its duration, so that counting takes at most a tenth of the time.
const REST_FACTOR: u32 = 10;
/// A count of at most this many players takes milliseconds: it is repeated after every commit, and requests wait for it.
const SMALL: usize = 20_000;
/// How much longer a slow count may be used while the next one runs.
const STALE_WHILE_COUNTING: Duration = Duration::from_secs(120);
/// The windows that are counted. The order over all time is in the database.
const COUNTED: [Window; 4] = [Window::Day, Window::Week, Window::Month, Window::Patch];

/// The figures of a window at one moment.
pub struct CountedWindow {
    pub board: WindowBoard,
    counted_at: Instant,
    took: Duration,
    /// [`Projections::generation`] before the count.
    generation: u64,
}

/// The last count of a window.
#[derive(Default)]
struct Slot {
    counted: ArcSwapOption<CountedWindow>,
    /// Held during a count.
    counting: tokio::sync::Mutex<()>,
    /// Whether there was a request since the last count.
    is_requested: AtomicBool,
}

/// The counted windows.
#[derive(Default)]
pub(super) struct Windows {
    slots: [Slot; COUNTED.len()],
}

impl Windows {
    /// The last count of a window; `None` for all time, which is not counted.
    fn slot(&self, window: Window) -> Option<&Slot> {
        self.slots.get(COUNTED.iter().position(|counted| *counted == window)?)
    }

    /// Discards every count.
    pub fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.counted.store(None));
    }
}

impl CountedWindow {
    fn empty() -> Self {
        Self { board: WindowBoard::default(), counted_at: Instant::now(), took: Duration::ZERO, generation: 0 }
    }

    fn is_small(&self) -> bool {
        self.board.len() <= SMALL
    }

    fn is_fresh(&self, generation: u64) -> bool {
        let age = self.counted_at.elapsed();
        let may_rest = !self.is_small() && age < self.took * REST_FACTOR;
        may_rest || (self.generation == generation && age < MAX_AGE)
    }

    fn is_usable(&self) -> bool {
        !self.is_small() && self.counted_at.elapsed() < self.took * REST_FACTOR + STALE_WHILE_COUNTING
    }
}

impl Projections {
    /// The moment of the last count; `None` if there was none, and for all time.
    pub fn window_counted_at(&self, window: Window) -> Option<Instant> {
        self.windows.slot(window)?.counted.load_full().map(|counted| counted.counted_at)
    }

    /// The figures of all players and guilds that were active in the window; none for all time, whose order is in the database.
    ///
    /// A small count includes every commit. A large one may be as old as [`REST_FACTOR`] times its duration, plus
    /// [`STALE_WHILE_COUNTING`] while the next one runs, so that no request waits for seconds.
    pub async fn window(&self, window: Window) -> Result<Arc<CountedWindow>, StoreError> {
        let Some(slot) = self.windows.slot(window) else { return Ok(Arc::new(CountedWindow::empty())) };
        slot.is_requested.store(true, Ordering::Relaxed);
        let is_enough = |counted: &Arc<CountedWindow>| counted.is_fresh(self.generation()) || counted.is_usable();
        if let Some(counted) = slot.counted.load_full().filter(is_enough) {
            return Ok(counted);
        }
        let _counting = slot.counting.lock().await;
        match slot.counted.load_full().filter(|counted| counted.is_fresh(self.generation())) {
            Some(counted_meanwhile) => Ok(counted_meanwhile),
            None => self.count_window(window, slot).await,
        }
    }

    /// Repeats the counts that were requested and have become old.
    pub(super) async fn count_requested_windows(&self) -> Result<(), StoreError> {
        for window in COUNTED {
            let Some(slot) = self.windows.slot(window) else { continue };
            let is_old = |counted: &Arc<CountedWindow>| !counted.is_small() && !counted.is_fresh(self.generation());
            let is_old = slot.counted.load().as_ref().is_some_and(is_old);
            if is_old && slot.is_requested.swap(false, Ordering::Relaxed) {
                let _counting = slot.counting.lock().await;
                self.count_window(window, slot).await?;
            }
        }
        Ok(())
    }

    async fn count_window(&self, window: Window, slot: &Slot) -> Result<Arc<CountedWindow>, StoreError> {
        // Read before the count, which may miss a commit that happens meanwhile.
        let generation = self.generation();
        let began = Instant::now();
        let now = self.store.now();
        let board = self.store.read(move |conn| read(conn, window, now)).await?;
        let counted = Arc::new(CountedWindow { board, counted_at: Instant::now(), took: began.elapsed(), generation });
        slot.counted.store(Some(Arc::clone(&counted)));
        Ok(counted)
    }
}

fn read(conn: &mut AnyConn, window: Window, now: EpochMillis) -> diesel::QueryResult<WindowBoard> {
    let mut sums = Sums::default();
    if window == Window::Patch {
        let Some(newest) = patch::newest(conn)? else { return Ok(WindowBoard::default()) };
        leaderboard::for_each_in_patch(conn, newest.version, |row| sums.add(row))?;
    } else {
        let from = EpochMillis(now.0 - window.days() * DAY_MS);
        let first = from.day();
        let next = Day(first.0 + 1).start().0;
        leaderboard::for_each_since(conn, from.0, first.0, next, |row| sums.add(row))?;
    }
    sums.board(conn)
}

/// Rows of a window before they are sorted.
#[derive(Default)]
struct Sums {
    players: Vec<(Box<str>, i64, Scores)>,
    guilds: HashMap<i64, Scores>,
}

impl Sums {
    fn add(&mut self, row: WindowRow) {
        let scores = row.scores;
        // Hidden members count for their guild.
        if let Some(guild_id) = row.guild_id {
            *self.guilds.entry(guild_id).or_default() += scores;
        }
        if !row.is_hidden {
            self.players.push((row.handle_folded.into(), row.player_id, scores));
        }
    }

    fn board(mut self, conn: &mut AnyConn) -> diesel::QueryResult<WindowBoard> {
        self.players.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        let mut tags = guilds::tags(conn, &self.guilds.keys().copied().collect::<Vec<_>>())?;
        tags.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
        let players = self.players.into_iter().map(|(_, id, scores)| (id, scores));
        Ok(WindowBoard::new(players, tags.into_iter().map(|(id, _)| (id, self.guilds[&id]))))
    }
}
