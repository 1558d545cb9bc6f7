//! The lines of a public export: one JSON object per line, whose field `type` is `export`, `event`, `player` or `guild`.

use serde::{Deserialize, Serialize};

use crate::domain::counters::Side;
use crate::domain::events::Event;
use crate::domain::scores::Scores;
use crate::domain::trust::{Grade, Reasons, ReportSource, State};
use crate::views::tlog::LogPosition;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// A line of the file. The first one is the head; events, players and guilds follow in this order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    Export(Head),
    Event(Box<EventLine>),
    Player(PlayerLine),
    Guild(GuildLine),
}

/// What the file is, and under which rules its figures came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub format: u32,
    /// Address of the site.
    pub site: String,
    /// When the figures were read, in epoch seconds.
    pub created_at: i64,
    /// The version of the rules.
    pub rules: u32,
    /// The share of repeated kills that counts, in percent of the different people fought in 90 days.
    pub repeat_share: u32,
    /// Repeated kills before this time, in epoch milliseconds, are decided; later ones count until the next night. `None` if all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_until: Option<i64>,
    /// The newest checkpoint of the transparency log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<LogPosition>,
}

/// An event. Players who are hidden, and names that nobody knows yet, are numbered `#1`, `#2`, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    pub id: i64,
    #[serde(flatten)]
    pub event: Event,
    pub grade: Grade,
    pub state: State,
    /// The sides for which the event counts.
    pub counts: Vec<Side>,
    /// Why it does not count.
    #[serde(default, skip_serializing_if = "Reasons::is_empty")]
    pub rule: Reasons,
    pub reports: Vec<ReportLine>,
}

/// A report of an event; void ones are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportLine {
    pub source: ReportSource,
    /// Equal numbers within one event are the same account. The same account has another number in another event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<u32>,
    /// Whether the account was old and active enough to confirm what others report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub independent: bool,
}

/// A player with figures, or one whose claim matters to repeated kills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerLine {
    pub player: String,
    /// Whether an account had claimed the player when repeated kills were decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guild: Option<String>,
    /// Figures from an import, which no event accounts for: the first five of `scores`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<[i64; 5]>,
    /// Player kills, NPC kills, vehicles, missions and seconds of playtime; then the confirmed part of the first four. `None` for
    /// players who are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
}

/// A guild with figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuildLine {
    pub guild: String,
    pub scores: Scores,
    /// What the members account for who are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Scores>,
}

/// The columns of the CSV file, which has the events only.
pub const COLUMNS: [&str; 21] = [
    "id",
    "event_time",
    "identifier",
    "game_mode",
    "sub_game_mode",
    "patch",
    "killer",
    "killer_is_npc",
    "victim",
    "victim_is_npc",
    "player_name",
    "player_is_npc",
    "weapon",
    "vehicle_name",
    "damage_type",
    "contract_id",
    "contract_name",
    "grade",
    "state",
    "counts",
    "rule",
];

impl EventLine {
    /// The cells of the event in the order of [`COLUMNS`]. Lists are separated by spaces.
    pub fn cells(&self) -> [String; 21] {
        let Event { game_mode, killer_is_npc, victim_is_npc, player_is_npc, .. } = self.event;
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let flag = |value: Option<bool>| value.map(|is| is.to_string()).unwrap_or_default();
        let side = |side: &Side| match side {
            Side::Killer => "killer",
            Side::Victim => "victim",
            Side::Player => "player",
        };
        let event = &self.event;
        [
            self.id.to_string(),
            event.event_time.0.to_string(),
            event.identifier.as_str().to_owned(),
            game_mode.map(|mode| mode.as_str().to_owned()).unwrap_or_default(),
            text(&event.sub_game_mode),
            text(&event.patch),
            text(&event.killer),
            flag(killer_is_npc),
            text(&event.victim),
            flag(victim_is_npc),
            text(&event.player_name),
            flag(player_is_npc),
            text(&event.weapon),
            text(&event.vehicle_name),
            text(&event.damage_type),
            text(&event.contract_id),
            text(&event.contract_name),
            self.grade.as_str().to_owned(),
            self.state.as_str().to_owned(),
            self.counts.iter().map(side).collect::<Vec<_>>().join(" "),
            self.rule.names().join(" "),
        ]
    }
}
