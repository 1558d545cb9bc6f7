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
    /// Epoch milliseconds; RFC 3339 text is accepted as well.
    #[schema(value_type = i64)]
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
    /// Class of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_name: Option<String>,
    /// `disconnect`, `quit`, `crash` or `unknown` for `universe_left`, the exception for `game_crashed`, the blueprint for
    /// `blueprint_received`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Id of a single mission. It is accepted, completed and ended once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<String>,
    /// Who gives the contract: the name of its generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_kind: Option<String>,
    /// How a mission ended: `failed`, `abandoned`, `withdrawn` or `deactivated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Loading time of `connection_success`, or the time since a mission was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<i64>,
    /// aUEC of a `payout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
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
            mission_id: None,
            issuer: None,
            contract_kind: None,
            outcome: None,
            seconds: None,
            amount: None,
            player_name: None,
            player_geid: None,
            player_is_npc: None,
        }
    }
}

/// Defines [`EventDetails`], and how an event gives and takes them.
macro_rules! details {
    ($($field:ident: $value:ty),+ $(,)?) => {
        /// What an event tells beside its kind, time, mode, patch and players: the fields that are stored as they are sent.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct EventDetails {
            $(pub $field: Option<$value>,)+
        }

        impl Event {
            /// Moves the details out of the event.
            pub fn take_details(&mut self) -> EventDetails {
                EventDetails { $($field: self.$field.take(),)+ }
            }

            /// Replaces the details.
            pub fn with_details(self, details: EventDetails) -> Self {
                let EventDetails { $($field,)+ } = details;
                Self { $($field,)+ ..self }
            }
        }

        impl EventDetails {
            /// Fills the fields that are absent with those of another report of the event; its `event_id` is the sender's own.
            pub fn filled_with(self, other: &Self) -> Self {
                let event_id = self.event_id.clone();
                let filled = Self { $($field: self.$field.or_else(|| other.$field.clone()),)+ };
                Self { event_id, ..filled }
            }
        }
    };
}
details! {
    event_id: String,
    sub_game_mode: String,
    weapon: String,
    vehicle_name: String,
    damage_type: String,
    zone: String,
    contract_id: String,
    contract_name: String,
    text: String,
    mission_id: String,
    issuer: String,
    contract_kind: String,
    outcome: String,
    seconds: i64,
    amount: i64,
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(deserializer)?.map(|either| either.0))
}
