//! Detects repeated events and reports of the same fight by two log readers.

use sha2::{Digest, Sha256};

use super::events::{EventKind, ValidEvent};
use super::npcs::entity_id;
use super::times::EpochMillis;

/// The times of two reports of one fight differ by at most this much, in milliseconds.
pub const FIGHT_WINDOW_MS: i64 = 5_000;

/// A hash of 16 bytes that is equal for repetitions of the same event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Identity(pub [u8; 16]);

/// Computes the identity of an event.
///
/// With an `event_id`, the identity consists of the id, the kind and the parties, so that a corrected time is still the same
/// event and equal ids of two senders do not collide. Without one, it consists of all fields of the event. Stored identities
/// depend on the exact bytes hashed here.
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

/// Computes the key that reports of the same fight share; `None` for events that concern a single player.
///
/// Kills are matched by killer and victim. Vehicle losses are matched by the vehicle's entity id if the log contains it, since
/// many happen within a second and the owner is rarely known.
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

/// Whether two times are close enough for reports of the same fight.
pub fn is_within_fight_window(one: EpochMillis, other: EpochMillis) -> bool {
    (one.0 - other.0).abs() <= FIGHT_WINDOW_MS
}

/// Merges two reports of one fight: fields that the earlier one lacks are taken from the later one.
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

/// Hashes fields with their lengths, so that different lists of fields have different hashes.
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
    fn spelling_does_not_change_the_identity() {
        let one = checked(kill(None, NOW.0));
        let other = checked(Event { killer: Some("ABC".into()), identifier: Identifier::KillLog, ..kill(None, NOW.0) });
        assert_eq!(one.identity, other.identity);
    }

    #[test]
    fn another_time_is_another_event_without_an_event_id() {
        assert_ne!(checked(kill(None, NOW.0)).identity, checked(kill(None, NOW.0 - 1)).identity);
        assert_eq!(checked(kill(Some("k1"), NOW.0)).identity, checked(kill(Some("k1"), NOW.0 - 1)).identity);
        assert_ne!(checked(kill(Some("k1"), NOW.0)).identity, checked(kill(Some("k2"), NOW.0)).identity);
    }

    #[test]
    fn adjacent_fields_are_hashed_separately() {
        let one = checked(Event { weapon: Some("ab".into()), vehicle_name: Some("c".into()), ..kill(None, NOW.0) });
        let other = checked(Event { weapon: Some("a".into()), vehicle_name: Some("bc".into()), ..kill(None, NOW.0) });
        assert_ne!(one.identity, other.identity);
    }

    #[test]
    fn vehicle_losses_match_by_entity_id_or_else_by_class_and_parties() {
        let loss = |vehicle: &str, killer: &str| {
            let event = Event::new(Identifier::VehicleDestruction, NOW);
            checked(Event { vehicle_name: Some(vehicle.into()), killer: Some(killer.into()), ..event }).fight
        };
        assert_eq!(loss("AEGS_Sabre_2785462306680", "Abc"), loss("AEGS_Sabre_2785462306680", "unknown"));
        assert_ne!(loss("AEGS_Sabre", "Abc"), loss("AEGS_Gladius", "Abc"));
        assert_ne!(loss("AEGS_Sabre", "Abc"), loss("AEGS_Sabre", "Bcd"));
    }

    #[test]
    fn personal_events_have_no_fight_key() {
        let login = Event { player_name: Some("Abc".into()), ..Event::new(Identifier::Login, NOW) };
        assert_eq!(checked(login).fight, None);
    }

    #[test]
    fn merging_fills_gaps_of_the_earlier_report() {
        let earlier = checked(kill(None, NOW.0 - 900));
        let later = checked(Event { weapon: Some("klwe_lmg_energy_01".into()), ..kill(None, NOW.0) });
        let merged = merge(earlier.clone(), &later);
        assert_eq!(merged.event_time, earlier.event_time);
        assert_eq!(merged.weapon.as_deref(), Some("klwe_lmg_energy_01"));
    }
}
