//! Recomputes the figures of an export from its events, and compares them with those that the site shows.
//!
//! The grade of each event follows from its reports, repeated kills from all kills, and figures from the events that count. Limits of
//! accounts, disputes, decisions of admins and unknown names are taken as the export states them: they depend on what it does not
//! contain.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::ExportError;
use super::lines::{EventLine, FORMAT, GuildLine, Head, Line, PlayerLine, ReportLine};
use super::tally::{Counted, Players, Tally};
use crate::domain::counters::Side;
use crate::domain::events::{Event, ValidEvent, validate_stored};
use crate::domain::scores::Scores;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Provenance, RULES_VERSION, Reasons, Report, ReportSource, Scope, State, assess};
use crate::features::transfer::Progress;

/// Events between two progress reports.
const PROGRESS_INTERVAL: u64 = 1_000;
/// The number of differences that are described.
const MAX_DESCRIBED: usize = 20;

/// The result of a recomputation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Outcome {
    pub head: Head,
    pub events: u64,
    /// Events that stand.
    pub standing: u64,
    /// Withheld repeats.
    pub repeated: u64,
    /// Players and guilds whose figures were compared.
    pub players: u64,
    pub guilds: u64,
    pub differences: u64,
    /// The first differences, as sentences.
    pub described: Vec<String>,
}

/// Recomputes the export in a file, which may be compressed with gzip. Blocking.
pub fn recompute_file(path: &Path, progress: impl FnMut(Progress)) -> Result<Outcome, ExportError> {
    let failed = |why| ExportError::File { path: path.display().to_string(), why };
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let is_gzip = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    let bytes: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    recompute(BufReader::with_capacity(1 << 16, bytes), progress)
}

fn recompute(mut from: impl BufRead, mut progress: impl FnMut(Progress)) -> Result<Outcome, ExportError> {
    let mut text = Vec::new();
    let mut number = 0_u64;
    let mut next = |number: &mut u64| -> Result<Option<Line>, ExportError> {
        text.clear();
        if from.read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        *number += 1;
        let line = serde_json::from_slice(&text);
        line.map(Some).map_err(|why| ExportError::Foreign(format!("line {number}: {why}")))
    };
    let Some(Line::Export(head)) = next(&mut number)? else {
        return Err(ExportError::Foreign("the first line does not describe an export".into()));
    };
    let mut recomputation = Recomputation::new(head)?;
    while let Some(line) = next(&mut number)? {
        recomputation.add(line)?;
        if number.is_multiple_of(PROGRESS_INTERVAL) {
            progress(Progress { phase: "lines", done: number, total: number });
        }
    }
    Ok(recomputation.finish())
}

struct Recomputation {
    outcome: Outcome,
    now: EpochMillis,
    tally: Tally,
    players: Vec<PlayerLine>,
    guilds: Vec<GuildLine>,
}

impl Recomputation {
    fn new(head: Head) -> Result<Self, ExportError> {
        if head.format != FORMAT {
            return Err(ExportError::Foreign(format!("it has version {} of the format, not {FORMAT}", head.format)));
        }
        if head.rules != RULES_VERSION {
            return Err(ExportError::Rules(head.rules, RULES_VERSION));
        }
        let outcome = Outcome {
            head,
            events: 0,
            standing: 0,
            repeated: 0,
            players: 0,
            guilds: 0,
            differences: 0,
            described: Vec::new(),
        };
        let now = EpochMillis::now();
        Ok(Self { outcome, now, tally: Tally::default(), players: Vec::new(), guilds: Vec::new() })
    }

    fn add(&mut self, line: Line) -> Result<(), ExportError> {
        match line {
            Line::Export(_) => return Err(ExportError::Foreign("it has two first lines".into())),
            Line::Event(line) => self.event(*line),
            Line::Player(line) => {
                let index = self.tally.player(&line.player);
                if let Some(player) = self.tally.get(index) {
                    player.is_claimed = line.claimed;
                }
                self.players.push(line);
            }
            Line::Guild(line) => self.guilds.push(line),
        }
        Ok(())
    }

    fn differs(&mut self, sentence: impl FnOnce() -> String) {
        self.outcome.differences += 1;
        if self.outcome.described.len() < MAX_DESCRIBED {
            self.outcome.described.push(sentence());
        }
    }

    fn event(&mut self, line: EventLine) {
        self.outcome.events += 1;
        let EventLine { id, event, grade, state, counts, rule, reports } = line;
        let (event, players) = self.with_indexes(event);
        let event = match validate_stored(event, self.now) {
            Ok(event) => event,
            Err(why) => return self.differs(|| format!("event {id} is not valid: {why}")),
        };
        self.outcome.standing += u64::from(rule.state() == State::Stands);
        if state != rule.state() {
            self.differs(|| format!("event {id} is {state}, its rules make it {}", rule.state()));
        }
        if reports.is_empty() != rule.contains(Reasons::NO_REPORTS) {
            self.differs(|| format!("event {id} has {} reports, its rules say otherwise", reports.len()));
        }
        let (mut sides, mut is_confirmed) = (counts.clone(), grade.is_confirmed());
        if !reports.is_empty() {
            let by_reports = assess(&event, &reports.iter().map(report).collect::<Vec<_>>());
            if by_reports.grade != grade {
                let expected = by_reports.grade.as_str();
                self.differs(|| format!("event {id} is graded {}, its reports make it {expected}", grade.as_str()));
            }
            let of_reports = Reasons::OF_REPORTS.common(rule);
            if by_reports.reasons != of_reports {
                self.differs(|| format!("event {id} does not stand for other reasons than its reports give"));
            }
            sides = sides_with_players(&event).filter(|side| by_reports.counts.contains(*side)).collect();
            is_confirmed = by_reports.grade.is_confirmed();
            if rule.is_empty() && counts != sides {
                self.differs(|| format!("event {id} counts for other sides than its reports give"));
            }
        }
        if !rule.is_empty() && !counts.is_empty() {
            self.differs(|| format!("event {id} counts although a rule applies"));
        }
        self.tally.count(&Counted { id, event: &event, players, sides: &sides, is_confirmed, rule });
    }

    /// Replaces the names of players by numbers, since a hidden player has no valid name.
    fn with_indexes(&mut self, mut event: Event) -> (Event, Players) {
        let mut index = |name: &mut Option<String>, is_npc: Option<bool>| {
            let name = name.as_mut().filter(|_| is_npc != Some(true))?;
            let index = self.tally.player(name);
            *name = format!("player-{index}");
            Some(index)
        };
        let players = Players {
            killer: index(&mut event.killer, event.killer_is_npc),
            victim: index(&mut event.victim, event.victim_is_npc),
            player: index(&mut event.player_name, event.player_is_npc),
        };
        (event, players)
    }

    fn finish(mut self) -> Outcome {
        let (share, until) = (self.outcome.head.repeat_share, self.outcome.head.repeats_until);
        let (repeated, differing) = self.tally.decide_repeats(share, until);
        self.outcome.repeated = repeated;
        for id in differing {
            self.differs(|| format!("event {id}: another decision about a repeated kill"));
        }
        let by_guild = self.compare_players();
        for line in std::mem::take(&mut self.guilds) {
            self.outcome.guilds += 1;
            let mut sum = by_guild.get(&line.guild).copied().unwrap_or_default();
            sum += line.hidden.unwrap_or_default();
            if sum != line.scores {
                self.differs(|| difference(&format!("guild {}", line.guild), line.scores, sum));
            }
        }
        self.outcome
    }

    /// Compares the figures of players; returns the sums of guilds.
    fn compare_players(&mut self) -> HashMap<String, Scores> {
        let mut by_guild: HashMap<String, Scores> = HashMap::new();
        let mut is_stated = vec![false; self.tally.players.len()];
        for line in std::mem::take(&mut self.players) {
            let index = self.tally.player(&line.player);
            if let Some(seen) = is_stated.get_mut(index as usize) {
                *seen = true;
            }
            let Some(stated) = line.scores else { continue };
            self.outcome.players += 1;
            let mut sum = self.tally.get(index).map(super::tally::CountedPlayer::total).unwrap_or_default();
            sum += imported(line.imported);
            if sum != stated {
                self.differs(|| difference(&line.player, stated, sum));
            }
            if let Some(guild) = line.guild {
                *by_guild.entry(guild).or_default() += sum;
            }
        }
        let silent = std::mem::take(&mut self.tally.players).into_iter().zip(is_stated);
        for (mut player, _) in silent.filter(|(player, is_stated)| !is_stated && !player.name.starts_with('#')) {
            let sum = player.total();
            if !sum.is_zero() {
                self.differs(|| difference(&player.name, Scores::default(), sum));
            }
        }
        by_guild
    }
}

fn imported(figures: Option<[i64; 5]>) -> Scores {
    let [kills, npcs, vehicles, missions, playtime] = figures.unwrap_or_default();
    Scores::from([kills, npcs, vehicles, missions, playtime, 0, 0, 0, 0])
}

/// The figures that differ, as a sentence.
fn difference(name: &str, stated: Scores, sum: Scores) -> String {
    const NAMES: [&str; 9] = [
        "player kills",
        "NPC kills",
        "destroyed vehicles",
        "missions",
        "seconds of playtime",
        "confirmed player kills",
        "confirmed NPC kills",
        "confirmed destroyed vehicles",
        "confirmed missions",
    ];
    let pairs = <[i64; 9]>::from(stated).into_iter().zip(<[i64; 9]>::from(sum));
    let differing = NAMES.iter().zip(pairs).filter(|(_, (stated, sum))| stated != sum);
    let figures: Vec<String> =
        differing.map(|(figure, (stated, sum))| format!("{stated} {figure} instead of {sum}")).collect();
    format!("the site shows {name} with {}", figures.join(", "))
}

fn report(line: &ReportLine) -> Report {
    let reporter = match line.source {
        ReportSource::Operator => Scope::Operator,
        _ => Scope::Account(line.account.map_or(0, i64::from)),
    };
    let provenance = line.source.voice().map(|voice| Provenance { voice, is_independent: line.independent });
    Report { provenance, reporter }
}

fn sides_with_players(event: &ValidEvent) -> impl Iterator<Item = Side> {
    let sides = [(Side::Killer, &event.killer), (Side::Victim, &event.victim), (Side::Player, &event.player)];
    sides.into_iter().filter(|(_, party)| party.player().is_some()).map(|(side, _)| side)
}
