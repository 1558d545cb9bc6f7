//! Display names for classes in the game's log: vehicles, weapons, missions, NPCs, places and modes.
//! Called with the raw text of events. The lists are embedded from `assets/names/` and parsed once; unknown classes are spelled
//! out.
//! Never here: I/O, SQL or HTTP.

mod lists;
mod missions;
mod modes;
mod npcs;
mod places;
mod spelling;
mod vehicles;
mod weapons;

pub use missions::{
    UNKNOWN as UNKNOWN_MISSION, contract_kind, giver_name, is_listed_mission, mission_title, mission_type,
};
pub use modes::game_mode_name;
pub use npcs::npc_name;
pub use places::place_name;
pub use vehicles::{vehicle_key, vehicle_manufacturer, vehicle_name, vehicle_role};
pub use weapons::{WeaponKind, weapon_group_name, weapon_key, weapon_kind, weapon_name};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Vec<String> {
        vec![
            vehicle_name(text).into_owned(),
            weapon_name(text).into_owned(),
            weapon_group_name(text).into_owned(),
            mission_title(text).into_owned(),
            giver_name(text),
            npc_name(text).into_owned(),
            place_name(text).into_owned(),
            game_mode_name(text).into_owned(),
        ]
    }

    fn logged() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "(AEGS|ORIG|MRCK|PU_Human|OOC|EA|@|Hangar|ObjectContainer)[_-]{0,2}[A-Za-zé0-9_\"-]{0,30}(_PU_AI_CRIM)?(_[0-9]{9,13})?",
        ]
    }

    proptest! {
        #[test]
        fn every_text_has_a_name(text in logged()) {
            for name in all(&text) {
                prop_assert!(!name.trim().is_empty(), "{text:?}");
            }
            vehicle_manufacturer(&text);
            vehicle_role(&text);
            weapon_kind(&text);
        }

        #[test]
        fn a_key_is_its_own_key(text in logged()) {
            let vehicle = vehicle_key(&text);
            prop_assert_eq!(vehicle_key(vehicle), vehicle);
            let weapon = weapon_key(&text);
            prop_assert_eq!(weapon_key(weapon), weapon);
        }

        #[test]
        fn an_unlisted_class_is_never_shown_raw(rest in "[A-Z][a-z]{3,8}_[A-Z][a-z]{3,8}", id in 100_000_000u64..9_999_999_999_999) {
            let class = format!("ZZTX_{rest}_{id}");
            for name in all(&class) {
                prop_assert!(!name.contains('_') && !name.contains(&id.to_string()), "{class} shown as {name}");
            }
        }
    }
}
