//! Names, keys, roles and manufacturers of vehicles. The class may name an NPC crew.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lists::{List, strip_suffix_ignore_case};
use super::spelling::{or_default, spell};
use crate::npcs::without_entity_id;

#[derive(Deserialize)]
struct Vehicle {
    name: String,
    manufacturer: Option<String>,
    role: Option<String>,
}

static VEHICLES: LazyLock<List<Vehicle>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/vehicles.json")));
static MANUFACTURERS: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/manufacturers.json")));
static CREW_SUFFIXES: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| longest_first(include_str!("../../../../assets/names/vehicle-crews.json")));
static VARIANT_SUFFIXES: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| longest_first(include_str!("../../../../assets/names/vehicle-copies.json")));

/// One class per display name: the shortest.
static CLASS_OF_NAME: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut found: HashMap<&str, &str> = HashMap::new();
    for (class, vehicle) in VEHICLES.iter() {
        let best = found.entry(&vehicle.name).or_insert(class);
        if class.len() < best.len() {
            *best = class;
        }
    }
    found
});

fn longest_first(json: &'static str) -> Vec<(String, String)> {
    let mut suffixes: Vec<(String, String)> =
        List::<String>::embedded(json).iter().map(|(suffix, label)| (suffix.to_owned(), label.clone())).collect();
    suffixes.sort_by_key(|(suffix, _)| std::cmp::Reverse(suffix.len()));
    suffixes
}

/// The parts of a class: the class without id and suffix, its row if listed, and the suffix's label.
struct Parts<'a> {
    base: &'a str,
    row: Option<(&'static str, &'static Vehicle)>,
    label: Option<&'static str>,
}

fn split_class(class: &str) -> Parts<'_> {
    let whole = without_entity_id(class.trim());
    if let Some(row) = VEHICLES.get(whole) {
        return Parts { base: whole, row: Some(row), label: None };
    }
    let crew = strip_one_suffix(whole, &CREW_SUFFIXES);
    let (base, label) = crew.map_or((whole, None), |(base, label)| (base, Some(label)));
    if let Some(row) = VEHICLES.get(base) {
        return Parts { base, row: Some(row), label };
    }
    match strip_one_suffix(base, &VARIANT_SUFFIXES) {
        Some((original, copy)) => Parts { base: original, row: VEHICLES.get(original), label: label.or(Some(copy)) },
        None => Parts { base, row: None, label },
    }
}

fn strip_one_suffix<'a>(class: &'a str, suffixes: &'static [(String, String)]) -> Option<(&'a str, &'static str)> {
    suffixes.iter().find_map(|(suffix, label)| Some((strip_suffix_ignore_case(class, suffix)?, label.as_str())))
}

/// The display name, such as `Aegis Gladius` or `Origin 300i (Criminal)`.
///
/// An unlisted class becomes the manufacturer's name and the rest spelled out, since new ships appear before the lists have them.
pub fn vehicle_name(class: &str) -> Cow<'static, str> {
    let parts = split_class(class);
    let name: Cow<'static, str> = match parts.row {
        Some((_, vehicle)) => Cow::Borrowed(&vehicle.name),
        None => Cow::Owned(spell_with_manufacturer(parts.base)),
    };
    match parts.label {
        Some(label) => Cow::Owned(format!("{name} ({label})")),
        None => name,
    }
}

fn spell_with_manufacturer(class: &str) -> String {
    let name = match class.split_once('_').and_then(|(prefix, rest)| Some((MANUFACTURERS.get(prefix)?.1, rest))) {
        Some((word, rest)) => format!("{word} {}", spell(rest)).trim_end().to_owned(),
        None => spell(class),
    };
    or_default(name, "Unknown vehicle")
}

/// The class by which uses and losses are aggregated: without entity id, and without crew or variant if the base vehicle is
/// listed. Classes with the same display name share a key.
pub fn vehicle_key(class: &str) -> &str {
    let parts = split_class(class);
    if let Some((listed, vehicle)) = parts.row {
        if let Some((_, plain)) = strip_one_suffix(listed, &VARIANT_SUFFIXES).and_then(|(plain, _)| VEHICLES.get(plain))
        {
            return class_of_name(plain);
        }
        return class_of_name(vehicle);
    }
    let whole = without_entity_id(class.trim());
    // Some ships have two spellings in the log, of which only one is listed.
    CLASS_OF_NAME.get(spell_with_manufacturer(whole).as_str()).copied().unwrap_or(whole)
}

fn class_of_name(vehicle: &'static Vehicle) -> &'static str {
    CLASS_OF_NAME.get(vehicle.name.as_str()).copied().unwrap_or(&vehicle.name)
}

fn plain_row(class: &str) -> Option<&'static Vehicle> {
    VEHICLES.get(vehicle_key(class)).map(|(_, vehicle)| vehicle)
}

/// The role, such as `Light Fighter`, if known.
pub fn vehicle_role(class: &str) -> Option<&'static str> {
    split_class(class).row.and_then(|(_, v)| v.role.as_deref()).or_else(|| plain_row(class)?.role.as_deref())
}

/// The manufacturer: the full name if known, else the name from the class prefix.
pub fn vehicle_manufacturer(class: &str) -> Option<&'static str> {
    let full = split_class(class).row.and_then(|(_, v)| v.manufacturer.as_deref());
    full.or_else(|| plain_row(class)?.manufacturer.as_deref()).or_else(|| {
        let (prefix, _) = class.trim().split_once('_')?;
        MANUFACTURERS.get(prefix).map(|(_, word)| word.as_str())
    })
}

/// The name, if the class is listed or has a manufacturer's prefix.
pub(super) fn name_if_vehicle(class: &str) -> Option<Cow<'static, str>> {
    let has_prefix = class.trim().split_once('_').is_some_and(|(prefix, _)| MANUFACTURERS.get(prefix).is_some());
    (has_prefix || split_class(class).row.is_some()).then(|| vehicle_name(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (class, name) in [
            ("AEGS_Gladius_2562525119604", "Aegis Gladius"),
            ("aegs_GLADIUS", "Aegis Gladius"),
            ("ORIG_300i_PU_AI_CRIM_2597483240478", "Origin 300i (Criminal)"),
            ("MISC_Prospector_PU_AI_NT_NonLethal", "MISC Prospector (NineTails)"),
            ("AEGS_Gladius_PU_AI_CRIM_QIG", "Aegis Gladius (Criminal)"),
            ("AEGS_Gladius_Unmanned_Salvage", "Aegis Gladius (Salvage)"),
            ("ANVL_Hornet_F7A_Mk2_Exec_Stealth", "Anvil F7A Hornet Mk II Executive Stealth"),
            ("RSI_Mantis_Collector_Stealth", "RSI Mantis (Wikelo Sneak Special)"),
            ("RSI_Mantis_Collector_Stealth_PU_AI_PIR_123456789", "RSI Mantis (Pirate)"),
            ("ANVL_Newship_Mk3_2785462306680", "Anvil Newship Mk3"),
            ("ANVL_Newship_Mk3_PU_AI_UEE", "Anvil Newship Mk3 (UEE)"),
            ("Some_Odd_Thing", "Some Odd Thing"),
            ("", "Unknown vehicle"),
            ("_PU_AI_CRIM", "PU AI CRIM"),
        ] {
            assert_eq!(vehicle_name(class), name, "{class}");
        }
    }

    #[test]
    fn keys_join_variants_crews_and_spellings() {
        for (class, key) in [
            ("AEGS_Gladius_PU_AI_CRIM_2562525119604", "AEGS_Gladius"),
            ("aegs_gladius", "AEGS_Gladius"),
            ("AEGS_Gladius_Unmanned_Fleetweek2024", "AEGS_Gladius"),
            ("AEGS_Gladius_Unmanned_Salvage", "AEGS_Gladius"),
            ("ANVL_F8C_Lightning", "ANVL_Lightning_F8C"),
            ("ANVL_Lightning_F8C_Exec_Military_123456789", "ANVL_Lightning_F8C"),
            ("AEGS_Gladius_Valiant", "AEGS_Gladius_Valiant"),
            ("ANVL_Newship_Mk3_PU_AI_UEE_2785462306680", "ANVL_Newship_Mk3_PU_AI_UEE"),
        ] {
            assert_eq!(vehicle_key(class), key, "{class}");
        }
    }

    #[test]
    fn roles_and_manufacturers_are_found() {
        assert_eq!(vehicle_role("AEGS_Gladius_PU_AI_CRIM"), Some("Light Fighter"));
        assert_eq!(vehicle_role("AEGS_Gladius_Unmanned_Salvage"), Some("Light Fighter"));
        assert_eq!(vehicle_role("ANVL_Newship"), None);
        assert_eq!(vehicle_manufacturer("AEGS_Gladius"), Some("Aegis Dynamics"));
        assert_eq!(vehicle_manufacturer("ANVL_Newship"), Some("Anvil"));
        assert_eq!(vehicle_manufacturer("Thing"), None);
    }
}
