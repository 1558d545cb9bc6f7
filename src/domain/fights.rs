//! Reports of the same fight by two log readers: when they match, which one stands, and what they contradict each other in.

use super::events::{GameMode, ValidEvent};
use super::times::EpochMillis;

/// The times of two reports of one fight differ by at most this much, in milliseconds.
pub const FIGHT_WINDOW_MS: i64 = 5_000;

/// Whether two times are close enough for reports of the same fight.
pub fn is_within_fight_window(one: EpochMillis, other: EpochMillis) -> bool {
    (one.0 - other.0).abs() <= FIGHT_WINDOW_MS
}

/// Fills the empty fields of the report that stands with those of another one. Nothing else changes, so the time by which further
/// reports are matched does not move.
pub fn fill(standing: ValidEvent, other: &ValidEvent) -> ValidEvent {
    use super::events::Party;
    let party = |own: Party, other: &Party| if own == Party::Nobody { other.clone() } else { own };
    ValidEvent {
        killer: party(standing.killer, &other.killer),
        victim: party(standing.victim, &other.victim),
        game_mode: standing.game_mode.or(other.game_mode),
        sub_game_mode: standing.sub_game_mode.or_else(|| other.sub_game_mode.clone()),
        patch: standing.patch.or_else(|| other.patch.clone()),
        weapon: standing.weapon.or_else(|| other.weapon.clone()),
        vehicle_name: standing.vehicle_name.or_else(|| other.vehicle_name.clone()),
        damage_type: standing.damage_type.or_else(|| other.damage_type.clone()),
        zone: standing.zone.or_else(|| other.zone.clone()),
        ..standing
    }
}

/// The fields of a report that contradict the one that stands, as a JSON object of the report's values; `None` if there are none.
/// A field that either report leaves empty does not contradict. Times are not compared.
pub fn differences(standing: &ValidEvent, other: &ValidEvent) -> Option<String> {
    let parties = [
        ("killer", &standing.killer, &other.killer),
        ("victim", &standing.victim, &other.victim),
        ("player_name", &standing.player, &other.player),
    ];
    let texts = [
        ("sub_game_mode", standing.sub_game_mode.as_deref(), other.sub_game_mode.as_deref()),
        ("game_mode", standing.game_mode.map(GameMode::as_str), other.game_mode.map(GameMode::as_str)),
        ("weapon", standing.weapon.as_deref(), other.weapon.as_deref()),
        ("vehicle_name", standing.vehicle_name.as_deref(), other.vehicle_name.as_deref()),
        ("damage_type", standing.damage_type.as_deref(), other.damage_type.as_deref()),
        ("zone", standing.zone.as_deref(), other.zone.as_deref()),
        ("contract_id", standing.contract_id.as_deref(), other.contract_id.as_deref()),
        ("contract_name", standing.contract_name.as_deref(), other.contract_name.as_deref()),
        ("text", standing.text.as_deref(), other.text.as_deref()),
    ];
    let mut fields = serde_json::Map::new();
    for (name, own, other) in parties {
        if let (Some(_), Some(text)) = (own.name(), other.name())
            && own.folded() != other.folded()
        {
            fields.insert(name.into(), text.into());
        }
    }
    for (name, own, other) in texts {
        if let (Some(own), Some(other)) = (own, other)
            && own != other
        {
            fields.insert(name.into(), other.into());
        }
    }
    if let (Some(own), Some(other)) = (&standing.patch, &other.patch)
        && own.version() != other.version()
    {
        fields.insert("patch".into(), other.as_str().into());
    }
    (!fields.is_empty()).then(|| serde_json::Value::Object(fields).to_string())
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
    fn an_earlier_report_that_arrives_later_only_fills_gaps() {
        let standing = checked(Event { game_mode: Some(GameMode::Pu), ..kill(None, NOW.0) });
        let weapon = Some("klwe_lmg_energy_01".to_owned());
        let other = checked(Event { weapon, game_mode: Some(GameMode::Ac), ..kill(None, NOW.0 - 900) });
        let filled = fill(standing.clone(), &other);
        assert_eq!((filled.event_time, filled.game_mode), (standing.event_time, Some(GameMode::Pu)));
        assert_eq!(filled.weapon.as_deref(), Some("klwe_lmg_energy_01"));
    }

    #[test]
    fn contradictions_name_the_fields_that_both_reports_have() {
        let standing = checked(Event { game_mode: Some(GameMode::Pu), ..kill(None, NOW.0) });
        let weapon = Some("klwe_lmg_energy_01".to_owned());
        let other = checked(Event { weapon, game_mode: Some(GameMode::Ac), ..kill(None, NOW.0 - 900) });
        assert_eq!(differences(&standing, &other).as_deref(), Some(r#"{"game_mode":"AC"}"#));
        assert_eq!(differences(&standing, &standing), None);
        let spelled = checked(Event { killer: Some("ABC".into()), ..kill(None, NOW.0) });
        assert_eq!(differences(&standing, &spelled), None);
    }
}
