//! Names of zones and location codes. A zone may be a ship.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lists::List;
use super::spelling::{or_default, spell, spell_camel_case, without_numbers};
use super::vehicles;
use crate::npcs::without_entity_id;

static PLACES: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/places.json")));

/// The name of a zone or location code: a place, a ship, or `Space`.
pub fn place_name(zone: &str) -> Cow<'static, str> {
    let code = without_entity_id(zone.trim());
    if matches!(code, "" | "unknown" | "0") {
        return Cow::Borrowed("Unknown place");
    }
    if let Some((_, place)) = PLACES.get(code) {
        return Cow::Borrowed(place);
    }
    if code == "SolarSystem" {
        return Cow::Borrowed("Space");
    }
    if let Some(ship) = vehicles::name_if_vehicle(zone) {
        return ship;
    }
    if let Some(hangar) = code.strip_prefix("Hangar_") {
        let owner = hangar.rsplit('_').find(|part| !part.is_empty()).unwrap_or_default();
        return Cow::Owned(or_default(spell(owner), "Private") + " Hangar");
    }
    let inner = code.strip_prefix("ObjectContainer-").unwrap_or(code);
    if let Some((_, place)) = PLACES.get(inner).or_else(|| PLACES.get_shortened(inner, 2)) {
        return Cow::Borrowed(place);
    }
    // Moons: OOC_Stanton_2a_Cellin.
    let shown = inner.strip_prefix("OOC_").and_then(|moon| moon.rsplit('_').next()).unwrap_or(without_numbers(inner));
    Cow::Owned(or_default(spell_camel_case(shown), "Unknown place"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (zone, place) in [
            ("pyro4", "Pyro IV, Pyro"),
            ("Pyro4", "Pyro IV, Pyro"),
            ("RR_P6_L3", "Endgame"),
            ("Stanton4_NewBabbage", "New Babbage"),
            ("Stanton4_NewBabbage_Plaza", "New Babbage"),
            ("OOC_Stanton_2a_Zellin", "Zellin"),
            ("SolarSystem_2468847015620", "Space"),
            ("ANVL_Hornet_F7C_Mk2_2468344906962", "Anvil F7C Hornet Mk II"),
            ("Hangar_SmallFront_GrimHEX_2468344906962", "GrimHEX Hangar"),
            ("ObjectContainer-Newbab_Hab_Tower_Int_001", "Newbab Hab Tower Int"),
            ("", "Unknown place"),
        ] {
            assert_eq!(place_name(zone), place, "{zone}");
        }
    }
}
