//! Names of NPCs, creatures and turrets, from their entity names.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lists::List;
use super::spelling::{or_default, spell_camel_case, without_numbers};
use super::vehicles;
use crate::npcs::without_entity_id;

static NPCS: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/npcs.json")));

/// Prefixes without meaning for the display name.
const PREFIXES: [&str; 8] = [
    "PU_Human_Enemy_GroundCombat_NPC_",
    "NPC_Archetypes-Female-Human-",
    "NPC_Archetypes-Male-Human-",
    "PU_Pilots-Human-",
    "PU_Human-",
    "PU-Human-",
    "PU_",
    "NPC_",
];

/// The display name of an NPC.
pub fn npc_name(name: &str) -> Cow<'static, str> {
    let class = without_entity_id(name.trim());
    if matches!(class, "" | "unknown" | "0") {
        return Cow::Borrowed("Unknown");
    }
    let plain = without_numbers(class);
    let listed = NPCS.get(class).or_else(|| NPCS.get(plain)).or_else(|| NPCS.get_shortened(plain, 2));
    if let Some((_, shown)) = listed {
        return Cow::Borrowed(shown);
    }
    vehicles::name_if_vehicle(class).unwrap_or_else(|| {
        let rest = PREFIXES.iter().find_map(|prefix| plain.strip_prefix(prefix)).unwrap_or(plain);
        Cow::Owned(or_default(spell_camel_case(rest), "Unknown"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (name, shown) in [
            ("Kopion_Tundra_2636093660430", "Kopion Tundra"),
            ("PU_Pilots-Human-Criminal-Pilot_Light_2597483240720", "Criminal Pilot Light"),
            ("Vanduul_Pilot_01_200000000123", "Vanduul Pilot"),
            ("ORIG_300i_PU_AI_CRIM_2597483240478", "Origin 300i (Criminal)"),
            ("PU_Human-NewFaction-Guard_2597483240478", "New Faction Guard"),
            ("Hazard_Fire", "Hazard Fire"),
            ("unknown", "Unknown"),
        ] {
            assert_eq!(npc_name(name), shown, "{name}");
        }
    }
}
