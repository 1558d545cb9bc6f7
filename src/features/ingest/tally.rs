//! Sums the changes of a batch, so that each row is written once.

use std::collections::BTreeMap;

use gamelog::catalogue::giver_name;

use crate::domain::counters::{Counters, Effect, Side, effects};
use crate::domain::events::{EventKind, GameMode, ValidEvent, is_contract_class, mode_code};
use crate::domain::patches::Patch;
use crate::domain::play_sessions::{PlaySession, SessionKind};
use crate::domain::scores::Scores;
use crate::domain::times::{Day, EpochMillis};
use crate::domain::trust::Sides;
use crate::store::Tx;
use crate::store::changes::{GuildScoreChange, IngestChange};
use crate::store::ingest::{self, EventRow, GiverChange, MissionChange, PatchChange, ScoreChange, ScoreRow};
use crate::store::patch::{CONTRACT, GIVER, LOADING_TIME, TOTAL, VEHICLE, WEAPON};

use super::players::ResolvedPlayers;
use super::ships::ShipChanges;

/// All changes of a batch, by row.
#[derive(Default)]
pub struct Tally {
    /// Names are added when they are stored.
    players: BTreeMap<i64, ScoreChange>,
    counters: BTreeMap<(i64, i16), Counters>,
    days: BTreeMap<(i64, i32), Scores>,
    player_patches: BTreeMap<(i64, i64), Scores>,
    weapons: BTreeMap<(i64, i16, String), i64>,
    vehicles: BTreeMap<(i64, i16, String), i64>,
    missions: BTreeMap<(i64, String), MissionChange>,
    givers: BTreeMap<(i64, String), GiverChange>,
    patches: BTreeMap<i64, PatchChange>,
    patch_use: BTreeMap<(i64, i16, String), (i64, i64)>,
    ships: ShipChanges,
}

impl Tally {
    /// Adds a player although no figure changes.
    pub fn touch_player(&mut self, id: i64) {
        self.players.entry(id).or_default();
    }

    /// Adds the patch of an event that is stored, whether or not it counts. It is adopted if a time is given (epoch milliseconds).
    pub fn mention(&mut self, event: &ValidEvent, adopted_at: Option<i64>) {
        let Some(patch) = &event.patch else { return };
        let tally = self.patches.entry(patch.version()).or_default();
        tally.adopted_at = tally.adopted_at.or(adopted_at);
        if patch.as_str() > tally.name.as_str() {
            tally.name = patch.as_str().to_owned();
        }
    }

    /// Adds the effects of an event on these sides of its report (`sign` 1), or removes them (−1).
    pub fn count(&mut self, event: &ValidEvent, row: &EventRow, sides: Sides, sign: i64) {
        for player_id in row.players_on(sides) {
            let tally = self.players.entry(player_id).or_default();
            if sign > 0 {
                tally.last_active_at = tally.last_active_at.max(event.event_time.0);
            }
        }
        self.mention(event, None);
        if let Some(player_id) = row.player_id.filter(|_| sides.contains(Side::Player)) {
            self.ships.count(event, player_id, sign);
            self.count_for_patch(event, sign);
            self.count_contract(event, player_id, sign);
        }
        for (side, effect) in effects(event).into_iter().filter(|(side, _)| sides.contains(*side)) {
            if let Some(player_id) = row.player_on(side) {
                self.apply(event, player_id, effect, sign);
            }
        }
    }

    /// Adds (`sign` 1) or removes (−1) the length of a session: playtime on the day of its end, universe time on each of its days.
    pub fn add_session(&mut self, player_id: i64, session: &PlaySession, patch_version: Option<i64>, sign: i64) {
        let parts = match session.kind {
            SessionKind::Play => vec![(session.end(), Scores { playtime: session.secs(), ..Scores::default() })],
            SessionKind::Universe => {
                let of_day = |(at, secs)| (at, Scores { universe_time: secs, ..Scores::default() });
                session.secs_by_day().into_iter().map(of_day).collect()
            }
        };
        for (at, scores) in parts.into_iter().filter(|(_, scores)| !scores.is_zero()) {
            self.add_scores(player_id, scores * sign, at, patch_version);
        }
    }

    fn add_scores(&mut self, player_id: i64, scores: Scores, at: EpochMillis, patch_version: Option<i64>) {
        self.players.entry(player_id).or_default().scores += scores;
        *self.days.entry((player_id, at.day().0)).or_default() += scores;
        if let Some(version) = patch_version {
            *self.player_patches.entry((version, player_id)).or_default() += scores;
        }
        let totals = [
            ("missions_completed", scores.missions_completed),
            ("universe_time", scores.universe_time),
            ("ships_flown", scores.ships_flown),
        ];
        for (total, by) in totals.into_iter().filter(|(_, by)| *by != 0) {
            self.add_patch_use(patch_version, TOTAL, total, (by, 0));
        }
    }

    /// What a patch tells of an event of its own player beside the figures of players: givers, loading times and crashes.
    fn count_for_patch(&mut self, event: &ValidEvent, sign: i64) {
        let version = event.patch.as_ref().map(Patch::version).filter(|_| event.game_mode != Some(GameMode::Ac));
        match (event.identifier.kind(), &event.details.issuer, event.details.seconds) {
            (EventKind::MissionCompleted, Some(giver), _) => {
                self.add_patch_use(version, GIVER, &giver_name(giver), (sign, 0));
            }
            (EventKind::Connection, _, Some(secs)) => {
                self.add_patch_use(version, LOADING_TIME, &secs.to_string(), (sign, 0));
            }
            (EventKind::GameCrashed, ..) => self.add_patch_use(version, TOTAL, "game_crashes", (sign, 0)),
            _ => {}
        }
    }

    /// The end of a contract, for its giver.
    fn count_contract(&mut self, event: &ValidEvent, player_id: i64, sign: i64) {
        let count: fn(&mut GiverChange) -> &mut i64 = match (event.identifier.kind(), event.details.outcome.as_deref())
        {
            (EventKind::MissionCompleted, _) => |giver| &mut giver.completed,
            (EventKind::MissionEnded, Some("failed")) => |giver| &mut giver.failed,
            (EventKind::MissionEnded, Some("abandoned")) => |giver| &mut giver.abandoned,
            _ => return,
        };
        let giver = event.details.issuer.as_deref().map(giver_name).unwrap_or_default();
        *count(self.givers.entry((player_id, giver)).or_default()) += sign;
    }

    fn apply(&mut self, event: &ValidEvent, player_id: i64, effect: Effect, sign: i64) {
        let mode = mode_code(event.game_mode);
        let version = event.patch.as_ref().map(Patch::version).filter(|_| event.game_mode != Some(GameMode::Ac));
        self.add_gained(event, player_id, effect.scores() * sign);
        match effect {
            Effect::Counted(_, counter) => self.counters.entry((player_id, mode)).or_default()[counter] += sign,
            Effect::UnknownDeath => self.players.entry(player_id).or_default().unknown_deaths += sign,
            Effect::WeaponKill { weapon } => {
                self.add_patch_use(version, WEAPON, &weapon, (sign, 0));
                *self.weapons.entry((player_id, mode, weapon)).or_default() += sign;
            }
            Effect::VehicleUse { vehicle } => {
                self.add_patch_use(version, VEHICLE, &vehicle, (sign, 0));
                *self.vehicles.entry((player_id, mode, vehicle)).or_default() += sign;
            }
            Effect::MissionAccepted { contract } => {
                self.add_patch_use(version, CONTRACT, &contract, (sign, 0));
                self.mission(event, player_id, contract).accepted += sign;
            }
            Effect::MissionCompleted { contract } => {
                self.add_patch_use(version, CONTRACT, &contract, (0, sign));
                self.mission(event, player_id, contract).completed += sign;
            }
        }
    }

    fn mission(&mut self, event: &ValidEvent, player_id: i64, contract: String) -> &mut MissionChange {
        let change = self.missions.entry((player_id, contract)).or_default();
        let class = event.details.contract_id.as_deref().filter(|id| is_contract_class(id));
        if let Some(class) = class.filter(|class| *class > change.class.as_str()) {
            change.class = class.to_owned();
        }
        change
    }

    fn add_gained(&mut self, event: &ValidEvent, player_id: i64, gained: Scores) {
        if gained.is_zero() {
            return;
        }
        let version = event.patch.as_ref().map(Patch::version);
        self.add_scores(player_id, gained, event.event_time, version);
        if let Some(version) = version {
            let patch = self.patches.entry(version).or_default();
            patch.player_kills += gained.pu_player_kills;
            patch.npc_kills += gained.pve_kills;
            patch.vehicle_destructions += gained.vehicle_destructions;
        }
    }

    fn add_patch_use(&mut self, version: Option<i64>, kind: i16, name: &str, (uses, completed): (i64, i64)) {
        let Some(version) = version else { return };
        let used = self.patch_use.entry((version, kind, name.to_owned())).or_default();
        used.0 += uses;
        used.1 += completed;
    }

    /// Writes the rows of players; returns their scores before and after.
    pub fn store_players(
        &mut self,
        tx: &mut Tx,
        players: &ResolvedPlayers,
    ) -> diesel::QueryResult<Vec<(Scores, ScoreRow)>> {
        for flight in std::mem::take(&mut self.ships).store(tx)? {
            let gained = Scores { ships_flown: flight.sign, ..Scores::default() };
            self.add_scores(flight.player_id, gained, EpochMillis(flight.at), flight.patch);
        }
        for ((player_id, day), gained) in ingest::add_days(tx, &self.days)? {
            self.days.entry((player_id, day)).or_default().career = gained;
            self.players.entry(player_id).or_default().scores.career += gained;
        }
        let changes = self.players.iter().filter_map(|(id, tally)| {
            let person = players.by_id(*id)?;
            Some(ScoreChange {
                player_id: *id,
                handle_folded: person.handle_folded.clone(),
                is_hidden: person.is_off_boards(),
                ..tally.clone()
            })
        });
        let now = ingest::add_scores(tx, &changes.collect::<Vec<_>>())?;
        ingest::add_counters(tx, &self.counters)?;
        ingest::add_player_patches(tx, &self.player_patches)?;
        ingest::add_weapon_use(tx, &self.weapons)?;
        ingest::add_vehicle_use(tx, &self.vehicles)?;
        ingest::add_mission_use(tx, &self.missions)?;
        ingest::add_giver_use(tx, &self.givers)?;
        let gained = |player_id| self.players.get(&player_id).map(|tally| tally.scores).unwrap_or_default();
        Ok(now.into_iter().map(|row| (row.scores - gained(row.player_id), row)).collect())
    }

    /// Writes the rows of guilds and patches, which transactions contend for; adds to the change what concerns them.
    pub fn store_shared(
        &self,
        tx: &mut Tx,
        players: &ResolvedPlayers,
        today: Day,
        change: &mut IngestChange,
    ) -> diesel::QueryResult<()> {
        for ((player_id, _), scores) in self.days.iter().filter(|((_, day), _)| *day < today.0) {
            *change.late.entry(*player_id).or_default() += *scores;
        }
        change.late.retain(|_, scores| !scores.is_zero());
        let sum = |gained: &mut dyn Iterator<Item = (i64, Scores)>| {
            let mut guilds: BTreeMap<i64, Scores> = BTreeMap::new();
            for (player_id, scores) in gained.filter(|(_, scores)| !scores.is_zero()) {
                if let Some(guild_id) = players.by_id(player_id).and_then(|player| player.guild_id) {
                    *guilds.entry(guild_id).or_default() += scores;
                }
            }
            guilds
        };
        let gained = sum(&mut self.players.iter().map(|(id, tally)| (*id, tally.scores)));
        let late = sum(&mut change.late.iter().map(|(id, scores)| (*id, *scores)));
        let sums = ingest::add_guild_scores(tx, &gained)?;
        ingest::add_patches(tx, &self.patches)?;
        ingest::add_patch_use(tx, &self.patch_use)?;
        let of = |guilds: &BTreeMap<i64, Scores>, guild_id| guilds.get(&guild_id).copied().unwrap_or_default();
        let guild = |(guild_id, now): (i64, Scores)| GuildScoreChange {
            guild_id,
            before: now - of(&gained, guild_id),
            now,
            late: of(&late, guild_id),
        };
        change.guilds = sums.into_iter().map(guild).collect();
        change.has_patch_changes = !self.patches.is_empty();
        Ok(())
    }
}
