//! A feed: its kind, its filter and its delivery state.

use i18n::Language;
use serde::{Deserialize, Serialize};

use crate::domain::events::{EventKind, GameMode};
use crate::domain::scores::Metric;
use crate::store::statsfeed::{ChannelRow, OutboxRow};
use crate::views::activity::ActivityRow;

/// The kind of a feed decides which events it may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    General,
    ArenaCommander,
    NpcMissions,
}

impl FeedKind {
    pub const ALL: [Self; 3] = [Self::General, Self::ArenaCommander, Self::NpcMissions];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::General => "general-statsfeed",
            Self::ArenaCommander => "arena-commander",
            Self::NpcMissions => "pu-npc-missions",
        }
    }

    /// `General` contains fights between players, own deaths, lost vehicles and first flights; the other kinds contain what they name.
    pub(super) fn matches(self, row: &ActivityRow) -> bool {
        let Some(group) = EventGroup::of(row) else { return false };
        let is_ac = row.game_mode == Some(GameMode::Ac);
        match self {
            Self::ArenaCommander => is_ac && group != EventGroup::Missions,
            Self::General => {
                !is_ac
                    && (matches!(group, EventGroup::Deaths | EventGroup::Vehicles)
                        || (group == EventGroup::Kills && row.r#type == "pvp"))
            }
            Self::NpcMissions => {
                !is_ac && (group == EventGroup::Missions || (group == EventGroup::Kills && row.r#type == "pve"))
            }
        }
    }
}

/// A group of events that a filter can select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventGroup {
    Kills,
    /// Suicides and deaths of unknown cause.
    Deaths,
    Vehicles,
    Missions,
}

impl EventGroup {
    pub const ALL: [Self; 4] = [Self::Kills, Self::Deaths, Self::Vehicles, Self::Missions];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Deaths => "deaths",
            Self::Vehicles => "vehicles",
            Self::Missions => "missions",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str().eq_ignore_ascii_case(text))
    }

    fn of(row: &ActivityRow) -> Option<Self> {
        match row.identifier?.kind() {
            EventKind::Kill if row.killer.is_none() || row.killer == row.victim => Some(Self::Deaths),
            EventKind::Kill => Some(Self::Kills),
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => Some(Self::Vehicles),
            EventKind::SeatEntered | EventKind::SeatExited if row.is_first_flight => Some(Self::Vehicles),
            EventKind::MissionAccepted | EventKind::MissionCompleted | EventKind::BlueprintReceived => {
                Some(Self::Missions)
            }
            _ => None,
        }
    }
}

/// Narrows a feed, and sets its language and leaderboard. An empty list selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeedFilter {
    pub guilds: Vec<String>,
    pub players: Vec<String>,
    pub events: Vec<EventGroup>,
    /// Selects events in which some player has at least this overall score.
    pub minimum: i64,
    /// Metric of a leaderboard message in the channel.
    pub board: Option<Metric>,
    pub language: Language,
}

impl FeedFilter {
    /// `best_score` is the highest overall score among the visible players of the event.
    pub(super) fn matches(&self, row: &ActivityRow, best_score: i64) -> bool {
        if best_score < self.minimum {
            return false;
        }
        if !self.events.is_empty() && !EventGroup::of(row).is_some_and(|group| self.events.contains(&group)) {
            return false;
        }
        if self.guilds.is_empty() && self.players.is_empty() {
            return true;
        }
        let contains = |list: &[String], name: &str| list.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let players = [&row.killer, &row.victim, &row.player_name];
        row.orgs.iter().any(|tag| contains(&self.guilds, tag))
            || players.into_iter().flatten().any(|name| contains(&self.players, name))
    }
}

/// Parses the stored filter of a channel. A filter of a newer version that cannot be parsed selects everything.
pub fn parse_filter(channel: &ChannelRow) -> FeedFilter {
    serde_json::from_str(&channel.filter).unwrap_or_default()
}

/// A subscribed channel with its delivery state.
pub(super) struct Feed {
    pub channel: ChannelRow,
    pub filter: FeedFilter,
    /// The message that waits to be sent.
    pub outbox: Option<OutboxRow>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::events::Identifier;

    #[test]
    fn feeds_tell_of_first_flights_and_blueprints_but_of_no_other_seats() {
        let row = |identifier, is_first_flight| ActivityRow {
            identifier: Some(identifier),
            game_mode: Some(GameMode::Pu),
            is_first_flight,
            ..ActivityRow::default()
        };
        let kinds = |row| FeedKind::ALL.into_iter().filter(|kind| kind.matches(&row)).collect::<Vec<_>>();
        for seat in [Identifier::SeatEntered, Identifier::SeatExited] {
            assert_eq!(kinds(row(seat, true)), [FeedKind::General]);
            assert!(kinds(row(seat, false)).is_empty());
        }
        assert_eq!(kinds(row(Identifier::BlueprintReceived, false)), [FeedKind::NpcMissions]);
    }
}
