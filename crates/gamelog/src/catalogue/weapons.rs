//! Names, keys and kinds of weapons and tools, including their paints.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lists::List;
use super::spelling::{join, or_default, spell};
use super::vehicles;
use crate::npcs::without_entity_id;

/// Kind of a weapon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WeaponKind {
    Fps,
    Ship,
    Missile,
    Bomb,
    Tool,
    Gadget,
}

impl WeaponKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fps => "fps",
            Self::Ship => "ship",
            Self::Missile => "missile",
            Self::Bomb => "bomb",
            Self::Tool => "tool",
            Self::Gadget => "gadget",
        }
    }
}

type Weapon = (String, WeaponKind);

/// Parts of a class that identify the weapon of an unlisted paint: maker, type and ammunition.
const MIN_CLASS_PARTS: usize = 3;

static WEAPONS: LazyLock<List<Weapon>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/weapons.json")));

/// The class by which paints are aggregated: the one without paint, else the shortest.
static GROUPS: LazyLock<HashMap<(String, WeaponKind), &'static str>> = LazyLock::new(|| {
    let mut found: HashMap<(String, WeaponKind), (bool, usize, &'static str)> = HashMap::new();
    for (class, (name, kind)) in WEAPONS.iter() {
        let plain = without_paint(name);
        let rank = (plain != *name, class.len(), class);
        found.entry((plain, *kind)).and_modify(|best| *best = (*best).min(rank)).or_insert(rank);
    }
    found.into_iter().map(|(group, (_, _, class))| (group, class)).collect()
});

/// Converts `P8-AR "Metro Camo" Rifle` to `P8-AR Rifle`.
fn without_paint(name: &str) -> String {
    join(name.split('"').step_by(2).flat_map(str::split_whitespace))
}

fn find(class: &str) -> Option<(&'static str, &'static Weapon)> {
    let class = without_entity_id(class.trim());
    WEAPONS.get(class).or_else(|| WEAPONS.get_shortened(class, MIN_CLASS_PARTS))
}

/// The display name with paint: `P8-AR "Metro Camo" Rifle`.
///
/// In the log, `Player` means suicide and `unknown` none. A vehicle that rammed someone has a vehicle's name.
pub fn weapon_name(class: &str) -> Cow<'static, str> {
    match class.trim() {
        "Player" => return Cow::Borrowed("Suicide"),
        "" | "unknown" => return Cow::Borrowed("Unknown weapon"),
        _ => {}
    }
    if let Some((_, (name, _))) = find(class) {
        return Cow::Borrowed(name);
    }
    vehicles::name_if_vehicle(class)
        .unwrap_or_else(|| Cow::Owned(or_default(spell(without_entity_id(class.trim())), "Unknown weapon")))
}

/// The name without paint: `P8-AR Rifle`.
pub fn weapon_group_name(class: &str) -> Cow<'static, str> {
    let name = weapon_name(class);
    if name.contains('"') { Cow::Owned(or_default(without_paint(&name), "Unknown weapon")) } else { name }
}

/// The class by which kills are aggregated: without entity id and paint.
pub fn weapon_key(class: &str) -> &str {
    let Some((listed, (name, kind))) = find(class) else { return without_entity_id(class.trim()) };
    GROUPS.get(&(without_paint(name), *kind)).copied().unwrap_or(listed)
}

/// The kind of a weapon, if known.
pub fn weapon_kind(class: &str) -> Option<WeaponKind> {
    find(class).map(|(_, (_, kind))| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (class, name) in [
            ("behr_lmg_ballistic_01_5403148893548", "FS-9 LMG"),
            ("BEHR_LMG_BALLISTIC_01", "FS-9 LMG"),
            ("apar_hmg_ballistic_01_collector01", "Vendetta \"Snow Camo\" HMG"),
            ("behr_lmg_ballistic_01_newpaint07_5403148893548", "FS-9 LMG"),
            ("KLWE_LaserRepeater_S3", "CF-337 Panther Repeater"),
            ("Player", "Suicide"),
            ("unknown", "Unknown weapon"),
            ("ANVL_Arrow_2562525119604", "Anvil Arrow"),
            ("XXXX_Thing_S9", "XXXX Thing S9"),
            ("__", "Unknown weapon"),
        ] {
            assert_eq!(weapon_name(class), name, "{class}");
        }
    }

    #[test]
    fn paints_share_a_key_and_a_name() {
        let plain = weapon_key("behr_lmg_ballistic_01");
        for paint in ["behr_lmg_ballistic_01_tint01_123456789", "behr_lmg_ballistic_01_brandnew01"] {
            assert_eq!(weapon_key(paint), plain);
            assert_eq!(weapon_group_name(paint), "FS-9 LMG");
        }
        assert_eq!(plain, "behr_lmg_ballistic_01");
        assert_eq!(weapon_key("XXXX_Thing_S9_123456789"), "XXXX_Thing_S9");
    }

    #[test]
    fn every_group_has_one_name_without_paint() {
        for (class, _) in WEAPONS.iter() {
            let name = weapon_group_name(class);
            assert!(!name.contains('"') && !name.contains("  "), "{class}: {name}");
            assert_eq!(weapon_group_name(weapon_key(class)), name, "{class}");
            assert_eq!(weapon_kind(weapon_key(class)), weapon_kind(class), "{class}");
        }
    }

    #[test]
    fn kinds_are_found() {
        assert_eq!(weapon_kind("behr_lmg_ballistic_01_tint01_123456789"), Some(WeaponKind::Fps));
        assert_eq!(weapon_kind("KLWE_LaserRepeater_S3"), Some(WeaponKind::Ship));
        assert_eq!(weapon_kind("XXXX_Thing_S9"), None);
    }
}
