//! The event in its JSON form.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::identifier::{GameMode, Identifier};
use crate::domain::json::TextOrNumber;
use crate::domain::times::EpochMillis;

/// An event as a log reader sends it. Fields that do not apply are omitted; unknown fields are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    pub identifier: Identifier,
    /// Epoch milliseconds or RFC 3339.
    #[schema(value_type = Object)]
    pub event_time: EpochMillis,
    /// The sender's key of this event. The same key identifies the same event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_mode: Option<GameMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_game_mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The killer, or the cause of a vehicle's loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killer: Option<String>,
    /// The victim, or the owner of the vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killer_is_npc: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim_is_npc: Option<bool>,
    /// Weapon class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weapon: Option<String>,
    /// Vehicle class, with its entity id if the log contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vehicle_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The player whose seat, mission or session this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_name: Option<String>,
    /// The player's entity id, as text or number.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub player_geid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_is_npc: Option<bool>,
}

impl Event {
    /// Creates an event without any optional field.
    pub fn new(identifier: Identifier, event_time: EpochMillis) -> Self {
        Self {
            identifier,
            event_time,
            event_id: None,
            game_mode: None,
            sub_game_mode: None,
            patch: None,
            killer: None,
            victim: None,
            killer_is_npc: None,
            victim_is_npc: None,
            weapon: None,
            vehicle_name: None,
            damage_type: None,
            zone: None,
            contract_id: None,
            contract_name: None,
            text: None,
            player_name: None,
            player_geid: None,
            player_is_npc: None,
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(deserializer)?.map(|either| either.0))
}
