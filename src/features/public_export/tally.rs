//! Figures of an export, counted from its events in memory.

use std::collections::{HashMap, HashSet};

use crate::domain::counters::{Side, effects};
use crate::domain::events::{EventKind, GameMode, ValidEvent};
use crate::domain::play_sessions::{PlaySession, replay};
use crate::domain::scores::Scores;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Kill, Reasons, withheld};

/// An event of a player: its time, and whether it begins or ends a session.
type Seen = (EpochMillis, bool, bool);

/// A player in an export, by its place in [`Tally::players`].
pub(super) type PlayerIndex = u32;

/// What the events account for.
#[derive(Default)]
pub(super) struct CountedPlayer {
    pub name: String,
    pub scores: Scores,
    pub is_claimed: bool,
    seen: Vec<Seen>,
}

impl CountedPlayer {
    /// The scores with the playtime of all sessions.
    pub fn total(&mut self) -> Scores {
        let playtime = replay(std::mem::take(&mut self.seen)).iter().map(PlaySession::secs).sum::<i64>();
        self.scores.playtime += playtime;
        self.scores
    }
}

/// The players of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Players {
    pub killer: Option<PlayerIndex>,
    pub victim: Option<PlayerIndex>,
    pub player: Option<PlayerIndex>,
}

impl Players {
    fn of(self, side: Side) -> Option<PlayerIndex> {
        match side {
            Side::Killer => self.killer,
            Side::Victim => self.victim,
            Side::Player => self.player,
        }
    }

    fn distinct(self) -> impl Iterator<Item = PlayerIndex> {
        let victim = self.victim.filter(|victim| self.killer != Some(*victim));
        let player = self.player.filter(|player| self.killer != Some(*player) && self.victim != Some(*player));
        self.killer.into_iter().chain(victim).chain(player)
    }
}

/// An event with what its reports are worth.
pub(super) struct Counted<'a> {
    pub id: i64,
    pub event: &'a ValidEvent,
    pub players: Players,
    /// The sides for which the reports let it count.
    pub sides: &'a [Side],
    pub is_confirmed: bool,
    pub rule: Reasons,
}

/// A kill that may be a repeat, which is decided when all of them are known.
struct StatedKill {
    kill: Kill,
    is_withheld: bool,
    /// What it adds to the killer if it counts.
    gained: Scores,
}

#[derive(Default)]
pub(super) struct Tally {
    pub players: Vec<CountedPlayer>,
    by_name: HashMap<String, PlayerIndex>,
    kills: Vec<StatedKill>,
}

impl Tally {
    /// The place of a player, who is added if unknown.
    pub fn player(&mut self, name: &str) -> PlayerIndex {
        if let Some(index) = self.by_name.get(name) {
            return *index;
        }
        let index = PlayerIndex::try_from(self.players.len()).unwrap_or(PlayerIndex::MAX);
        self.players.push(CountedPlayer { name: name.to_owned(), ..CountedPlayer::default() });
        self.by_name.insert(name.to_owned(), index);
        index
    }

    pub fn get(&mut self, index: PlayerIndex) -> Option<&mut CountedPlayer> {
        self.players.get_mut(index as usize)
    }

    /// Counts an event. Kills of players wait for [`Tally::decide_repeats`].
    pub fn count(&mut self, counted: &Counted) {
        if counted.rule.without(Reasons::REPEATED) != Reasons::NONE {
            return;
        }
        let event = counted.event;
        let kind = event.identifier.kind();
        for player in counted.players.distinct() {
            if let Some(player) = self.get(player) {
                player.seen.push((event.event_time, kind == EventKind::Login, kind == EventKind::Logout));
            }
        }
        if let Some(kill) = kill(counted) {
            let gained = gained(counted).find(|(side, _)| *side == Side::Killer);
            let gained = gained.map(|(_, scores)| scores).unwrap_or_default();
            let is_withheld = counted.rule.contains(Reasons::REPEATED);
            self.kills.push(StatedKill { kill, is_withheld, gained });
        } else if counted.rule.is_empty() {
            for (side, scores) in gained(counted) {
                if let Some(player) = counted.players.of(side).and_then(|player| self.get(player)) {
                    player.scores += scores;
                }
            }
        }
    }

    /// Decides which kills before `until` are withheld, and counts the others. Returns the number of withheld kills and the events
    /// whose stated decision is another one.
    pub fn decide_repeats(&mut self, share: u32, until: Option<i64>) -> (u64, Vec<i64>) {
        let claimed: HashSet<i64> =
            (0..).zip(&self.players).filter(|(_, player)| player.is_claimed).map(|(index, _)| index).collect();
        let stated = std::mem::take(&mut self.kills);
        let kills: Vec<Kill> = stated.iter().map(|stated| stated.kill).collect();
        let decided = withheld(&kills, &claimed, share);
        let (mut count, mut differing) = (0, Vec::new());
        for StatedKill { kill, is_withheld, gained } in stated {
            let is_decided = until.is_none_or(|until| kill.at < until);
            let by_rule = if is_decided { decided.contains(&kill.id) } else { is_withheld };
            if by_rule != is_withheld {
                differing.push(kill.id);
            }
            if by_rule {
                count += 1;
            } else if let Some(player) = PlayerIndex::try_from(kill.killer).ok().and_then(|index| self.get(index)) {
                player.scores += gained;
            }
        }
        (count, differing)
    }
}

/// What an event adds to the scores of each side for which it counts.
fn gained(counted: &Counted) -> impl Iterator<Item = (Side, Scores)> {
    let effects = effects(counted.event).into_iter().filter(|(side, _)| counted.sides.contains(side));
    effects.map(|(side, effect)| (side, effect.scores().of_events(counted.is_confirmed)))
}

/// The kill of a player in the persistent universe by another one.
fn kill(counted: &Counted) -> Option<Kill> {
    let event = counted.event;
    let is_compared = event.identifier.kind() == EventKind::Kill && event.game_mode == Some(GameMode::Pu);
    let (killer, victim) = counted.players.killer.zip(counted.players.victim).filter(|_| is_compared)?;
    (killer != victim).then(|| Kill {
        id: counted.id,
        killer: i64::from(killer),
        victim: i64::from(victim),
        at: event.event_time.0,
    })
}
