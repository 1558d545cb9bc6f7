//! Writes a public export from one snapshot of the database.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

use crate::domain::events::{Event, Identifier, mode_from_code};
use crate::domain::scores::Scores;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{RULES_VERSION, Report, ReportSource, Scope};
use crate::features::ingest::{self, Baseline};
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::players::PlayerRef;
use crate::store::public_export::{self, ExportedPlayer};
use crate::store::{activity, guilds, players, repeats, tlog};
use crate::views::tlog::LogPosition;

use super::ExportError;
use super::lines::{COLUMNS, EventLine, FORMAT, GuildLine, Head, Line, PlayerLine, ReportLine};

/// Number of rows per query.
const CHUNK: i64 = 2_000;

/// What an export contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub head: Head,
    pub events: u64,
    pub players: u64,
    /// The ids of the players who were hidden.
    pub hidden: Vec<i64>,
}

/// Writes all lines to `ndjson`, and the events to `csv` too. Called inside a snapshot.
pub(super) fn write(
    conn: &mut AnyConn,
    site: &str,
    now: EpochMillis,
    ndjson: &mut impl Write,
    csv: impl Write,
) -> Result<Written, ExportError> {
    let head = head(conn, site, now)?;
    let hidden = players::hidden_ids(conn)?;
    let mut out =
        Output { ndjson, csv: csv::Writer::from_writer(csv), opaque: Opaque::default(), events: 0, players: 0 };
    out.line(&Line::Export(head.clone()))?;
    out.csv.write_record(COLUMNS).map_err(std::io::Error::other)?;
    out.events(conn)?;
    out.players(conn)?;
    out.guilds(conn)?;
    out.csv.flush()?;
    Ok(Written { head, events: out.events, players: out.players, hidden })
}

fn head(conn: &mut AnyConn, site: &str, now: EpochMillis) -> diesel::QueryResult<Head> {
    let checkpoint = tlog::newest_checkpoint(conn)?;
    let share = repeats::state(conn)?.share.unwrap_or_default();
    Ok(Head {
        format: FORMAT,
        site: site.to_owned(),
        created_at: now.secs(),
        rules: RULES_VERSION,
        repeat_share: u32::try_from(share).unwrap_or_default(),
        repeats_until: repeats::settled_until(conn)?,
        checkpoint: checkpoint.map(LogPosition::from),
    })
}

/// The numbers of players who are not named.
#[derive(Default)]
struct Opaque(HashMap<i64, usize>);

impl Opaque {
    fn name(&mut self, player: &PlayerRef) -> String {
        if !player.is_hidden && !player.is_provisional {
            return player.handle.clone();
        }
        let next = self.0.len() + 1;
        format!("#{}", self.0.entry(player.id).or_insert(next))
    }
}

struct Output<'a, J: Write, C: Write> {
    ndjson: &'a mut J,
    csv: csv::Writer<C>,
    opaque: Opaque,
    events: u64,
    players: u64,
}

impl<J: Write, C: Write> Output<'_, J, C> {
    fn line(&mut self, line: &Line) -> Result<(), ExportError> {
        serde_json::to_writer(&mut *self.ndjson, line).map_err(std::io::Error::from)?;
        Ok(self.ndjson.write_all(b"\n")?)
    }

    fn events(&mut self, conn: &mut AnyConn) -> Result<(), ExportError> {
        let mut after = 0;
        loop {
            let events = activity::after(conn, after, CHUNK)?;
            let Some(last) = events.last() else { return Ok(()) };
            after = last.id;
            let names = activity::names_of(conn, &events)?;
            let people: HashMap<i64, PlayerRef> = names.players.into_iter().map(|player| (player.id, player)).collect();
            let mut reports = ingest::reports_of(conn, &events)?;
            for row in &events {
                let patch = row.patch_version.and_then(|version| names.patches.get(&version)).cloned();
                let Some(event) = event(row, patch, |player| Some(self.opaque.name(people.get(&player)?))) else {
                    continue;
                };
                let reports = report_lines(&reports.remove(&row.id).unwrap_or_default());
                let (grade, rule) = (row.grade(), row.reasons());
                let counts = row.counted_sides();
                let line = EventLine { id: row.id, event, grade, state: rule.state(), counts, rule, reports };
                self.csv.write_record(line.cells()).map_err(std::io::Error::other)?;
                self.line(&Line::Event(Box::new(line)))?;
                self.events += 1;
            }
        }
    }

    fn players(&mut self, conn: &mut AnyConn) -> Result<(), ExportError> {
        let mut after = 0;
        loop {
            let rows = public_export::players_after(conn, after, CHUNK)?;
            let Some(last) = rows.last() else { break };
            after = last.id;
            for row in rows.iter().filter(|row| row.has_line()) {
                self.line(&Line::Player(player_line(row)))?;
                self.players += 1;
            }
        }
        let claimed: HashSet<i64> = repeats::known_claims(conn)?.into_iter().collect();
        let opaque: BTreeMap<usize, i64> = self.opaque.0.iter().map(|(player, number)| (*number, *player)).collect();
        for (number, _) in opaque.iter().filter(|(_, player)| claimed.contains(player)) {
            let (player, claimed) = (format!("#{number}"), true);
            self.line(&Line::Player(PlayerLine { player, claimed, guild: None, imported: None, scores: None }))?;
        }
        Ok(())
    }

    fn guilds(&mut self, conn: &mut AnyConn) -> Result<(), ExportError> {
        let hidden: HashMap<i64, Scores> = public_export::hidden_guild_scores(conn)?.into_iter().collect();
        let mut after = 0;
        loop {
            let rows = guilds::after(conn, after, CHUNK)?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.id;
            for row in rows.iter().filter(|row| !row.scores().is_zero()) {
                let hidden = hidden.get(&row.id).copied().filter(|scores| !scores.is_zero());
                self.line(&Line::Guild(GuildLine { guild: row.tag.clone(), scores: row.scores(), hidden }))?;
            }
        }
    }
}

/// The fields of an event that everyone may see; `None` if its kind is unknown.
fn event(row: &EventRow, patch: Option<String>, mut name: impl FnMut(i64) -> Option<String>) -> Option<Event> {
    let mut party = |player: Option<i64>, npc: &Option<String>| match player.and_then(&mut name) {
        Some(name) => (Some(name), Some(false)),
        None => (npc.clone(), npc.as_ref().map(|_| true)),
    };
    let (killer, killer_is_npc) = party(row.killer_id, &row.killer_npc);
    let (victim, victim_is_npc) = party(row.victim_id, &row.victim_npc);
    let (player_name, player_is_npc) = party(row.player_id, &row.player_npc);
    Some(Event {
        game_mode: mode_from_code(row.game_mode),
        sub_game_mode: row.sub_game_mode.clone(),
        patch,
        killer,
        killer_is_npc,
        victim,
        victim_is_npc,
        player_name,
        player_is_npc,
        weapon: row.weapon.clone(),
        vehicle_name: row.vehicle_name.clone(),
        damage_type: row.damage_type.clone(),
        contract_id: row.contract_id.clone(),
        contract_name: row.contract_name.clone(),
        ..Event::new(Identifier::from_code(row.identifier)?, EpochMillis(row.event_time))
    })
}

/// The reports of one event, whose accounts are numbered in this event only.
fn report_lines(reports: &[Report]) -> Vec<ReportLine> {
    let mut accounts: Vec<Scope> = Vec::new();
    let mut number = |scope: Scope| {
        let known = accounts.iter().position(|known| *known == scope);
        let index = known.unwrap_or_else(|| {
            accounts.push(scope);
            accounts.len() - 1
        });
        u32::try_from(index + 1).ok()
    };
    let line = |report: &Report| match report.reporter {
        Scope::Operator => ReportLine { source: ReportSource::Operator, account: None, independent: false },
        scope => ReportLine {
            source: ReportSource::of(report.provenance),
            account: number(scope),
            independent: report.provenance.is_some_and(|known| known.is_independent),
        },
    };
    reports.iter().map(line).collect()
}

fn player_line(row: &ExportedPlayer) -> PlayerLine {
    let baseline = row.figures.as_deref().and_then(|json| serde_json::from_str::<Baseline>(json).ok());
    let imported = baseline.map(|baseline| baseline.scores(row.id, String::new(), false).scores);
    PlayerLine {
        player: row.handle.clone(),
        claimed: row.is_claimed,
        guild: row.guild.clone(),
        imported: imported.map(|scores| {
            let [kills, npcs, vehicles, missions, playtime, ..] = <[i64; 9]>::from(scores);
            [kills, npcs, vehicles, missions, playtime]
        }),
        scores: Some(row.scores()),
    }
}
