//! Reports of the same fight by two log readers.

use super::times::EpochMillis;

/// The times of two reports of one fight differ by at most this much, in milliseconds.
pub const FIGHT_WINDOW_MS: i64 = 5_000;

/// Whether two times are close enough for reports of the same fight.
pub fn is_within_fight_window(one: EpochMillis, other: EpochMillis) -> bool {
    (one.0 - other.0).abs() <= FIGHT_WINDOW_MS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::events::{Event, Identifier, ValidEvent, validate};

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
    fn events_of_one_player_are_adjacent_in_the_indexes_of_identities_and_fights() {
        let (npc, player) = (Some("PU_Human_Enemy_GroundCombat_NPC_1".into()), Some("Abc".into()));
        let vehicle = Some("AEGS_Sabre_2785462306680".into());
        let seat =
            Event { player_name: player.clone(), vehicle_name: vehicle, ..Event::new(Identifier::SeatEntered, NOW) };
        let [seat, kill, death] =
            [seat, kill(None, NOW.0), Event { killer: npc, victim: player, ..kill(None, NOW.0) }].map(checked);
        let beginning = |event: &ValidEvent| event.identity.0[..4].to_vec();
        assert_eq!((beginning(&kill), beginning(&death)), (beginning(&seat), beginning(&seat)));
        assert_eq!(kill.fight.map(|key| key >> 32), death.fight.map(|key| key >> 32));
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
}
