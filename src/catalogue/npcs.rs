//! People, creatures and turrets of the game: what stands for their entity names.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lists::List;
use super::vehicles;
use super::words::{or, spelled_apart, without_numbers};
use crate::domain::npcs::without_entity_id;

static NPCS: LazyLock<List<String>> = LazyLock::new(|| List::embedded(include_str!("../../assets/names/npcs.json")));

/// What stands in front of the telling part of a name.
const FRONTS: [&str; 8] = [
    "PU_Human_Enemy_GroundCombat_NPC_",
    "NPC_Archetypes-Female-Human-",
    "NPC_Archetypes-Male-Human-",
    "PU_Pilots-Human-",
    "PU_Human-",
    "PU-Human-",
    "PU_",
    "NPC_",
];

/// The name to show of something that is no player; `unknown` is shown as `Unknown`.
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
        let rest = FRONTS.iter().find_map(|front| plain.strip_prefix(front)).unwrap_or(plain);
        Cow::Owned(or(spelled_apart(rest), "Unknown"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npcs_are_named_rule_by_rule() {
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
