//! Counting rules: what an event adds, and to which player.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::events::{EventKind, GameMode, Party, ValidEvent};
use super::npcs::without_entity_id;
use super::scores::Scores;

/// A counter of a player in one game mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    PlayerKills,
    PlayerDeaths,
    NpcKills,
    NpcDeaths,
    SoftDeathCaused,
    SoftDeathReceived,
    DestructionCaused,
    DestructionReceived,
    InstantDestructionCaused,
    InstantDestructionReceived,
}

impl Counter {
    pub const ALL: [Self; 10] = [
        Self::PlayerKills,
        Self::PlayerDeaths,
        Self::NpcKills,
        Self::NpcDeaths,
        Self::SoftDeathCaused,
        Self::SoftDeathReceived,
        Self::DestructionCaused,
        Self::DestructionReceived,
        Self::InstantDestructionCaused,
        Self::InstantDestructionReceived,
    ];

    /// The column of the counter. The API prefixes it with `pu_` or `ac_`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PlayerKills => "player_kills",
            Self::PlayerDeaths => "player_deaths",
            Self::NpcKills => "npc_kills",
            Self::NpcDeaths => "npc_deaths",
            Self::SoftDeathCaused => "vehicle_soft_death_caused",
            Self::SoftDeathReceived => "vehicle_soft_death_received",
            Self::DestructionCaused => "vehicle_destruction_caused",
            Self::DestructionReceived => "vehicle_destruction_received",
            Self::InstantDestructionCaused => "vehicle_instant_destruction_caused",
            Self::InstantDestructionReceived => "vehicle_instant_destruction_received",
        }
    }
}

/// The counters of a player in one game mode, or a change of them. In JSON an array in the order of [`Counter::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counters([i64; Counter::ALL.len()]);

/// The counters of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CountersByMode {
    pub pu: Counters,
    pub ac: Counters,
}

impl Counters {
    pub fn iter(&self) -> impl Iterator<Item = (Counter, i64)> {
        Counter::ALL.into_iter().zip(self.0)
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl From<[i64; Counter::ALL.len()]> for Counters {
    fn from(values: [i64; Counter::ALL.len()]) -> Self {
        Self(values)
    }
}

impl From<Counters> for [i64; Counter::ALL.len()] {
    fn from(counters: Counters) -> Self {
        counters.0
    }
}

impl Index<Counter> for Counters {
    type Output = i64;

    fn index(&self, counter: Counter) -> &i64 {
        &self.0[counter as usize]
    }
}

impl IndexMut<Counter> for Counters {
    fn index_mut(&mut self, counter: Counter) -> &mut i64 {
        &mut self.0[counter as usize]
    }
}

impl CountersByMode {
    /// The sum over both game modes.
    pub fn total(&self, counter: Counter) -> i64 {
        self.pu[counter] + self.ac[counter]
    }
}

/// The player of an event that an effect applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EventSide)]
pub enum Side {
    Killer,
    Victim,
    Player,
}

/// A change of one player by one event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    Counted(GameMode, Counter),
    UnknownDeath,
    WeaponKill { weapon: String },
    VehicleUse { vehicle: String },
    MissionAccepted { contract: String },
    MissionCompleted { contract: String },
}

impl Effect {
    /// What the effect adds to the ranked scores, which Arena Commander does not enter.
    pub fn scores(&self) -> Scores {
        let mut gained = Scores::default();
        match self {
            Self::Counted(GameMode::Pu, Counter::PlayerKills) => gained.pu_player_kills = 1,
            Self::Counted(GameMode::Pu, Counter::NpcKills) => gained.pve_kills = 1,
            Self::Counted(GameMode::Pu, Counter::DestructionCaused | Counter::InstantDestructionCaused) => {
                gained.vehicle_destructions = 1;
            }
            Self::MissionCompleted { .. } => gained.missions_completed = 1,
            _ => {}
        }
        gained
    }
}

/// All effects of an event. Playtime is not among them: see [`super::play_sessions`].
pub fn effects(event: &ValidEvent) -> Vec<(Side, Effect)> {
    use EventKind as K;
    match event.identifier.kind() {
        K::Kill => kill(event),
        K::SoftDeath => vehicle(event, Counter::SoftDeathCaused, Counter::SoftDeathReceived),
        K::Destruction => vehicle(event, Counter::DestructionCaused, Counter::DestructionReceived),
        K::InstantDestruction => vehicle(event, Counter::InstantDestructionCaused, Counter::InstantDestructionReceived),
        K::SeatEntered => {
            let vehicle = event.details.vehicle_name.as_deref().map(without_entity_id);
            personal(event, vehicle, |vehicle| Effect::VehicleUse { vehicle })
        }
        K::MissionAccepted => personal(event, event.contract_key(), |contract| Effect::MissionAccepted { contract }),
        K::MissionCompleted => personal(event, event.contract_key(), |contract| Effect::MissionCompleted { contract }),
        K::SeatExited | K::MissionOther | K::Login | K::Logout | K::Connection => Vec::new(),
        K::UniverseLeft | K::GameCrashed | K::MissionEnded | K::BlueprintReceived => Vec::new(),
        K::Downed | K::ShipCrashed | K::Payout | K::PlaceVisited => Vec::new(),
    }
}

fn kill(event: &ValidEvent) -> Vec<(Side, Effect)> {
    if event.is_suicide() {
        return Vec::new();
    }
    let mut found = Vec::with_capacity(3);
    let mut count = |side, counter| found.extend(event.game_mode.map(|mode| (side, Effect::Counted(mode, counter))));
    match (&event.killer, &event.victim) {
        (Party::Player(_), Party::Player(_)) => {
            count(Side::Killer, Counter::PlayerKills);
            count(Side::Victim, Counter::PlayerDeaths);
        }
        (Party::Player(_), Party::Npc(_)) => count(Side::Killer, Counter::NpcKills),
        (Party::Npc(_), Party::Player(_)) => count(Side::Victim, Counter::NpcDeaths),
        (Party::Nobody, Party::Player(_)) => found.push((Side::Victim, Effect::UnknownDeath)),
        _ => {}
    }
    if let (Party::Player(_), Party::Player(_) | Party::Npc(_), Some(weapon)) =
        (&event.killer, &event.victim, &event.details.weapon)
    {
        found.push((Side::Killer, Effect::WeaponKill { weapon: without_entity_id(weapon).to_owned() }));
    }
    found
}

fn vehicle(event: &ValidEvent, caused: Counter, received: Counter) -> Vec<(Side, Effect)> {
    let Some(mode) = event.game_mode.filter(|_| !event.is_suicide()) else { return Vec::new() };
    let killer = event.killer.player().map(|_| (Side::Killer, Effect::Counted(mode, caused)));
    let owner = event.victim.player().map(|_| (Side::Victim, Effect::Counted(mode, received)));
    killer.into_iter().chain(owner).collect()
}

fn personal(event: &ValidEvent, name: Option<&str>, effect: fn(String) -> Effect) -> Vec<(Side, Effect)> {
    let name = name.filter(|_| event.player.player().is_some());
    name.map(|name| (Side::Player, effect(name.to_owned()))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::events::{Event, Identifier, validate};
    use super::super::times::EpochMillis;
    use super::*;
    use Counter::*;

    #[test]
    fn counters_are_indexed_in_the_order_of_their_columns() {
        for (at, counter) in Counter::ALL.into_iter().enumerate() {
            assert_eq!(counter as usize, at);
        }
        let mut counters = Counters::default();
        counters[DestructionReceived] += 3;
        assert_eq!(serde_json::to_string(&counters).unwrap(), "[0,0,0,0,0,0,0,3,0,0]");
    }

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);
    const NPC: &str = "PU_Human_Enemy_grunt_2636093660430";

    fn counted(identifier: Identifier, killer: &str, victim: &str, mode: Option<GameMode>) -> Vec<(Side, Effect)> {
        let event = Event {
            killer: Some(killer.into()),
            victim: Some(victim.into()),
            game_mode: mode,
            vehicle_name: Some("AEGS_Sabre".into()),
            ..Event::new(identifier, NOW)
        };
        effects(&validate(event, NOW).unwrap())
    }

    #[test]
    fn counting_rules_hold_for_each_kind_of_event() {
        let pu = Some(GameMode::Pu);
        let figure = |side, counter| (side, Effect::Counted(GameMode::Pu, counter));
        type Row = (Identifier, &'static str, &'static str, Vec<(Side, Effect)>);
        let rows: Vec<Row> = vec![
            (
                Identifier::Kill,
                "Abc",
                "Bcd",
                vec![figure(Side::Killer, PlayerKills), figure(Side::Victim, PlayerDeaths)],
            ),
            (Identifier::NpcKill, "Abc", NPC, vec![figure(Side::Killer, NpcKills)]),
            (Identifier::Kill, NPC, "Bcd", vec![figure(Side::Victim, NpcDeaths)]),
            (Identifier::Kill, NPC, NPC, vec![]),
            (Identifier::Kill, "Abc", "abc", vec![]),
            (Identifier::Kill, "unknown", "Bcd", vec![(Side::Victim, Effect::UnknownDeath)]),
            (
                Identifier::VehicleSoftDeath,
                "Abc",
                "Bcd",
                vec![figure(Side::Killer, SoftDeathCaused), figure(Side::Victim, SoftDeathReceived)],
            ),
            (Identifier::VehicleDestruction, "Abc", "unknown", vec![figure(Side::Killer, DestructionCaused)]),
            (Identifier::VehicleInstantDestruction, NPC, "Bcd", vec![figure(Side::Victim, InstantDestructionReceived)]),
            (Identifier::VehicleDestruction, "Abc", "Abc", vec![]),
        ];
        for (identifier, killer, victim, expected) in rows {
            assert_eq!(counted(identifier, killer, victim, pu), expected, "{identifier:?} {killer} {victim}");
        }
    }

    #[test]
    fn an_unknown_mode_changes_no_counter() {
        assert_eq!(counted(Identifier::Kill, "Abc", "Bcd", None), vec![]);
        assert_eq!(counted(Identifier::VehicleDestruction, "Abc", "Bcd", None), vec![]);
    }

    #[test]
    fn a_weapon_counts_by_its_class_without_the_entity_id() {
        let event = Event {
            killer: Some("Abc".into()),
            victim: Some(NPC.into()),
            weapon: Some("behr_lmg_ballistic_01_5403148893548".into()),
            ..Event::new(Identifier::Kill, NOW)
        };
        let found = effects(&validate(event, NOW).unwrap());
        assert_eq!(found, vec![(Side::Killer, Effect::WeaponKill { weapon: "behr_lmg_ballistic_01".into() })]);
    }

    #[test]
    fn only_entering_a_seat_counts_as_a_use() {
        let seat = |identifier| {
            let event = Event {
                player_name: Some("Abc".into()),
                vehicle_name: Some("RSI_Mantis_738839128122".into()),
                ..Event::new(identifier, NOW)
            };
            effects(&validate(event, NOW).unwrap())
        };
        assert_eq!(
            seat(Identifier::SeatEntered),
            vec![(Side::Player, Effect::VehicleUse { vehicle: "RSI_Mantis".into() })]
        );
        assert_eq!(seat(Identifier::SeatExited), vec![]);
    }
}
