//! The event in its JSON form.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::identifier::{GameMode, Identifier};
use crate::text_or_number::TextOrNumber;
use crate::times::EpochMillis;

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

impl Event {
    /// Moves the details out of the event.
    pub fn take_details(&mut self) -> EventDetails {
        EventDetails {
            event_id: self.event_id.take(),
            sub_game_mode: self.sub_game_mode.take(),
            weapon: self.weapon.take(),
            vehicle_name: self.vehicle_name.take(),
            damage_type: self.damage_type.take(),
            zone: self.zone.take(),
            contract_id: self.contract_id.take(),
            contract_name: self.contract_name.take(),
            text: self.text.take(),
        }
    }

    /// Replaces the details.
    pub fn with_details(self, details: EventDetails) -> Self {
        let EventDetails {
            event_id,
            sub_game_mode,
            weapon,
            vehicle_name,
            damage_type,
            zone,
            contract_id,
            contract_name,
            text,
        } = details;
        Self {
            event_id,
            sub_game_mode,
            weapon,
            vehicle_name,
            damage_type,
            zone,
            contract_id,
            contract_name,
            text,
            ..self
        }
    }
}

/// What an event tells beside its kind, time, mode, patch and players: the fields that are stored as they are sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventDetails {
    pub event_id: Option<String>,
    pub sub_game_mode: Option<String>,
    pub weapon: Option<String>,
    pub vehicle_name: Option<String>,
    pub damage_type: Option<String>,
    pub zone: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
}

impl EventDetails {
    /// Fills the fields that are absent with those of another report of the event; its `event_id` is the sender's own.
    pub fn filled_with(self, other: &Self) -> Self {
        let or = |own: Option<String>, other: &Option<String>| own.or_else(|| other.clone());
        Self {
            event_id: self.event_id,
            sub_game_mode: or(self.sub_game_mode, &other.sub_game_mode),
            weapon: or(self.weapon, &other.weapon),
            vehicle_name: or(self.vehicle_name, &other.vehicle_name),
            damage_type: or(self.damage_type, &other.damage_type),
            zone: or(self.zone, &other.zone),
            contract_id: or(self.contract_id, &other.contract_id),
            contract_name: or(self.contract_name, &other.contract_name),
            text: or(self.text, &other.text),
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(deserializer)?.map(|either| either.0))
}
