//! A row of a feed.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::counters::Side;
use crate::domain::events::{GameMode, Identifier, mode_from_code};
use crate::domain::trust::Sides;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::players::{self, PlayerRef};
use crate::store::{activity, distinct, guilds, patch};
use crate::views::contracts::ContractTitles;
use crate::views::secs;
use gamelog::catalogue;

/// The name of hidden players in feeds.
pub const HIDDEN: &str = "Hidden";

/// The fields of a player that feeds show.
#[derive(Debug, Clone)]
pub struct PlayerSummary {
    pub handle: String,
    pub is_hidden: bool,
    pub profile_image: Option<String>,
    pub org_short: Option<String>,
}

/// An event in a feed. Names are as in the log; friendly names are for display, where the catalogue has one.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(Default))]
pub struct ActivityRow {
    pub id: String,
    /// `pvp`, `pve` or `others`.
    pub r#type: &'static str,
    pub identifier: Option<Identifier>,
    /// Epoch seconds.
    pub event_time: i64,
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub killer_is_npc: bool,
    pub victim_is_npc: bool,
    pub killer_friendly_name: Option<String>,
    pub victim_friendly_name: Option<String>,
    pub killer_profile_image: Option<String>,
    pub victim_profile_image: Option<String>,
    pub weapon: Option<String>,
    pub weapon_friendly_name: Option<String>,
    pub vehicle_name: Option<String>,
    pub vehicle_friendly_name: Option<String>,
    pub damage_type: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
    /// Who gives the contract.
    pub issuer: Option<String>,
    pub issuer_friendly_name: Option<String>,
    pub contract_kind: Option<String>,
    /// How a mission ended that was not completed: `failed`, `abandoned`, `withdrawn` or `deactivated`.
    pub outcome: Option<String>,
    /// Loading time of an arrival, or the time since the mission was accepted.
    pub seconds: Option<i64>,
    /// Whether the player flew the ship for the first time.
    pub is_first_flight: bool,
    pub game_mode: Option<GameMode>,
    pub sub_game_mode: Option<String>,
    pub patch: Option<String>,
    pub player_name: Option<String>,
    pub player_is_npc: bool,
    pub is_npc: bool,
    /// Number of logs that reported the event.
    pub witnesses: usize,
    /// Whose logs reported the event: `killer`, `victim`, `player`, or `operator`.
    pub reported_by: Vec<&'static str>,
    /// The channel of the log, if it is not LIVE; such events count nowhere.
    pub channel: Option<String>,
    /// Tags of the guilds with visible members in the event.
    pub orgs: Vec<String>,
}

/// Why the page of an event shows nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RemovedEvent {
    pub reason: String,
    /// Epoch seconds.
    pub at: i64,
}

#[derive(Default, Serialize, ToSchema)]
pub struct EventAnswer {
    /// Null for a removed event.
    pub event: Option<ActivityRow>,
    /// The build of the game that wrote the log.
    pub build: Option<String>,
    pub branch: Option<String>,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    /// Why an admin removed the event; null for others.
    pub removed: Option<RemovedEvent>,
}

/// The participants of an event.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActivityDetails {
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub killer_is_npc: bool,
    pub victim_is_npc: bool,
    pub killer_friendly_name: Option<String>,
    pub victim_friendly_name: Option<String>,
    pub killer_profile_image: Option<String>,
    pub victim_profile_image: Option<String>,
    pub player_name: Option<String>,
}

/// A row of a guild's feed: the fields of all feeds, with `timestamp` and `details`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildActivityRow {
    #[serde(flatten)]
    pub row: ActivityRow,
    /// Epoch seconds; the same as `event_time`.
    pub timestamp: i64,
    pub details: ActivityDetails,
}

impl From<ActivityRow> for GuildActivityRow {
    fn from(row: ActivityRow) -> Self {
        let details = ActivityDetails {
            killer: row.killer.clone(),
            victim: row.victim.clone(),
            killer_is_npc: row.killer_is_npc,
            victim_is_npc: row.victim_is_npc,
            killer_friendly_name: row.killer_friendly_name.clone(),
            victim_friendly_name: row.victim_friendly_name.clone(),
            killer_profile_image: row.killer_profile_image.clone(),
            victim_profile_image: row.victim_profile_image.clone(),
            player_name: row.player_name.clone(),
        };
        Self { timestamp: row.event_time, details, row }
    }
}

/// The players and patches named in the rows of a feed.
#[derive(Debug, Default)]
pub struct Names {
    pub players: HashMap<i64, PlayerSummary>,
    pub patches: HashMap<i64, String>,
    /// Channels other than LIVE, by report.
    pub channels: HashMap<i64, String>,
    /// The visible reports of each event that has several, in the order of their arrival.
    pub reports: HashMap<i64, Vec<EventRow>>,
    pub contracts: ContractTitles,
    /// The blueprints whose names are shown.
    pub blueprints: HashSet<String>,
    /// The reports of first flights.
    pub first_flights: HashSet<i64>,
}

#[derive(Default)]
struct Named {
    name: Option<String>,
    friendly: Option<String>,
    image: Option<String>,
    is_npc: bool,
}

impl Names {
    /// Reads the names to which the rows of a feed refer.
    pub fn read(conn: &mut AnyConn, events: &[EventRow]) -> diesel::QueryResult<Self> {
        let reports = activity::reports_of(conn, events)?;
        let ids = events.iter().chain(reports.values().flatten()).flat_map(EventRow::player_ids);
        let players = players::find_refs_by_id(conn, &distinct(ids))?;
        let guild_ids = distinct(players.iter().filter_map(|player| player.guild_id));
        let guild_tags = guilds::tags(conn, &guild_ids)?.into_iter().collect();
        let mut names = Self { reports, ..Self::of_players(players.iter(), &guild_tags) };
        names.read_others(conn, &events.iter().collect::<Vec<_>>())?;
        Ok(names)
    }

    /// The names of players only.
    pub fn of_players<'a>(players: impl Iterator<Item = &'a PlayerRef>, guild_tags: &HashMap<i64, String>) -> Self {
        let person = |player: &PlayerRef| {
            let PlayerRef { id, handle, guild_id, is_hidden, profile_image, .. } = player.clone();
            let org_short = guild_id.and_then(|id| guild_tags.get(&id).cloned());
            (id, PlayerSummary { handle, is_hidden, profile_image, org_short })
        };
        Self { players: players.map(person).collect(), ..Self::default() }
    }

    /// Adds what events name beside players.
    pub fn read_others(&mut self, conn: &mut AnyConn, events: &[&EventRow]) -> diesel::QueryResult<()> {
        let all = || events.iter().copied().chain(self.reports.values().flatten());
        let versions = distinct(all().filter_map(|event| event.patch_version));
        self.contracts = ContractTitles::read(conn, all().filter_map(|event| event.details.contract_name.as_deref()))?;
        self.patches = patch::adopted_names(conn, &versions)?.into_iter().collect();
        self.channels = activity::channels_of(conn, events)?;
        self.blueprints = activity::shown_blueprints(conn, events.iter().filter_map(|event| event.blueprint()))?;
        self.first_flights = activity::first_flights(conn, events.iter().copied())?;
        Ok(())
    }

    fn named(&self, id: Option<i64>, npc: Option<&str>) -> Named {
        let player = id.and_then(|id| self.players.get(&id));
        let (name, friendly) = match (player, npc) {
            (Some(player), _) if player.is_hidden => (HIDDEN.into(), HIDDEN.into()),
            (Some(player), _) => (player.handle.clone(), player.handle.clone()),
            (None, Some(npc)) => (npc.to_owned(), catalogue::npc_name(npc).into_owned()),
            (None, None) => return Named::default(),
        };
        let image = player.filter(|player| !player.is_hidden).and_then(|player| player.profile_image.clone());
        Named { name: Some(name), friendly: Some(friendly), image, is_npc: player.is_none() }
    }

    /// Returns whether the feed of everybody shows a report: it is the first visible one of its event, and a player for whom it stands is
    /// visible, or no player takes part.
    pub fn is_visible(&self, row: &EventRow) -> bool {
        !row.is_opt_in() && row.state().is_visible() && self.is_first(row) && self.has_visible_player(row)
    }

    fn is_first(&self, row: &EventRow) -> bool {
        match self.reports.get(&row.event_id()) {
            Some(reports) => reports.first().is_some_and(|first| first.id == row.id),
            None => row.fight_of.is_none(),
        }
    }

    /// Returns whether a player for whom a report stands is visible. Without a side, all players of the event decide.
    pub fn has_visible_player(&self, row: &EventRow) -> bool {
        let sides = if row.sides() == Sides::NONE { Sides::ALL } else { row.sides() };
        let players = row.players_on(sides);
        row.player_ids().next().is_none()
            || players.iter().any(|id| self.players.get(id).is_some_and(|player| !player.is_hidden))
    }

    /// Whether a participant is hidden.
    pub fn has_hidden(&self, row: &EventRow) -> bool {
        let mut players = [row.killer_id, row.victim_id, row.player_id].into_iter().flatten();
        players.any(|id| self.players.get(&id).is_some_and(|person| person.is_hidden))
    }

    /// The visible reports of an event.
    fn reports_of<'a>(&'a self, row: &'a EventRow) -> &'a [EventRow] {
        self.reports.get(&row.event_id()).map_or(std::slice::from_ref(row), Vec::as_slice)
    }

    /// Whose logs reported the event.
    fn reported_by(&self, row: &EventRow) -> Vec<&'static str> {
        const NAMES: [(Side, &str); 3] = [(Side::Killer, "killer"), (Side::Victim, "victim"), (Side::Player, "player")];
        let reports = self.reports_of(row);
        let own = reports.iter().filter(|report| !report.account().is_operator());
        let sides = own.map(EventRow::reported_sides).fold(Sides::NONE, Sides::with);
        let mut names: Vec<&'static str> =
            NAMES.into_iter().filter(|(side, _)| sides.contains(*side)).map(|(_, name)| name).collect();
        if reports.iter().any(|report| report.account().is_operator()) {
            names.push("operator");
        }
        names
    }

    /// The free text of a report: it can name a player, and a blueprint's name can be invented.
    fn text(&self, report: &EventRow) -> Option<String> {
        let text = report.details.text.clone().filter(|_| !self.has_hidden(report));
        let is_blueprint = report.identifier == Identifier::BlueprintReceived.code();
        text.filter(|name| !is_blueprint || self.blueprints.contains(name))
    }

    /// Builds the row of an event from a report. The other reports of the event fill its empty fields.
    pub fn row(&self, report: &EventRow) -> ActivityRow {
        let event = &self.reports_of(report).iter().filter(|other| other.id != report.id).fold(report.clone(), filled);
        let killer = self.named(event.killer_id, event.killer_npc.as_deref());
        let victim = self.named(event.victim_id, event.victim_npc.as_deref());
        let player = self.named(event.player_id, event.player_npc.as_deref());
        let mut orgs: Vec<String> = [event.killer_id, event.victim_id, event.player_id]
            .into_iter()
            .flatten()
            .filter_map(|id| self.players.get(&id))
            .filter(|p| !p.is_hidden)
            .filter_map(|p| p.org_short.clone())
            .collect();
        orgs.sort();
        orgs.dedup();
        let details = &event.details;
        ActivityRow {
            id: event.event_id().to_string(),
            r#type: match event.category {
                1 => "pvp",
                2 => "pve",
                _ => "others",
            },
            identifier: Identifier::from_code(event.identifier),
            event_time: secs(event.event_time),
            killer: killer.name,
            victim: victim.name,
            killer_is_npc: killer.is_npc,
            victim_is_npc: victim.is_npc,
            killer_friendly_name: killer.friendly,
            victim_friendly_name: victim.friendly,
            killer_profile_image: killer.image,
            victim_profile_image: victim.image,
            weapon_friendly_name: details.weapon.as_deref().map(|w| catalogue::weapon_name(w).into_owned()),
            weapon: details.weapon.clone(),
            vehicle_friendly_name: details.vehicle_name.as_deref().map(|v| catalogue::vehicle_name(v).into_owned()),
            vehicle_name: details.vehicle_name.clone(),
            damage_type: details.damage_type.clone(),
            contract_id: details.contract_id.clone(),
            contract_name: self.contracts.title(details.contract_name.as_deref(), details.contract_id.as_deref()),
            text: self.text(event),
            issuer_friendly_name: details.issuer.as_deref().map(catalogue::giver_name),
            issuer: details.issuer.clone(),
            contract_kind: details.contract_kind.clone(),
            outcome: details.outcome.clone(),
            seconds: details.seconds,
            is_first_flight: self.first_flights.contains(&report.id),
            game_mode: mode_from_code(event.game_mode),
            sub_game_mode: details.sub_game_mode.clone(),
            patch: event.patch_version.and_then(|v| self.patches.get(&v).cloned()),
            player_name: player.name,
            player_is_npc: player.is_npc,
            is_npc: player.is_npc,
            witnesses: self.reports_of(report).len(),
            reported_by: self.reported_by(report),
            channel: self.channels.get(&report.id).cloned(),
            orgs,
        }
    }
}

/// Fills the empty fields of a report with those of another one.
fn filled(row: EventRow, other: &EventRow) -> EventRow {
    let npc = |own: Option<String>, other: &Option<String>| own.or_else(|| other.clone());
    EventRow {
        game_mode: if row.game_mode == 0 { other.game_mode } else { row.game_mode },
        patch_version: row.patch_version.or(other.patch_version),
        killer_npc: if row.killer_id.is_some() { None } else { npc(row.killer_npc, &other.killer_npc) },
        victim_npc: if row.victim_id.is_some() { None } else { npc(row.victim_npc, &other.victim_npc) },
        killer_id: row.killer_id.or(other.killer_id),
        victim_id: row.victim_id.or(other.victim_id),
        details: row.details.filled_with(&other.details),
        ..row
    }
}
