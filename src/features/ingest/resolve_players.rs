//! Resolves the players of a batch and inserts new ones.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::counters::Side;
use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::store::Tx;
use crate::store::players::{self, NewPlayer, PlayerRef};

use super::names;

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

/// A name in the events of a batch.
#[derive(Clone, Copy)]
struct Named<'a> {
    handle: &'a str,
    geid: Option<&'a str>,
    /// Whether the operator reported it.
    is_known: bool,
}

/// Players by handle and by id.
#[derive(Default)]
pub struct ResolvedPlayers {
    by_handle: HashMap<String, i64>,
    by_id: HashMap<i64, PlayerRef>,
    /// Players that this batch made known.
    pub new: Vec<i64>,
    /// Players that this batch inserted with a provisional name.
    pub provisional: HashSet<i64>,
}

impl ResolvedPlayers {
    /// Finds the players of events and inserts the missing ones. Each event comes with whether the operator reported it: then its
    /// names are known, and the entity id of a new player is stored.
    pub fn resolve<'a>(
        &mut self,
        tx: &mut Tx,
        events: impl Iterator<Item = (&'a ValidEvent, bool)>,
        now: EpochMillis,
    ) -> diesel::QueryResult<()> {
        // In sorted order, so that concurrent transactions insert new players in the same order.
        let mut named: BTreeMap<String, Named<'a>> = BTreeMap::new();
        for (event, is_operator) in events {
            for handle in event.players() {
                let geid = event.player_geid.as_deref();
                let geid = geid.filter(|_| is_operator && event.player.player() == Some(handle));
                let new = Named { handle: handle.as_str(), geid: None, is_known: false };
                let entry = named.entry(handle.folded()).or_insert(new);
                entry.geid = geid.or(entry.geid);
                entry.is_known |= is_operator;
            }
        }
        let unread: Vec<String> =
            named.keys().filter(|folded| !self.by_handle.contains_key(*folded)).cloned().collect();
        if !unread.is_empty() {
            self.add(players::find_refs(tx, &unread)?);
        }
        self.insert_missing(tx, &named, now)?;
        let waiting =
            named.iter().filter(|(_, name)| name.is_known).filter_map(|(folded, _)| self.by_handle.get(folded));
        let waiting: Vec<i64> = waiting.copied().filter(|id| self.is_provisional(*id)).collect();
        self.set_known(tx, &waiting)
    }

    fn set_known(&mut self, tx: &mut Tx, provisional: &[i64]) -> diesel::QueryResult<()> {
        if provisional.is_empty() {
            return Ok(());
        }
        self.new.extend(names::make_known(tx, provisional)?);
        for id in provisional {
            if let Some(player) = self.by_id.get_mut(id) {
                player.is_provisional = false;
            }
        }
        Ok(())
    }

    /// Reads again which names are provisional, after the players are locked.
    pub fn refresh_provisional(&mut self, tx: &mut Tx) -> diesel::QueryResult<()> {
        let waiting: Vec<i64> =
            self.by_id.values().filter(|player| player.is_provisional).map(|player| player.id).collect();
        if !waiting.is_empty() {
            self.add(players::find_refs_by_id(tx, &waiting)?);
        }
        Ok(())
    }

    fn insert_missing(
        &mut self,
        tx: &mut Tx,
        named: &BTreeMap<String, Named>,
        now: EpochMillis,
    ) -> diesel::QueryResult<()> {
        let missing: Vec<NewPlayer> = named
            .iter()
            .filter(|(folded, _)| !self.by_handle.contains_key(*folded))
            .map(|(folded, name)| NewPlayer {
                handle: name.handle.to_owned(),
                handle_folded: folded.clone(),
                player_name: name.handle.to_owned(),
                player_geid: name.geid.map(ToOwned::to_owned),
                guild_id: None,
                created_at: now.0,
                is_provisional: !name.is_known,
            })
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let made = players::insert_missing(tx, &missing)?;
        self.new.extend(made.iter().filter(|player| !player.is_provisional).map(|player| player.id));
        self.provisional.extend(made.iter().filter(|player| player.is_provisional).map(|player| player.id));
        self.add(made);
        // Another transaction may have inserted some of them between the two statements.
        let late: Vec<String> = missing.into_iter().map(|new| new.handle_folded).collect();
        let late: Vec<String> = late.into_iter().filter(|folded| !self.by_handle.contains_key(folded)).collect();
        if !late.is_empty() {
            self.add(players::find_refs(tx, &late)?);
        }
        Ok(())
    }

    pub fn add(&mut self, keys: Vec<PlayerRef>) {
        for key in keys {
            self.by_handle.insert(key.handle_folded.clone(), key.id);
            self.by_id.insert(key.id, key);
        }
    }

    /// Whether only accounts have reported the name of a player.
    pub fn is_provisional(&self, id: i64) -> bool {
        self.by_id.get(&id).is_some_and(|player| player.is_provisional)
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
