//! Resolves the players of a batch and inserts new ones.

use std::collections::{BTreeMap, HashMap};

use crate::domain::counters::Side;
use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::store::Tx;
use crate::store::players::{self, NewPlayer, PlayerRef};

/// The ids of an event's players. NPCs have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlayerIds {
    pub killer: Option<i64>,
    pub victim: Option<i64>,
    pub player: Option<i64>,
}

impl PlayerIds {
    /// The player in this role.
    pub fn of(&self, side: Side) -> Option<i64> {
        match side {
            Side::Killer => self.killer,
            Side::Victim => self.victim,
            Side::Player => self.player,
        }
    }

    /// The distinct ids.
    pub fn distinct(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = [self.killer, self.victim, self.player].into_iter().flatten().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// Players by handle and by id.
#[derive(Default)]
pub struct ResolvedPlayers {
    by_handle: HashMap<String, i64>,
    by_id: HashMap<i64, PlayerRef>,
    /// Players inserted by this batch.
    pub new: Vec<i64>,
}

impl ResolvedPlayers {
    /// Finds the players of events and inserts the missing ones. Each event comes with whether its sender may set the entity id of
    /// a new player.
    pub fn resolve<'a>(
        &mut self,
        tx: &mut Tx,
        events: impl Iterator<Item = (&'a ValidEvent, bool)>,
        now: EpochMillis,
    ) -> diesel::QueryResult<()> {
        // In sorted order, so that concurrent transactions insert new players in the same order.
        let mut named: BTreeMap<String, (&'a str, Option<&'a str>)> = BTreeMap::new();
        for (event, may_set_geid) in events {
            for handle in event.players() {
                let geid = event.player_geid.as_deref();
                let geid = geid.filter(|_| may_set_geid && event.player.player() == Some(handle));
                let entry = named.entry(handle.folded()).or_insert((handle.as_str(), None));
                entry.1 = geid.or(entry.1);
            }
        }
        named.retain(|folded, _| !self.by_handle.contains_key(folded));
        if named.is_empty() {
            return Ok(());
        }
        let folded: Vec<String> = named.keys().cloned().collect();
        self.add(players::find_refs(tx, &folded)?);
        let missing: Vec<NewPlayer> = named
            .iter()
            .filter(|(folded, _)| !self.by_handle.contains_key(*folded))
            .map(|(folded, (handle, geid))| NewPlayer {
                handle: (*handle).to_owned(),
                handle_folded: folded.clone(),
                player_name: (*handle).to_owned(),
                player_geid: geid.map(ToOwned::to_owned),
                guild_id: None,
                created_at: now.0,
            })
            .collect();
        let made = players::insert_missing(tx, &missing)?;
        self.new.extend(made.iter().map(|p| p.id));
        self.add(made);
        // Another transaction may have inserted some of them between the two statements.
        if folded.iter().any(|folded| !self.by_handle.contains_key(folded)) {
            self.add(players::find_refs(tx, &folded)?);
        }
        Ok(())
    }

    pub fn add(&mut self, keys: Vec<PlayerRef>) {
        for key in keys {
            self.by_handle.insert(key.handle_folded.clone(), key.id);
            self.by_id.insert(key.id, key);
        }
    }

    pub fn by_id(&self, id: i64) -> Option<&PlayerRef> {
        self.by_id.get(&id)
    }

    /// All ids in ascending order.
    pub fn ids(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.by_id.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    pub fn guild_ids(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.by_id.values().filter_map(|p| p.guild_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub fn ids_of(&self, event: &ValidEvent) -> PlayerIds {
        let id = |handle: Option<&crate::domain::names::Handle>| {
            handle.and_then(|h| self.by_handle.get(&h.folded()).copied())
        };
        PlayerIds {
            killer: id(event.killer.player()),
            victim: id(event.victim.player()),
            player: id(event.player.player()),
        }
    }

    pub fn into_keys(self) -> HashMap<i64, PlayerRef> {
        self.by_id
    }
}
