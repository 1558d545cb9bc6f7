//! The parts that everything shares, built once and passed around; what boards are made of in memory.
//! Never here: what decides who sees what, SQL, HTTP.

mod boards;
mod failpoint;

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwapOption;
pub use boards::{Boards, GuildLine, Lines, PlayerLine};
use bytes::Bytes;
pub use failpoint::failpoint;

use crate::cards::{Card, CardRenderer, Kind};
use crate::config::Settings;
use crate::diagnostics::Diagnostics;
use crate::domain::day_start_ranks::DayStartRanks;
use crate::domain::events::ValidEvent;
use crate::domain::ranks::Ranks;
use crate::domain::scores::{Metric, Scores};
use crate::domain::sequencer::Sequencer;
use crate::domain::times::EpochMillis;
use crate::domain::tokens::TokenSigner;
use crate::domain::user_locks::UserLocks;
use crate::domain::windows::WindowBoard;
use crate::error::AppError;
use crate::files::{Files, PictureProcessor};
use crate::live::{Hub, Seats};
use crate::search::SearchIndex;
use crate::store::Store;
use crate::upstream::avatars::AvatarClient;
use crate::upstream::discord::Discord;
use crate::upstream::game_site::GameSite;
use crate::upstream::signature::ReplayGuard;

/// A window, as it was counted.
pub struct CountedWindow {
    pub board: WindowBoard,
    pub counted_at: Instant,
    pub took: std::time::Duration,
    /// How many commits the database had seen.
    pub generation: u64,
}

/// Members of guilds that were active lately.
pub struct ActiveMembers {
    /// Of large guilds, as of some minutes ago.
    pub large: moka::sync::Cache<i64, i64>,
    /// Of all guilds of a large site.
    pub counted: ArcSwapOption<CountedMembers>,
    /// Somebody has asked since the last count.
    pub is_wanted: AtomicBool,
}

/// The active members of all guilds at a moment.
pub struct CountedMembers {
    /// Guilds without any are left out.
    pub counts: HashMap<i64, i64>,
    pub counted_at: Instant,
}

impl CountedMembers {
    pub fn of(&self, guild_id: i64) -> i64 {
        self.counts.get(&guild_id).copied().unwrap_or(0)
    }
}

/// A share picture as it was drawn.
#[derive(Debug)]
pub struct DrawnCard {
    pub png: Bytes,
    /// An entity tag without its quotes.
    pub tag: String,
    pub face: CardFace,
    pub card: Card,
    pub counted_at: Instant,
}

/// The name and picture that a card shows, which can be compared without reading figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFace {
    pub name: String,
    pub plain: String,
    pub guild_id: Option<i64>,
    pub picture: Option<String>,
}

/// The sitemap as it was made.
#[derive(Debug, Clone)]
pub struct Sitemap {
    pub xml: Bytes,
    /// `App::visibility_changes` when it was begun.
    pub visibility_changes: u64,
    pub made_at: Instant,
}

/// What follows from a change, here.
pub type Effect = Box<dyn FnOnce(&App) + Send>;

/// Lets what follows from changes happen in the order of their commits, whichever thread or process made them.
pub struct Changes {
    order: Mutex<Sequencer<Effect>>,
    is_asked: Mutex<bool>,
    asked: Condvar,
    /// Whether somebody hears of what other processes commit.
    is_followed: AtomicBool,
}

impl Changes {
    /// The database stands at the change with this number.
    pub fn after(last: i64) -> Self {
        Self {
            order: Mutex::new(Sequencer::after(last)),
            is_asked: Mutex::new(false),
            asked: Condvar::new(),
            is_followed: AtomicBool::new(false),
        }
    }

    /// From now on changes take effect in order, and whoever calls this brings those that other processes made.
    pub fn follow(&self) {
        self.is_followed.store(true, Ordering::Release);
    }

    /// Waits until something waits for a change that is not here, or for this long.
    pub fn wait(&self, at_most: Duration) {
        let asked = self.is_asked.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut asked, _) =
            self.asked.wait_timeout_while(asked, at_most, |asked| !*asked).unwrap_or_else(PoisonError::into_inner);
        *asked = false;
    }

    fn ask(&self) {
        *self.is_asked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.asked.notify_all();
    }

    /// The number of the change whose turn it is.
    pub fn next(&self) -> i64 {
        self.order.lock().unwrap_or_else(PoisonError::into_inner).next_number()
    }

    /// Whether something waits for a change that is not here.
    pub fn has_gap(&self) -> bool {
        self.order.lock().unwrap_or_else(PoisonError::into_inner).has_gap()
    }

    /// Whether what follows from this change is over, or here and waiting.
    pub fn has(&self, number: i64) -> bool {
        let order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        number < order.next_number() || order.contains(number)
    }
}

/// A batch of checked events that waits for the database.
pub struct WaitingBatch {
    pub key_id: i64,
    pub events: Vec<ValidEvent>,
    /// Gets `(accepted, duplicates)`.
    pub reply: tokio::sync::oneshot::Sender<Result<(usize, usize), AppError>>,
}

/// Batches that wait, oldest first, and how many transactions of them are under way.
#[derive(Default)]
pub struct IngestQueue {
    pub waiting: VecDeque<WaitingBatch>,
    pub active_workers: usize,
}

/// The last count of a window.
#[derive(Default)]
pub struct WindowSlot {
    pub counted: ArcSwapOption<CountedWindow>,
    /// Held by whoever counts.
    pub counting: tokio::sync::Mutex<()>,
    /// Asked for since the last count.
    pub is_wanted: AtomicBool,
}

/// The shared parts. Cheap to clone as `Arc<App>`.
pub struct App {
    pub settings: Settings,
    /// Origin of the site: the setting, else the address that was bound.
    pub public_url: String,
    pub store: Store,
    pub ingest: Mutex<IngestQueue>,
    pub live: Hub,
    /// Who may open one more live stream.
    pub live_seats: Seats,
    pub search: SearchIndex,
    /// Derived from the database: how many visible players and guilds have each score.
    pub player_ranks: RwLock<Ranks>,
    pub guild_ranks: RwLock<Ranks>,
    /// The same as they stood when the day began.
    pub player_day_start_ranks: RwLock<DayStartRanks>,
    pub guild_day_start_ranks: RwLock<DayStartRanks>,
    pub player_count: AtomicI64,
    pub guild_count: AtomicI64,
    /// Counts commits that changed any figure; answers that were made from an older one are stale.
    pub generation: AtomicU64,
    /// Held while the search index follows a change that no event told of.
    pub following: Mutex<()>,
    pub active_members: ActiveMembers,
    /// By `features::leaderboard::Window`.
    pub windows: [WindowSlot; 4],
    pub player_boards: Boards<PlayerLine>,
    pub guild_boards: Boards<GuildLine>,
    /// Patch or counts changed since they were last sent out.
    pub is_patch_stale: AtomicBool,
    pub are_counts_stale: AtomicBool,
    /// Database migrated, index open, ranks loaded.
    pub is_ready: AtomicBool,
    /// SHA-256 of keys that were good a moment ago, so that a batch costs no extra read.
    pub keys: moka::sync::Cache<String, i64>,
    /// Who has viewed which profile on which day, as far as this process has counted it; see `features::viewers`.
    pub viewers: moka::sync::Cache<(i32, i64), ()>,
    /// The day and the salt of its viewers.
    pub view_salt: Mutex<Option<(i32, String)>>,
    /// The sitemap, made at most once an hour; see `features::pages`.
    pub sitemap: tokio::sync::Mutex<Option<Sitemap>>,
    /// How often players were hidden or shown again since the start: what was made before may name them, or not.
    pub visibility_changes: AtomicU64,
    /// How many visits a session or network has stored today; see `features::visits`.
    pub visit_counts: moka::sync::Cache<String, Arc<AtomicU64>>,
    /// Signs and reads the tokens of signed-in browsers.
    pub tokens: TokenSigner,
    /// Absent when sign-in is not configured.
    pub discord: Option<Discord>,
    /// Speaks as the bot, within the same limits; absent without an application id.
    pub bot: Option<Discord>,
    /// Under which name this process holds leases.
    pub process: String,
    /// Calls of Discord that were believed a moment ago.
    pub replay_guard: ReplayGuard,
    /// On how many servers the bot is; 0 while that is not known.
    pub bot_servers: AtomicI64,
    /// A player has hidden since the bot last brought its boards up to date.
    pub are_bot_boards_stale: AtomicBool,
    /// Fetches pictures of commits' authors, a few at a time.
    pub author_avatars: AvatarClient,
    /// Fetches the avatars that users have at Discord, within the same few.
    pub discord_avatars: AvatarClient,
    pub avatar_slots: tokio::sync::Semaphore,
    /// Errors and runs of jobs, for the admins' page.
    pub diagnostics: Diagnostics,
    pub game_site: GameSite,
    pub files: Files,
    pub pictures: PictureProcessor,
    /// Uploads whose bytes are held in memory at the same time.
    pub upload_slots: tokio::sync::Semaphore,
    /// Held by the one upload of a user that is in progress.
    pub uploads_in_progress: UserLocks,
    /// Players that were re-read from the game's site in the last five minutes, and when.
    pub refreshed: moka::sync::Cache<i64, Instant>,
    /// Sign-ins of the last minute, by address.
    pub sign_ins: moka::sync::Cache<std::net::IpAddr, Arc<Mutex<Vec<Instant>>>>,
    /// Logins of readers, wrong codes and lots of samples of the last minutes, by what and whom.
    pub reader_tries: moka::sync::Cache<String, Arc<Mutex<Vec<Instant>>>>,
    /// Draws share pictures.
    pub cards: Arc<CardRenderer>,
    /// Share pictures that were drawn, by whose they are.
    pub drawn: moka::sync::Cache<(Kind, i64), Arc<DrawnCard>>,
    pub card_slots: tokio::sync::Semaphore,
    pub started_at: EpochMillis,
    pub changes: Changes,
    /// An effect of a commit is missing from ranks, boards, search or the live ring: a job builds them again.
    pub is_derived_stale: AtomicBool,
}

impl App {
    /// Runs the effects of committed changes, each in its turn and once.
    ///
    /// A process that does not follow the others runs them at once: it has SQLite, whose one writer keeps the order, or it
    /// fills a database and serves nobody. Effects of changes that a rebuild has already counted in are dropped.
    ///
    /// # Panics
    /// When an effect panics. All others have run by then, and [`App::is_derived_stale`] is set.
    pub fn in_order(&self, effects: impl IntoIterator<Item = (i64, Effect)>) {
        let mut order = self.changes.order.lock().unwrap_or_else(PoisonError::into_inner);
        let mut panicked = None;
        if self.changes.is_followed.load(Ordering::Acquire) {
            effects.into_iter().for_each(|(number, effect)| order.insert(number, effect));
            // Under the lock, or a later change could overtake.
            while let Some(effect) = order.pop() {
                panicked = panicked.or(self.run(effect));
            }
        } else {
            for (number, effect) in effects {
                if number >= order.next_number() {
                    panicked = panicked.or(self.run(effect));
                }
            }
        }
        let has_gap = order.has_gap();
        drop(order);
        if has_gap {
            self.changes.ask();
        }
        if let Some(payload) = panicked {
            resume_unwind(payload);
        }
    }

    /// Runs an effect; gives what it panicked with.
    fn run(&self, effect: Effect) -> Option<Box<dyn Any + Send>> {
        let payload = catch_unwind(AssertUnwindSafe(|| effect(self))).err()?;
        self.is_derived_stale.store(true, Ordering::Release);
        Some(payload)
    }

    /// Goes on after this change with what `build` makes from the database as it is then.
    pub fn start_anew<E>(&self, build: impl FnOnce() -> Result<i64, E>) -> Result<(), E> {
        let mut order = self.changes.order.lock().unwrap_or_else(PoisonError::into_inner);
        let last = build()?;
        order.skip_to(last);
        while let Some(effect) = order.pop() {
            if self.run(effect).is_some() {
                tracing::error!("an effect of a commit panicked");
                self.diagnostics.record_panic();
            }
        }
        Ok(())
    }

    /// Now, in milliseconds since 1970.
    pub fn now() -> EpochMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        EpochMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    pub fn player_rank(&self, metric: Metric, score: i64) -> Option<i64> {
        self.player_ranks.read().unwrap_or_else(PoisonError::into_inner).rank(metric, score)
    }

    pub fn player_percentile(&self, metric: Metric, score: i64) -> Option<f64> {
        self.player_ranks.read().unwrap_or_else(PoisonError::into_inner).percentile(metric, score)
    }

    pub fn guild_rank(&self, metric: Metric, score: i64) -> Option<i64> {
        self.guild_ranks.read().unwrap_or_else(PoisonError::into_inner).rank(metric, score)
    }

    /// Notes what changed players had before and what they did on earlier days, ahead of [`App::change_player_ranks`].
    pub fn remember_players(&self, before: impl Iterator<Item = (i64, Scores, Scores)>) {
        remember(&self.player_day_start_ranks, &self.player_ranks, before);
    }

    /// The same for guilds.
    pub fn remember_guilds(&self, before: impl Iterator<Item = (i64, Scores, Scores)>) {
        remember(&self.guild_day_start_ranks, &self.guild_ranks, before);
    }

    /// Ranks and movements of players who now have these figures; see [`Standing`].
    pub fn player_standings<'a>(
        &self,
        metric: Metric,
        players: impl Iterator<Item = (i64, &'a Scores)>,
    ) -> Vec<Standing> {
        standings(&self.player_day_start_ranks, &self.player_ranks, metric, players)
    }

    /// The same for guilds.
    pub fn guild_standings<'a>(
        &self,
        metric: Metric,
        guilds: impl Iterator<Item = (i64, &'a Scores)>,
    ) -> Vec<Standing> {
        standings(&self.guild_day_start_ranks, &self.guild_ranks, metric, guilds)
    }

    /// Takes changed figures of visible players into the ranks.
    pub fn change_player_ranks(&self, changes: impl Iterator<Item = (Scores, Scores)>) {
        let mut ranks = self.player_ranks.write().unwrap_or_else(PoisonError::into_inner);
        changes.for_each(|(old, new)| ranks.change(&old, &new));
    }

    pub fn change_guild_ranks(&self, changes: impl Iterator<Item = (Scores, Scores)>) {
        let mut ranks = self.guild_ranks.write().unwrap_or_else(PoisonError::into_inner);
        changes.for_each(|(old, new)| ranks.change(&old, &new));
    }

    /// Counts every window anew when it is next asked for.
    pub fn forget_windows(&self) {
        self.windows.iter().for_each(|slot| slot.counted.store(None));
    }

    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub fn count_commit(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }
}

fn remember(
    start_ranks: &RwLock<DayStartRanks>,
    ranks: &RwLock<Ranks>,
    before: impl Iterator<Item = (i64, Scores, Scores)>,
) {
    let mut start_ranks = start_ranks.write().unwrap_or_else(PoisonError::into_inner);
    start_ranks.start_day(App::now().day(), &ranks.read().unwrap_or_else(PoisonError::into_inner));
    before.for_each(|(id, scores, late)| start_ranks.record_change(id, scores, late));
}

/// Where somebody stands now, against the beginning of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// `None` without a score.
    pub rank: Option<i64>,
    /// How many places were climbed since the UTC day began (below 0: fallen); `None` for who had no rank then or has none now.
    pub movement: Option<i64>,
}

fn standings<'a>(
    start_ranks: &RwLock<DayStartRanks>,
    ranks: &RwLock<Ranks>,
    metric: Metric,
    of: impl Iterator<Item = (i64, &'a Scores)>,
) -> Vec<Standing> {
    let today = App::now().day();
    let mut then = start_ranks.read().unwrap_or_else(PoisonError::into_inner);
    if then.day() != today {
        drop(then);
        remember(start_ranks, ranks, std::iter::empty());
        then = start_ranks.read().unwrap_or_else(PoisonError::into_inner);
    }
    let ranks = ranks.read().unwrap_or_else(PoisonError::into_inner);
    of.map(|(id, now)| {
        let rank = ranks.rank(metric, now.get(metric));
        let movement = rank.and_then(|rank| Some(then.rank(metric, id, now)? - rank));
        Standing { rank, movement }
    })
    .collect()
}
