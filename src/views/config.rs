//! Configuration for the web page.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::patches::Patch;
use crate::domain::trust::TrustRules;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscordConfig {
    pub client_id: String,
    pub redirect_uri: String,
    pub authorize_url: String,
}

/// How much one account can report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TrustConfig {
    /// Such as `20 fights of one killer in 60 s`.
    pub limits: Vec<String>,
    /// Events in one UTC day.
    pub events_per_day: u32,
    /// The last patch whose builds write kills and vehicle losses to the log, such as `4.3`; null if all do.
    pub last_fight_patch: Option<String>,
}

impl From<&TrustRules> for TrustConfig {
    fn from(rules: &TrustRules) -> Self {
        Self {
            limits: rules.limits.iter().map(ToString::to_string).collect(),
            events_per_day: rules.events_per_day,
            last_fight_patch: rules.last_fight_patch.map(Patch::number_of),
        }
    }
}
