//! Finds the players of events and inserts new ones.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::{Party, ValidEvent};
use crate::domain::times::EpochMillis;
use crate::store::conn::AnyConn;
use crate::store::players::{self, NewPlayer, PlayerRef};
use crate::store::{Tx, distinct};

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
        let mut named: BTreeMap<String, NewPlayer> = BTreeMap::new();
        for event in events {
            for handle in event.players() {
                let geid = event.player_geid.as_ref();
                let geid = geid.filter(|_| is_operator && event.player.player() == Some(handle));
                let folded = handle.folded();
                let entry = named.entry(folded).or_insert_with_key(|folded| NewPlayer {
                    handle: handle.as_str().to_owned(),
                    handle_folded: folded.clone(),
                    player_name: handle.as_str().to_owned(),
                    player_geid: None,
                    guild_id: None,
                    created_at: now.0,
                    is_listed: is_operator,
                });
                entry.player_geid = geid.cloned().or(entry.player_geid.take());
            }
        }
        let mut new = self.find_missing(tx, named.into_values().collect())?;
        let made = players::insert_missing(tx, &new)?;
        self.listed.extend(made.iter().filter(|player| player.is_listed).map(|player| player.id));
        self.add(made);
        // Another transaction may have inserted some of them between the two statements.
        new.retain(|player| !self.by_handle.contains_key(&player.handle_folded));
        self.find_missing(tx, new)?;
        if is_operator {
            let unlisted = self.by_id.values().filter(|player| !player.is_listed).map(|player| player.id);
            for id in players::list(tx, &distinct(unlisted))? {
                self.listed.push(id);
                self.by_id.entry(id).and_modify(|player| player.is_listed = true);
            }
        }
        Ok(())
    }

    /// Finds players by their handles; returns those that do not exist.
    fn find_missing(&mut self, tx: &mut Tx, mut named: Vec<NewPlayer>) -> diesel::QueryResult<Vec<NewPlayer>> {
        let folded: Vec<String> = named.iter().map(|player| player.handle_folded.clone()).collect();
        self.add(players::find_refs(tx, &folded)?);
        named.retain(|player| !self.by_handle.contains_key(&player.handle_folded));
        Ok(named)
    }

    /// Reads players by id, without those that are known.
    pub fn read(&mut self, conn: &mut AnyConn, ids: impl Iterator<Item = i64>) -> diesel::QueryResult<()> {
        let unread = distinct(ids.filter(|id| !self.by_id.contains_key(id)));
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
        players::lock(tx, &distinct(self.by_id.keys().copied()))
    }

    pub fn by_id(&self, id: i64) -> Option<&PlayerRef> {
        self.by_id.get(&id)
    }

    pub fn refs(&self) -> &HashMap<i64, PlayerRef> {
        &self.by_id
    }

    pub fn guild_ids(&self) -> Vec<i64> {
        distinct(self.by_id.values().filter_map(|player| player.guild_id))
    }

    /// The id of a player; NPCs have none.
    pub fn id_of(&self, party: &Party) -> Option<i64> {
        self.by_handle.get(&party.player()?.folded()).copied()
    }
}
