//! Distinguishes players from NPCs, creatures and vehicles by their names in the game's log.

/// The kind of entity that a name refers to, if the event does not state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    Player,
    Npc,
    Nobody,
}

const NPC_PREFIXES: [&str; 16] = [
    "PU_Human",
    "PU-Human",
    "PU_Pilots-",
    "NPC_Archetypes",
    "AIModule_",
    "Hazard",
    "Shipjacker_",
    "RotationSimple-",
    "Vanduul_",
    "Kopion",
    "Quasigrazer",
    "vlk_",
    "Marok",
    "Valakkar",
    "PU_",
    "NPC_",
];
const NPC_SUBSTRINGS: [&str; 3] = ["_NPC_", "_pet_", "_juvenile_"];
const VEHICLE_PREFIXES: [&str; 20] = [
    "AEGS_", "ANVL_", "ARGO_", "BANU_", "CNOU_", "CRUS_", "DRAK_", "ESPR_", "GAMA_", "GLSN_", "GRIN_", "KRIG_",
    "MISC_", "MRAI_", "ORIG_", "RSI_", "TMBL_", "VNCL_", "XIAN_", "XNAA_",
];

/// Classifies a name without its id. A reader, which has the id, decides by it and says so in the event.
///
/// Entities end in `_` and an entity id of 9 to 13 digits. Handles can end in digits too, but not in that many.
pub fn classify_name(name: &str) -> NameKind {
    match name {
        "" | "unknown" | "0" => NameKind::Nobody,
        _ if entity_id(name).is_some() || is_npc_class(name) => NameKind::Npc,
        _ => NameKind::Player,
    }
}

/// Returns true if a name without an entity id is one of those that the game gives to NPCs and vehicles. Players may have such a name.
pub fn is_npc_class(name: &str) -> bool {
    NPC_PREFIXES.iter().chain(&VEHICLE_PREFIXES).any(|prefix| name.starts_with(prefix))
        || NPC_SUBSTRINGS.iter().any(|part| name.contains(part))
}

/// Removes the entity id (`_` and 9 to 13 digits) from the end of a class name.
pub fn without_entity_id(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((class, id))
            if !class.is_empty() && (9..=13).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit()) =>
        {
            class
        }
        _ => name,
    }
}

/// The entity id at the end of a name, if it has one.
pub fn entity_id(name: &str) -> Option<&str> {
    let class = without_entity_id(name);
    (class.len() < name.len()).then(|| &name[class.len() + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_with_odd_ends_are_players() {
        for name in ["Tigzz", "sevenWolf7", "idkausername_27", "Haunted24", "O-C-C-A", "space-man-rob"] {
            assert_eq!(classify_name(name), NameKind::Player, "{name}");
        }
    }

    #[test]
    fn classes_of_entities_creatures_and_hazards_are_known() {
        for name in [
            "PU_Human_Enemy_GroundCombat_NPC_Contestedzones_grunt",
            "Kopion_01",
            "Hazard_Fire",
            "AIModule_Unmanned_PU_PDC",
            "Vanduul_Pilot_01",
            "AEGS_Gladius_PU_AI_CRIM",
        ] {
            assert!(is_npc_class(name), "{name}");
            assert_eq!(classify_name(name), NameKind::Npc, "{name}");
            assert_eq!(classify_name(&format!("{name}_2636093660430")), NameKind::Npc, "{name}");
        }
        assert!(!is_npc_class("Tigzz"));
    }

    #[test]
    fn unknown_is_nobody() {
        assert_eq!(classify_name("unknown"), NameKind::Nobody);
        assert_eq!(classify_name(""), NameKind::Nobody);
    }

    #[test]
    fn only_entity_ids_are_removed() {
        assert_eq!(without_entity_id("AEGS_Gladius_2562525119604"), "AEGS_Gladius");
        assert_eq!(without_entity_id("pilot_27"), "pilot_27");
        assert_eq!(entity_id("AEGS_Gladius_2562525119604"), Some("2562525119604"));
        assert_eq!(entity_id("_2562525119604"), None);
    }
}
