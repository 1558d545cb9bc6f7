//! What one transaction changes in everything that is derived from reports: players, figures, sessions.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::play_sessions::SessionKind;
use crate::domain::scores::Scores;
use crate::domain::times::EpochMillis;
use crate::domain::trust::Sides;
use crate::error::AppError;
use crate::store::changes::IngestChange;
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow};
use crate::store::{Tx, distinct, guilds, patch};

use super::players::ResolvedPlayers;
use super::playtime::{self, SeenEvent, seen_event};
use super::rows::from_row;
use super::tally::Tally;

/// The changes of one transaction. The rows of players are locked when it is stored.
#[derive(Default)]
pub(super) struct Derived {
    pub players: ResolvedPlayers,
    /// The names of patches by version.
    pub patches: HashMap<i64, String>,
    pub tally: Tally,
    /// Events that are new to their players.
    seen: BTreeMap<i64, Vec<SeenEvent>>,
    /// Times of events that players no longer have.
    moved: BTreeMap<i64, Vec<i64>>,
}

/// The events of stored reports; `None` for a report with unknown codes.
pub fn events_of(conn: &mut AnyConn, rows: &[EventRow]) -> diesel::QueryResult<Vec<Option<ValidEvent>>> {
    let mut derived = Derived::default();
    derived.read_names(conn, rows)?;
    Ok(rows.iter().map(|row| from_row(row, &derived.players, &derived.patches)).collect())
}

impl Derived {
    /// Reads the players and patches of stored reports.
    pub fn read_names(&mut self, conn: &mut AnyConn, rows: &[EventRow]) -> diesel::QueryResult<()> {
        self.players.read(conn, rows.iter().flat_map(EventRow::player_ids))?;
        let versions = distinct(rows.iter().filter_map(|row| row.patch_version));
        self.patches.extend(patch::names(conn, &versions)?);
        Ok(())
    }

    /// Counts an event on these sides of a new report.
    pub fn add(&mut self, row: &EventRow, event: &ValidEvent) {
        let sides = row.counted_sides();
        if sides == Sides::NONE || row.is_opt_in() {
            return;
        }
        self.tally.count(event, row, sides, 1);
        for player_id in row.players_on(sides) {
            self.seen.entry(player_id).or_default().push(seen_event(row));
        }
    }

    /// Replaces what a report counts by what its changed form counts. Reports with unknown codes count nowhere.
    pub fn replace(&mut self, before: &EventRow, after: &EventRow) {
        if before.is_opt_in() {
            return;
        }
        let (sides_before, sides_after) = (before.counted_sides(), after.counted_sides());
        for (row, sides, sign) in [(before, sides_before, -1), (after, sides_after, 1)] {
            if let Some(event) = from_row(row, &self.players, &self.patches).filter(|_| sides != Sides::NONE) {
                self.tally.count(&event, row, sides, sign);
            }
        }
        let (had, have) = (before.players_on(sides_before), after.players_on(sides_after));
        for player_id in had.iter().filter(|id| !have.contains(id)) {
            self.moved.entry(*player_id).or_default().push(before.event_time);
            self.seen.entry(*player_id).or_default();
        }
        for player_id in have.iter().filter(|id| !had.contains(id)) {
            self.seen.entry(*player_id).or_default().push(seen_event(after));
        }
    }

    /// Stores what belongs to single players, in whose order other transactions do so too. Returns the change so far.
    pub fn store_players(&mut self, tx: &mut Tx) -> Result<IngestChange, AppError> {
        for kind in SessionKind::ALL {
            playtime::update(tx, kind, &self.seen, &self.moved, &mut self.tally)?;
        }
        self.players.listed.iter().for_each(|id| self.tally.touch_player(*id));
        let mut scores = self.tally.store_players(tx, &self.players)?;
        // Leaderboards have had nothing of a player that is listed only now.
        for (before, now) in &mut scores {
            if self.players.listed.contains(&now.player_id) {
                *before = Scores::default();
            }
        }
        Ok(IngestChange { scores, withdrawn: self.moved.keys().copied().collect(), ..IngestChange::default() })
    }

    /// Stores sums of guilds and patches, for which transactions wait; completes the change.
    pub fn store_shared(&self, tx: &mut Tx, now: EpochMillis, change: &mut IngestChange) -> Result<(), AppError> {
        self.tally.store_shared(tx, &self.players, now.day(), change)?;
        ingest::refresh_last_active(tx, &change.withdrawn)?;
        change.guild_tags = guilds::tags(tx, &self.players.guild_ids())?.into_iter().collect();
        change.new_players.clone_from(&self.players.listed);
        change.players = self.players.refs().clone();
        Ok(())
    }
}
