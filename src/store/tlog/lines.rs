//! Lines of the log, written from rows. They name neither accounts nor keys nor logs.
//!
//! The newest line of an event is not stored but written from its row, so a change of what is written here needs a new version of the
//! line. Players are named by their handles in lower case, because the spelling of a handle may change.

use std::collections::HashMap;

use diesel::prelude::*;

use crate::domain::events::{Identifier, mode_from_code};
use crate::domain::hex;
use crate::domain::tlog::Line;
use crate::domain::trust::{Action, Grade, TargetKind};
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::ledger::LedgerRow;
use crate::store::players;

/// The handles of the players in these events, in lower case, by id.
pub fn handles_of(conn: &mut AnyConn, events: &[EventRow]) -> QueryResult<HashMap<i64, String>> {
    let mut ids: Vec<i64> = events.iter().flat_map(EventRow::player_ids).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(players::find_refs_by_id(conn, &ids)?.into_iter().map(|player| (player.id, player.handle_folded)).collect())
}

/// The line of an event as it is stored.
pub fn event_line(row: &EventRow, handles: &HashMap<i64, String>) -> String {
    let handle = |id: Option<i64>| id.and_then(|id| handles.get(&id)).map(String::as_str);
    let identity = hex::encode(&row.identity);
    Line::new("event", row.id)
        .text("identity", Some(&identity))
        .text("identifier", Identifier::from_code(row.identifier).map(Identifier::as_str))
        .number("category", i64::from(row.category))
        .number("event_time", row.event_time)
        .number("received_at", row.received_at)
        .text("game_mode", mode_from_code(row.game_mode).map(|mode| mode.as_str()))
        .text("sub_game_mode", row.sub_game_mode.as_deref())
        .number("patch_version", row.patch_version)
        .text("killer", handle(row.killer_id))
        .text("killer_npc", row.killer_npc.as_deref())
        .text("victim", handle(row.victim_id))
        .text("victim_npc", row.victim_npc.as_deref())
        .text("player", handle(row.player_id))
        .text("player_npc", row.player_npc.as_deref())
        .text("weapon", row.weapon.as_deref())
        .text("vehicle_name", row.vehicle_name.as_deref())
        .text("damage_type", row.damage_type.as_deref())
        .text("zone", row.zone.as_deref())
        .text("contract_id", row.contract_id.as_deref())
        .text("contract_name", row.contract_name.as_deref())
        .text("text", row.text.as_deref())
        .text("grade", Grade::from_code(row.grade).map(Grade::as_str))
        .number("reasons", i64::from(row.reasons))
        .number("counts", i64::from(row.counts))
        .number("provenance", i64::from(row.provenance))
        .finish()
}

/// The player that an entry of the ledger is about.
pub fn ledger_player(row: &LedgerRow) -> Option<i64> {
    row.subject.parse().ok().filter(|_| row.target == TargetKind::Player.code())
}

/// The line of an entry of the ledger: the fields that never change. `handles` contains the player that it is about.
pub fn ledger_line(row: &LedgerRow, handles: &HashMap<i64, String>) -> String {
    let is_about = |kind: TargetKind| row.target == kind.code();
    let events = is_about(TargetKind::Events).then(|| serde_json::from_str(&row.subject).ok()).flatten();
    Line::new("ledger", row.id)
        .number("at", row.at)
        .text("action", Action::from_code(row.action).map(Action::as_str))
        .text("target", TargetKind::from_code(row.target).map(TargetKind::as_str))
        .number("key", row.subject.parse::<i64>().ok().filter(|_| is_about(TargetKind::Key)))
        .text("player", ledger_player(row).and_then(|id| handles.get(&id)).map(String::as_str))
        .numbers("events", events)
        .number("from_time", row.from_time)
        .number("until_time", row.until_time)
        .text("reason", Some(&row.reason))
        .number("undoes", row.undoes)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of version 1. Lines of existing leaves are written again and again, so this text never changes.
    #[test]
    fn the_line_of_an_event_never_changes_within_a_version() {
        let text = |text: &str| Some(text.to_owned());
        let row = EventRow {
            id: 7,
            identity: vec![0xab; 16],
            fight: Some(5),
            identifier: Identifier::Kill.code(),
            category: 1,
            event_time: 1_790_000_000_123,
            event_id: text("log-1:44"),
            game_mode: 1,
            sub_game_mode: text("mode"),
            patch_version: Some(4_003_002),
            killer_id: Some(1),
            victim_id: Some(2),
            player_id: Some(3),
            killer_npc: text("npc-k"),
            victim_npc: text("npc-v"),
            player_npc: text("npc-p"),
            weapon: text("rifle"),
            vehicle_name: text("ship"),
            damage_type: text("bullet"),
            zone: text("zone"),
            contract_id: text("contract"),
            contract_name: text("name"),
            text: text("a \"text\""),
            ingest_key_id: Some(99),
            witnesses: 3,
            grade: Grade::Operator.code(),
            received_at: Some(1_790_000_000_456),
            reasons: 2,
            log_id: Some(98),
            counts: 3,
            provenance: 2,
        };
        let handles = HashMap::from([(1, "ann-1".to_owned()), (2, "bob-1".to_owned()), (3, "cyd-1".to_owned())]);
        let expected = concat!(
            r#"{"category":1,"contract_id":"contract","contract_name":"name","counts":3,"damage_type":"bullet","#,
            r#""event_time":1790000000123,"game_mode":"PU","grade":"operator","id":7,"identifier":"kill","#,
            r#""identity":"abababababababababababababababab","killer":"ann-1","killer_npc":"npc-k","#,
            r#""patch_version":4003002,"player":"cyd-1","player_npc":"npc-p","provenance":2,"reasons":2,"received_at":1790000000456,"#,
            r#""sub_game_mode":"mode","text":"a \"text\"","type":"event","v":1,"vehicle_name":"ship","#,
            r#""victim":"bob-1","victim_npc":"npc-v","weapon":"rifle","zone":"zone"}"#
        );
        assert_eq!(event_line(&row, &handles), expected);
    }
}
