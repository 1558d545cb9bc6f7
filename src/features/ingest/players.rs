//! Finds the players of events and inserts new ones.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::names::Handle;
use crate::domain::times::EpochMillis;
use crate::store::Tx;
use crate::store::conn::AnyConn;
use crate::store::players::{self, NewPlayer, PlayerRef};

/// The ids of an event's players. NPCs have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PlayerIds {
    pub killer: Option<i64>,
    pub victim: Option<i64>,
    pub player: Option<i64>,
}

/// A name in the events of a batch.
struct Named<'a> {
    handle: &'a str,
    geid: Option<&'a str>,
    is_listed: bool,
}

/// Players by handle and by id.
#[derive(Default)]
pub(super) struct ResolvedPlayers {
    by_handle: HashMap<String, i64>,
    by_id: HashMap<i64, PlayerRef>,
    /// Players that this transaction listed.
    pub listed: Vec<i64>,
}

impl ResolvedPlayers {
    /// Finds the players of events and inserts the missing ones. An operator lists the names that it reports.
    pub fn resolve<'a>(
        &mut self,
        tx: &mut Tx,
        events: impl Iterator<Item = &'a ValidEvent>,
        is_operator: bool,
        now: EpochMillis,
    ) -> diesel::QueryResult<()> {
        // In sorted order, so that concurrent transactions insert new players in the same order.
        let mut named: BTreeMap<String, Named<'a>> = BTreeMap::new();
        for event in events {
            for handle in event.players() {
                let geid = event.player_geid.as_deref();
                let geid = geid.filter(|_| is_operator && event.player.player() == Some(handle));
                let new = Named { handle: handle.as_str(), geid: None, is_listed: is_operator };
                let entry = named.entry(handle.folded()).or_insert(new);
                entry.geid = geid.or(entry.geid);
            }
        }
        let unread: Vec<String> =
            named.keys().filter(|folded| !self.by_handle.contains_key(*folded)).cloned().collect();
        self.add(players::find_refs(tx, &unread)?);
        self.insert_missing(tx, &named, now)?;
        if is_operator {
            let ids = named.keys().filter_map(|folded| self.by_handle.get(folded).copied());
            let unlisted: Vec<i64> = ids.filter(|id| self.by_id.get(id).is_some_and(|p| !p.is_listed)).collect();
            self.list(tx, &unlisted)?;
        }
        Ok(())
    }

    fn list(&mut self, tx: &mut Tx, ids: &[i64]) -> diesel::QueryResult<()> {
        for id in players::list(tx, ids)? {
            self.listed.push(id);
            if let Some(player) = self.by_id.get_mut(&id) {
                player.is_listed = true;
            }
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
                is_listed: name.is_listed,
            })
            .collect();
        let made = players::insert_missing(tx, &missing)?;
        self.listed.extend(made.iter().filter(|player| player.is_listed).map(|player| player.id));
        self.add(made);
        // Another transaction may have inserted some of them between the two statements.
        let late = missing.into_iter().map(|new| new.handle_folded);
        let late: Vec<String> = late.filter(|folded| !self.by_handle.contains_key(folded)).collect();
        self.add(players::find_refs(tx, &late)?);
        Ok(())
    }

    /// Reads players by id, without those that are known.
    pub fn read(&mut self, conn: &mut AnyConn, ids: impl Iterator<Item = i64>) -> diesel::QueryResult<()> {
        let mut unread: Vec<i64> = ids.filter(|id| !self.by_id.contains_key(id)).collect();
        unread.sort_unstable();
        unread.dedup();
        self.add(players::find_refs_by_id(conn, &unread)?);
        Ok(())
    }

    pub fn add(&mut self, refs: Vec<PlayerRef>) {
        for player in refs {
            self.by_handle.insert(player.handle_folded.clone(), player.id);
            self.by_id.insert(player.id, player);
        }
    }

    /// Locks all players, in the order in which other transactions do.
    pub fn lock(&self, tx: &mut Tx) -> diesel::QueryResult<()> {
        let mut ids: Vec<i64> = self.by_id.keys().copied().collect();
        ids.sort_unstable();
        players::lock(tx, &ids)
    }

    pub fn by_id(&self, id: i64) -> Option<&PlayerRef> {
        self.by_id.get(&id)
    }

    pub fn refs(&self) -> &HashMap<i64, PlayerRef> {
        &self.by_id
    }

    pub fn guild_ids(&self) -> Vec<i64> {
        let mut ids: Vec<i64> = self.by_id.values().filter_map(|player| player.guild_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub fn ids_of(&self, event: &ValidEvent) -> PlayerIds {
        let id = |handle: Option<&Handle>| handle.and_then(|handle| self.by_handle.get(&handle.folded()).copied());
        PlayerIds {
            killer: id(event.killer.player()),
            victim: id(event.victim.player()),
            player: id(event.player.player()),
        }
    }
}
