//! Applies a change to every projection.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::domain::scores::Scores;
use crate::failpoint::failpoint;
use crate::search;
use crate::store::changes::{Change, ChangePosition, EntityChange, IngestChange, RecordedChange};
use crate::store::ingest::ScoreRow;
use crate::store::players::{self, PlayerRef};
use crate::store::{StoreError, guilds, leaderboard};

use super::Projections;
use super::live::player_topic;

impl Projections {
    /// Applies committed changes in the order of their commits, each once. Called on the thread of the commit, or by the
    /// follower for changes of other processes.
    ///
    /// # Panics
    /// If the effect of a change panics. All other effects have run by then, and the projections are marked stale.
    pub fn apply(&self, changes: impl IntoIterator<Item = RecordedChange>) {
        let mut panicked = None;
        self.sequence.apply(changes, |recorded| {
            let payload = self.apply_caught(recorded);
            panicked = panicked.take().or(payload);
        });
        if let Some(payload) = panicked {
            resume_unwind(payload);
        }
    }

    /// Applies a change; returns the payload of a panic.
    pub(super) fn apply_caught(&self, recorded: &RecordedChange) -> Option<Box<dyn Any + Send>> {
        let payload = catch_unwind(AssertUnwindSafe(|| self.apply_one(recorded.position, &recorded.change))).err()?;
        self.is_stale.store(true, Ordering::Release);
        Some(payload)
    }

    fn apply_one(&self, position: ChangePosition, change: &Change) {
        match change {
            Change::Ingest(change) => self.apply_ingest(position, change),
            Change::Entities(change) => self.apply_entities(position, change),
            Change::Commits(ids) => self.publish_commits(position, ids),
            Change::IngestKeys => self.ingest_keys.invalidate_all(),
            // The process that recorded it has rebuilt its projections; in others the follower calls `rebuild`.
            Change::Rebuild => {}
        }
    }

    fn apply_ingest(&self, position: ChangePosition, change: &IngestChange) {
        self.rank_batch(change);
        // After everything that responses are built from: a response from here on includes this commit.
        self.count_commit();
        failpoint("effect");
        self.index_batch(change);
        for player in change.withdrawn.iter().filter_map(|id| change.players.get(id)) {
            self.live.retract(player_topic(&player.handle));
        }
        self.publish_events(change);
        self.publish_figures(position, change);
        if change.has_patch_changes {
            self.patch.set();
        }
    }

    fn rank_batch(&self, change: &IngestChange) {
        let visible = change.scores.iter().filter(|(_, now)| !now.is_hidden);
        let late = |player_id| change.late.get(&player_id).copied().unwrap_or_default();
        self.players.remember(visible.clone().map(|(old, now)| (now.player_id, *old, late(now.player_id))));
        self.guilds.remember(change.guilds.iter().map(|guild| (guild.guild_id, guild.before, guild.late)));
        self.players.change_ranks(visible.clone().map(|(old, now)| (*old, now.scores)));
        self.guilds.change_ranks(change.guilds.iter().map(|guild| (guild.before, guild.now)));
        self.players.cache.rows.invalidate(change.players.keys().copied());
        self.guilds.cache.rows.invalidate(change.guilds.iter().map(|guild| guild.guild_id));
        let players = visible.filter_map(|(_, now)| {
            let player = change.players.get(&now.player_id)?;
            Some((now.player_id, player.handle_folded.as_str(), now.scores))
        });
        self.players.cache.update(&players.collect::<Vec<_>>());
        let guilds = change.guilds.iter().filter_map(|guild| {
            let tag = change.guild_tags.get(&guild.guild_id)?;
            Some((guild.guild_id, tag.as_str(), guild.now))
        });
        self.guilds.cache.update(&guilds.collect::<Vec<_>>());
    }

    fn index_batch(&self, change: &IngestChange) {
        let mut entries = Vec::new();
        for (old, now) in &change.scores {
            let Some(player) = change.players.get(&now.player_id).filter(|player| !player.is_off_boards()) else {
                continue;
            };
            if change.new_players.contains(&now.player_id) {
                entries.push(search::Change::Put(new_entry(player, now.scores.search_order(), &change.guild_tags)));
            } else if old.search_order() != now.scores.search_order() {
                let kind = search::Kind::Player;
                entries.push(search::Change::Score { kind, id: now.player_id, score: now.scores.search_order() });
            }
        }
        let guilds = change.guilds.iter().filter(|guild| guild.before.search_order() != guild.now.search_order());
        entries.extend(guilds.map(|guild| search::Change::Score {
            kind: search::Kind::Guild,
            id: guild.guild_id,
            score: guild.now.search_order(),
        }));
        let last = change.events.last().map_or(0, |event| event.id);
        if let Err(error) = self.search.apply(entries, last) {
            tracing::error!(%error, "the search index could not apply a commit; it is rebuilt");
            self.is_stale.store(true, Ordering::Release);
        }
        self.add_counts(change.new_players.len() as i64, 0);
    }

    fn apply_entities(&self, position: ChangePosition, change: &EntityChange) {
        self.players.change_ranks(change.player_figures.iter().copied());
        let guilds = change.guild_figures.iter();
        self.guilds.remember(guilds.clone().map(|(id, before, _)| (*id, *before, Scores::default())));
        self.guilds.change_ranks(guilds.map(|(_, before, now)| (*before, *now)));
        self.add_counts(change.new_players, change.new_guilds);
        if !change.player_figures.is_empty() {
            self.windows.clear();
        }
        if let Err(error) = self.update_caches(change) {
            tracing::warn!(%error, "leaderboards could not follow a change and are read again");
            self.players.cache.clear();
            self.guilds.cache.clear();
        }
        // To hide a player removes its figures from the ranks; to show it again restores them.
        if !change.hidden.is_empty() || !change.player_figures.is_empty() {
            self.visibility_generation.fetch_add(1, Ordering::AcqRel);
        }
        // After everything that responses are built from: a response from here on includes this change.
        self.count_commit();
        for handle in &change.hidden {
            self.live.retract(player_topic(handle));
        }
        if !change.hidden.is_empty() {
            self.bot_boards.set();
        }
        if let Err(error) = self.publish_guilds(position, change) {
            tracing::warn!(%error, "a guild's members could not be read for the live stream");
        }
        for player_id in &change.refreshed {
            self.refreshed.insert(*player_id, Instant::now());
        }
        self.refresh_search(search::Kind::Player, &change.players);
        self.refresh_search(search::Kind::Guild, &change.guilds);
    }

    /// Updates the leaderboards with names, figures and visibility of the changed players and guilds from the database.
    fn update_caches(&self, change: &EntityChange) -> Result<(), StoreError> {
        self.players.cache.rows.invalidate(change.players.iter().copied());
        self.guilds.cache.rows.invalidate(change.guilds.iter().copied());
        if !change.players.is_empty() {
            let (keys, figures) = self.store.read_blocking(|conn| {
                Ok((players::find_refs_by_id(conn, &change.players)?, leaderboard::scores_of(conn, &change.players)?))
            })?;
            let figures: HashMap<i64, ScoreRow> = figures.into_iter().map(|row| (row.player_id, row)).collect();
            let now = |key: &PlayerRef| {
                let visible = figures.get(&key.id).filter(|_| !key.is_off_boards());
                visible.map(|row| row.scores).unwrap_or_default()
            };
            let entries: Vec<_> = keys.iter().map(|key| (key.id, key.handle_folded.as_str(), now(key))).collect();
            self.players.cache.update(&entries);
        }
        if !change.guilds.is_empty() {
            let rows = self.store.read_blocking(|conn| guilds::find_many(conn, &change.guilds))?;
            let entries: Vec<_> = rows.iter().map(|row| (row.id, row.tag.as_str(), row.scores)).collect();
            self.guilds.cache.update(&entries);
        }
        Ok(())
    }

    fn add_counts(&self, players: i64, guilds: i64) {
        self.players.add_count(players);
        self.guilds.add_count(guilds);
        if players + guilds > 0 {
            self.counts.set();
        }
    }
}

/// The entry of a player whose first event was just committed.
fn new_entry(player: &PlayerRef, score: i64, guild_tags: &HashMap<i64, String>) -> search::Entry {
    search::Entry {
        kind: search::Kind::Player,
        id: player.id,
        key: player.handle.clone(),
        name: player.handle.clone(),
        former: Vec::new(),
        org_short: player.guild_id.and_then(|id| guild_tags.get(&id).cloned()),
        score,
        member_count: 0,
        is_claimed: false,
    }
}
