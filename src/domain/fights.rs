//! When two told events are one: the same event sent again, and one fight seen by two readers.

use sha2::{Digest, Sha256};

use super::events::{EventKind, ValidEvent};
use super::npcs::entity_id;
use super::times::EpochMillis;

/// Two readers' times of one fight differ by at most this much, in milliseconds.
pub const FIGHT_WINDOW_MS: i64 = 5_000;

/// 16 bytes that are equal when the same event is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Identity(pub [u8; 16]);

/// The identity of an event.
///
/// With an `event_id` the sender vouches for it, so only who and what kind are added: ids of two careless senders
/// do not meet, and a corrected time is still the same event. Without one, everything told makes the identity.
pub fn identity(event: &ValidEvent) -> Identity {
    let mut hash = Fields::new();
    hash.text(kind_name(event));
    hash.text(&event.killer.folded());
    hash.text(&event.victim.folded());
    hash.text(&event.player.folded());
    if let Some(id) = &event.event_id {
        hash.text("id");
        hash.text(id);
    } else {
        hash.text("told");
        hash.text(&event.event_time.0.to_string());
        for field in
            [&event.weapon, &event.vehicle_name, &event.contract_id, &event.contract_name, &event.text, &event.zone]
        {
            hash.text(field.as_deref().unwrap_or_default());
        }
    }
    Identity(hash.finish())
}

/// The key under which the same fight told by different readers meets; `None` for what only concerns one player.
///
/// Kills meet by killer and victim. Vehicles meet by the vehicle's entity id where the log tells it,
/// since many fall within a second and their owner is rarely known.
pub fn fight_key(event: &ValidEvent) -> Option<i64> {
    if !event.identifier.is_fight() {
        return None;
    }
    let mut hash = Fields::new();
    hash.text(kind_name(event));
    match event.vehicle_name.as_deref() {
        Some(vehicle) if event.identifier.kind() != EventKind::Kill => match entity_id(vehicle) {
            Some(id) => hash.text(id),
            None => {
                hash.text(vehicle);
                hash.text(&event.killer.folded());
                hash.text(&event.victim.folded());
            }
        },
        _ => {
            hash.text(&event.killer.folded());
            hash.text(&event.victim.folded());
        }
    }
    let bytes = hash.finish();
    Some(i64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]))
}

/// Two tellings of one fight are close enough in time to be the same.
pub fn is_within_fight_window(one: EpochMillis, other: EpochMillis) -> bool {
    (one.0 - other.0).abs() <= FIGHT_WINDOW_MS
}

/// Joins two tellings of one fight: the earlier one stands, what it lacks comes from the later one.
pub fn merge(earlier: ValidEvent, later: &ValidEvent) -> ValidEvent {
    use super::events::Party;
    let party = |own: Party, other: &Party| if own == Party::Nobody { other.clone() } else { own };
    ValidEvent {
        killer: party(earlier.killer, &later.killer),
        victim: party(earlier.victim, &later.victim),
        game_mode: earlier.game_mode.or(later.game_mode),
        sub_game_mode: earlier.sub_game_mode.or_else(|| later.sub_game_mode.clone()),
        patch: earlier.patch.or_else(|| later.patch.clone()),
        weapon: earlier.weapon.or_else(|| later.weapon.clone()),
        vehicle_name: earlier.vehicle_name.or_else(|| later.vehicle_name.clone()),
        damage_type: earlier.damage_type.or_else(|| later.damage_type.clone()),
        zone: earlier.zone.or_else(|| later.zone.clone()),
        ..earlier
    }
}

fn kind_name(event: &ValidEvent) -> &'static str {
    match event.identifier.kind() {
        EventKind::Kill => "kill",
        EventKind::MissionCompleted => "mission_complete",
        _ => event.identifier.as_str(),
    }
}

/// Hashes fields with their lengths, so that no two different lists look alike.
struct Fields(Sha256);

impl Fields {
    fn new() -> Self {
        Self(Sha256::new())
    }

    fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn finish(self) -> [u8; 16] {
        let digest = self.0.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::{Event, Identifier, validate};
    use super::*;

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn checked(event: Event) -> ValidEvent {
        validate(event, NOW).unwrap()
    }

    fn kill(id: Option<&str>, at: i64) -> Event {
        Event {
            event_id: id.map(Into::into),
            killer: Some("Abc".into()),
            victim: Some("Bcd".into()),
            ..Event::new(Identifier::Kill, EpochMillis(at))
        }
    }

    #[test]
    fn the_same_event_told_in_another_spelling_is_the_same() {
        let one = checked(kill(None, NOW.0));
        let other = checked(Event { killer: Some("ABC".into()), identifier: Identifier::KillLog, ..kill(None, NOW.0) });
        assert_eq!(one.identity, other.identity);
    }

    #[test]
    fn another_moment_is_another_event_unless_the_sender_vouches() {
        assert_ne!(checked(kill(None, NOW.0)).identity, checked(kill(None, NOW.0 - 1)).identity);
        assert_eq!(checked(kill(Some("k1"), NOW.0)).identity, checked(kill(Some("k1"), NOW.0 - 1)).identity);
        assert_ne!(checked(kill(Some("k1"), NOW.0)).identity, checked(kill(Some("k2"), NOW.0)).identity);
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let one = checked(Event { weapon: Some("ab".into()), vehicle_name: Some("c".into()), ..kill(None, NOW.0) });
        let other = checked(Event { weapon: Some("a".into()), vehicle_name: Some("bc".into()), ..kill(None, NOW.0) });
        assert_ne!(one.identity, other.identity);
    }

    #[test]
    fn vehicles_meet_by_their_entity_id_and_else_by_who_and_what() {
        let loss = |vehicle: &str, killer: &str| {
            let event = Event::new(Identifier::VehicleDestruction, NOW);
            checked(Event { vehicle_name: Some(vehicle.into()), killer: Some(killer.into()), ..event }).fight
        };
        assert_eq!(loss("AEGS_Sabre_2785462306680", "Abc"), loss("AEGS_Sabre_2785462306680", "unknown"));
        assert_ne!(loss("AEGS_Sabre", "Abc"), loss("AEGS_Gladius", "Abc"));
        assert_ne!(loss("AEGS_Sabre", "Abc"), loss("AEGS_Sabre", "Bcd"));
    }

    #[test]
    fn personal_events_are_nobody_elses_fight() {
        let login = Event { player_name: Some("Abc".into()), ..Event::new(Identifier::Login, NOW) };
        assert_eq!(checked(login).fight, None);
    }

    #[test]
    fn joining_keeps_the_earlier_and_fills_its_gaps() {
        let earlier = checked(kill(None, NOW.0 - 900));
        let later = checked(Event { weapon: Some("klwe_lmg_energy_01".into()), ..kill(None, NOW.0) });
        let merged = merge(earlier.clone(), &later);
        assert_eq!(merged.event_time, earlier.event_time);
        assert_eq!(merged.weapon.as_deref(), Some("klwe_lmg_energy_01"));
    }
}
