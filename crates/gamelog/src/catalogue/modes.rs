//! Names of game modes, from the log's game rules.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lists::List;
use super::spelling::{or_default, spell_camel_case};
use crate::npcs::without_entity_id;

static MODES: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/game-modes.json")));

/// The name of game rules such as `EA_…` and `SC_…`; other texts are spelled out.
pub fn game_mode_name(rules: &str) -> Cow<'static, str> {
    let rules = without_entity_id(rules.trim());
    if let Some((_, name)) = MODES.get(rules) {
        return Cow::Borrowed(name);
    }
    let rest = rules.strip_prefix("EA_").or_else(|| rules.strip_prefix("SC_")).unwrap_or(rules);
    Cow::Owned(or_default(spell_camel_case(rest), "Unknown mode"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (rules, name) in [
            ("EA_SquadronBattle", "Squadron Battle"),
            ("ea_fpsgungame", "Gun Rush"),
            ("EA_TonkRoyale_FreeForAll", "Experimental Mode"),
            ("SC_Default", "Persistent Universe"),
            ("EA_NewMode", "New Mode"),
            ("Squadron Battle", "Squadron Battle"),
            ("", "Unknown mode"),
        ] {
            assert_eq!(game_mode_name(rules), name, "{rules}");
        }
    }
}
