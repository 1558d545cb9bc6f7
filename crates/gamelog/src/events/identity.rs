//! Identities of events, and the keys by which reports of the same fight are matched.

use sha2::{Digest, Sha256};

use super::identifier::EventKind;
use super::valid_event::{Identity, Party, ValidEvent};
use crate::names::Handle;
use crate::npcs::entity_id;

/// Computes the identity of an event.
///
/// Identities are compared within one account. A mission with an id is accepted, completed and ended
/// once. With an `event_id`, the identity consists of the id, the kind and the parties, so that a corrected time is still the same event.
/// Without one, time, weapon, vehicle, contract, text, zone and amount are added. Stored identities depend on the exact bytes hashed here.
pub fn identity(event: &ValidEvent) -> Identity {
    let mut hash = Fields::new();
    hash.text(kind_name(event));
    hash.text(&event.killer.folded());
    hash.text(&event.victim.folded());
    hash.text(&event.player.folded());
    if let Some(id) = event.details.mission_id.as_deref().filter(|_| happens_once(event)) {
        hash.text("mission");
        hash.text(id);
    } else if let Some(id) = &event.details.event_id {
        hash.text("id");
        hash.text(id);
    } else {
        hash.text("told");
        hash.text(&event.event_time.0.to_string());
        let details = &event.details;
        for field in [
            &details.weapon,
            &details.vehicle_name,
            &details.contract_id,
            &details.contract_name,
            &details.text,
            &details.zone,
        ] {
            hash.text(field.as_deref().unwrap_or_default());
        }
        details.amount.into_iter().for_each(|amount| hash.text(&amount.to_string()));
    }
    Identity(beside_others(event, hash.finish()))
}

/// Replaces the first four bytes by a hash of one player of the event: what a log tells is then stored in few pages of an index.
fn beside_others(event: &ValidEvent, mut bytes: [u8; 16]) -> [u8; 16] {
    let player = [&event.player, &event.killer, &event.victim].into_iter().find_map(Party::player);
    let mut hash = Fields::new();
    hash.text(&player.map(Handle::folded).unwrap_or_default());
    bytes[..4].copy_from_slice(&hash.finish()[..4]);
    bytes
}

/// Whether this happens to a mission once.
fn happens_once(event: &ValidEvent) -> bool {
    use EventKind as K;
    matches!(event.identifier.kind(), K::MissionAccepted | K::MissionCompleted | K::MissionEnded)
}

/// Computes the key that reports of the same fight share; `None` for events that concern a single player.
///
/// Kills are matched by killer and victim. Vehicle losses are matched by the vehicle's entity id if the log contains it, since
/// many happen within a second and the owner is rarely known.
pub fn fight_key(event: &ValidEvent) -> Option<i64> {
    if !event.identifier.is_fight() {
        return None;
    }
    let mut hash = Fields::new();
    hash.text(kind_name(event));
    let vehicle = event.details.vehicle_name.as_deref().filter(|_| event.identifier.kind() != EventKind::Kill);
    let entity = vehicle.and_then(entity_id);
    if let Some(named) = entity.or(vehicle) {
        hash.text(named);
    }
    if entity.is_none() {
        hash.text(&event.killer.folded());
        hash.text(&event.victim.folded());
    }
    let bytes = hash.finish();
    let bytes = if entity.is_none() { beside_others(event, bytes) } else { bytes };
    bytes.first_chunk().copied().map(i64::from_be_bytes)
}

fn kind_name(event: &ValidEvent) -> &'static str {
    match event.identifier.kind() {
        EventKind::Kill => "kill",
        EventKind::MissionCompleted => "mission_complete",
        _ => event.identifier.as_str(),
    }
}

/// Hashes fields with their lengths, so that different lists of fields have different hashes.
struct Fields(Sha256);

impl Fields {
    fn new() -> Self {
        Self(Sha256::new())
    }

    fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn finish(self) -> [u8; 16] {
        let digest = self.0.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        bytes
    }
}
